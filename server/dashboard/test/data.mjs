// What the mock daemon answers with, unless a test changes it.

const ago = (seconds) => new Date(Date.now() - seconds * 1000).toISOString();
const later = (seconds) => ago(-seconds);

export function tab(id, part = {}) {
  return {
    id: String(id),
    active: false,
    url: `https://example.com/${id}`,
    title: `Example ${id}`,
    owner: 'root',
    state: 'idle',
    ...part,
  };
}

export function overviewData() {
  return {
    summary: '',
    sessions: [
      {
        name: 'default',
        owner: 'root',
        display: 'hidden',
        paused: false,
        handed_off: false,
        tabs: [
          tab(1, {
            active: true,
            url: 'https://news.example.com/front?page=2',
            title: 'News of the day, with a title that is longer than the card is wide',
            last_action: { time: ago(2), client: 'root', command: 'click', x: 320, y: 200 },
          }),
          tab(2, { title: 'Invoices', url: 'https://billing.example.com/invoices' }),
          tab(3, { title: '', url: 'about:blank', owner: 'claude' }),
        ],
      },
      {
        name: 'shop',
        owner: 'claude',
        display: 'hidden',
        paused: false,
        handed_off: false,
        request: 'Please solve the captcha of shop.example.com',
        tabs: [tab(4, { active: true, title: 'Sign in · Shop', owner: 'claude' })],
      },
      {
        name: 'bank',
        owner: 'claude',
        display: 'window',
        paused: false,
        handed_off: false,
        holder: {
          client: 'dashboard-2',
          reason: 'typing a second factor',
          since: ago(60),
          expires_at: later(600),
          is_you: false,
        },
        tabs: [tab(5, { active: true, url: '', title: '' })],
      },
    ],
    approvals: 2,
    version: '0.1.0',
    build_id: 'build-1',
    warnings: [],
    terminal: false,
  };
}

export const APPROVALS = [
  { id: '1f3a9c', client: 'claude', action: 'fetch api.example.com {"order": 12}', waiting_s: '75', state: 'waits' },
  {
    id: '77aa01',
    client: 'skill:prices',
    action: 'type into https://pay.example.com: 40 characters',
    waiting_s: '5',
    state: 'waits',
  },
];

const COMMANDS = [
  ['goto', 'https://example.com/', '', 312.5],
  ['snapshot', '', '', 48],
  ['click', '@e3', 'button "Save"', 120],
  ['fill', '@e4', 'textbox "Name"', 61],
  ['text', '', '', 12],
];

export function activityData(count = 60) {
  return Array.from({ length: count }, (_, index) => {
    const [command, target, element, duration_ms] = COMMANDS[index % COMMANDS.length];
    const failed = index % 12 === 7;
    return {
      time: ago((count - index) * 2),
      client: index % 4 === 3 ? 'claude' : 'root',
      command,
      target,
      element,
      duration_ms,
      outcome: failed ? 'REF_STALE' : 'ok',
      tab: String((index % 5) + 1),
      session: index % 3 === 2 ? 'shop' : 'default',
      raw: false,
      trace_id: '',
    };
  });
}

export const SKILLS = [
  {
    name: 'hackernews-frontpage',
    description: 'Reads the front page of Hacker News.',
    hosts: ['news.ycombinator.com'],
    tier: 'bundled',
    runtime: 'node 24',
    trust: 'untrusted',
    triggers: [],
    args: [{ name: 'count', description: 'Stories to read', required: false, default: '10' }],
    version: '1',
    source: 'human',
    session: 'own',
    timeout_ms: '60000',
    problem: '',
    checked: 'fresh, 2 days ago',
    health: 'fresh',
  },
  {
    name: 'shop-prices',
    description: 'Reads the prices of a shop.',
    hosts: ['shop.example.com'],
    tier: 'project',
    runtime: 'python 3.11',
    trust: 'trusted',
    triggers: [],
    args: [{ name: 'query', description: 'What to look for', required: true }],
    version: '3',
    source: 'agent',
    session: 'own',
    timeout_ms: '60000',
    problem: '',
    checked: 'drifted, 1 hour ago',
    health: 'drifted',
  },
];

export const NOTES = [
  {
    host: 'example.com',
    state: 'active',
    scope: 'project',
    version: 2,
    uses: 7,
    hash: '0123456789ab',
    bytes: 120,
    saved_ms: '1750000000000',
    removed: false,
    shadowed: false,
    score: 0,
  },
  {
    host: 'shop.example.com',
    state: 'quarantined',
    scope: 'project',
    version: 1,
    uses: 1,
    hash: 'ba9876543210',
    bytes: 300,
    saved_ms: '1750000000000',
    removed: false,
    shadowed: false,
    score: 0.41,
  },
];

function cookie(name, domain) {
  return {
    name,
    value: 'secr',
    length: 32,
    domain,
    path: '/',
    secure: false,
    http_only: false,
    same_site: '',
    expires: '',
    partition: '',
  };
}

const BROWSERS = [
  ['chrome', 'Default', { '.example.com': 12, 'www.example.com': 1, 'bank.example': 4 }],
  ['chrome', 'Profile 1', { '.example.com': 3 }],
  ['edge', 'Default', { 'news.example': 2 }],
];

/** What other browsers have, or what an import of a domain of one of them took. */
export function browserCookiesData({ browser, profile, domain }) {
  const row = (name, found, taken) => ({ domain: name, found, imported: taken, expired: taken && 1, refused: 0 });
  const profiles = BROWSERS.filter(([a, b]) => domain === undefined || (a === browser && b === profile)).map(
    ([name, folder, domains]) => ({
      browser: name,
      profile: folder,
      domains: Object.entries(domains)
        .filter(([host]) => domain === undefined || host === domain)
        .map(([host, found]) => row(host, found, domain === undefined ? 0 : found - 1)),
    }),
  );
  return { summary: '', imported: 0, profiles, problems: [] };
}

export const ANSWERS = {
  'BrowserService/Snapshot': {
    tree: '',
    nodes: [
      { ref: '@e1', role: 'link', name: 'Home', frame: '', box: { x: 40, y: 20, width: 120, height: 30 } },
      { ref: '@e2', role: 'button', name: 'Save', frame: '', box: { x: 40, y: 300, width: 140, height: 48 } },
    ],
  },
  'BrowserService/Highlight': { outcome: 'drawn', element: '@e2 button "Save"' },
  'BrowserService/Pdf': { pdf: 'JVBERi0xLjQK', mime: 'application/pdf', bytes: '9' },
  'BrowserService/Reload': { url: 'https://example.com/', title: '' },
  'BrowserService/StopLoading': { url: 'https://example.com/' },
  'BrowserService/CloseTab': { closed: '2' },
  'BrowserService/ListStates': {
    states: [
      {
        name: 'work',
        saved: '2026-01-02T03:04:05Z',
        bytes: '1000',
        holds: '12 cookies, 3 origins',
        key: 'keychain',
        problem: '',
      },
    ],
  },
  'BrowserService/SaveState': { summary: 'saved 12 cookies' },
  'BrowserService/LoadState': { summary: 'loaded 12 cookies' },
  'BrowserService/Cookies': {
    cookies: [
      {
        name: 'sid',
        value: 'secr',
        length: 32,
        domain: '.example.com',
        path: '/',
        secure: true,
        http_only: true,
        same_site: 'lax',
        expires: '2030-01-01T00:00:00Z',
        partition: '',
      },
      cookie('theme', 'example.com'),
      cookie('sid', 'example.com'),
      cookie('cart', 'shop.example.com'),
    ],
  },
  'BrowserService/DeleteCookie': { removed: 1 },
  'DaemonService/ListSessions': {
    sessions: [
      {
        name: 'default',
        tabs: 3,
        owner: 'root',
        idle_seconds: '12',
        heap_bytes: '52428800',
        kept: false,
        saved: '',
      },
      {
        name: 'shop',
        tabs: 1,
        owner: 'claude',
        idle_seconds: '4',
        heap_bytes: '12428800',
        kept: true,
        saved: ago(120),
      },
    ],
  },
  'DaemonService/NewSession': { name: 'work', restored: '12 cookies and 2 tabs from before' },
  'DaemonService/CloseSession': { name: 'shop' },
  'DaemonService/Status': {
    pid: 4711,
    address: '127.0.0.1:4711',
    uptime_s: '7260',
    project: '/work/shop',
    memory_bytes: '60000000',
    browser: { state: 'running', product: 'Chromium 156', path: '', sandbox: 'on', problem: '' },
    tabs: 5,
    sessions: 3,
    calls: 1,
    clients: ['claude'],
    log: '',
    visible: [],
  },
  'DaemonService/Memory': {
    summary: '',
    total_bytes: '900000000',
    daemon_bytes: '60000000',
    tabs: [
      {
        id: '1',
        session: 'default',
        state: 'idle',
        origin: 'https://news.example.com',
        heap_used_bytes: '12000000',
        nodes: '1800',
        listeners: '240',
      },
    ],
    processes: [],
  },
  'DaemonService/SecurityStatus': {
    summary: '',
    layers: [
      { name: 'envelope', state: 'on', detail: 'Marks text of pages' },
      { name: 'classifier', state: 'off', detail: 'Not installed' },
    ],
    counts: [{ name: 'texts', count: '120' }],
  },
  'DaemonService/SecurityLog': {
    attempts: [
      {
        time: '2026-01-02T03:04:05Z',
        surface: 'egress',
        reason: 'EGRESS_BLOCKED',
        source: '0123456789ab',
        domain: 'evil.example',
        dropped: '',
      },
    ],
  },
  'PairService/ListPairings': {
    pairings: [
      {
        name: 'laptop',
        state: 'active',
        scopes: ['read', 'write'],
        hosts: ['*.example.com'],
        session: 'pair-laptop',
        tab_policy: 'own',
        rate: 10,
        tabs: 1,
        calls: '42',
        expires_at: '2030-01-02T03:04:05Z',
      },
    ],
  },
  'PairService/RevokePairing': { name: 'laptop', tabs_closed: 1, tabs_released: 0 },
  'SkillService/ListSkills': { skills: SKILLS },
  'SkillService/SaveSkillRecord': { summary: 'wrote the skill basket-total\nrun it: browse skill run basket-total' },
  'DomainSkillService/ListDomainSkills': { skills: NOTES },
  'DomainSkillService/ShowDomainSkill': { summary: '', body: '# example.com\n\nUse the search field.' },
  'DomainSkillService/PromoteDomainSkill': { skill: NOTES[0] },
  'DomainSkillService/RollBackDomainSkill': { skill: NOTES[0] },
};
