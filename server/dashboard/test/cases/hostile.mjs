// What pages write is text, wherever it is shown.

import { equal, ok, test, until } from '../harness.mjs';
import { messageData, questionData } from '../talk.mjs';
import { stepData } from '../traces.mjs';

const STRINGS = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)>',
  '"><script src=//evil.example/x.js></script>',
  "'><img src='http://evil.example/p.png'>",
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  '<iframe src="http://evil.example"></iframe>',
  '<a href="http://evil.example">click</a>',
  '<style>*{background:url(http://evil.example/c)}</style>',
  '<link rel=stylesheet href=http://evil.example/s.css>',
  '<base href="http://evil.example/">',
  '<meta http-equiv=refresh content="0;url=http://evil.example">',
  '<form action=http://evil.example><button autofocus>x</button></form>',
  '<object data="http://evil.example/o"></object>',
  '<embed src="http://evil.example/e">',
  '<video src=x onerror=alert(1)></video>',
  '<details open ontoggle=alert(1)>',
  '<input autofocus onfocus=alert(1)>',
  '<math><mtext></mtext><script>alert(1)</script></math>',
  '{{constructor.constructor("alert(1)")()}}',
  '${alert(1)}',
  '`${alert(1)}`',
  ']]><script>alert(1)</script>',
  '<!--<script>alert(1)</script>-->',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '\u202egnp.exe',
  '\u0000null\u0007bell',
  'a'.repeat(3_000),
  '\n\n\nlines\n\n',
  '</title><script>alert(1)</script>',
  '</textarea><script>alert(1)</script>',
  "');alert(1);//",
  '\\u003cscript\\u003ealert(1)\\u003c/script\\u003e',
  '<template><script>alert(1)</script></template>',
  '<x contenteditable onblur=alert(1) tabindex=0>',
  '__proto__',
  'constructor',
  '../../etc/passwd',
  'שלום <b>bold</b> 日本語 \u{1f600}',
];

test('40 hostile strings are text in every place, and nothing runs', async (dashboard) => {
  const { mock, page } = dashboard;
  equal(STRINGS.length, 40, 'strings');
  const [first] = mock.overview.sessions;
  first.tabs = STRINGS.map((text, index) => ({
    ...first.tabs[1],
    id: String(index + 100),
    active: index === 0,
    title: text,
    url: text,
    owner: text,
    state: text,
    last_action: undefined,
  }));
  first.request = STRINGS[0];
  mock.session('bank').holder = { ...mock.session('bank').holder, client: STRINGS[1], reason: STRINGS[2] };
  mock.overview.warnings = [STRINGS[3]];
  mock.approvals = STRINGS.map((action, index) => ({
    id: `a${index}`,
    client: action,
    action,
    waiting_s: '1',
    state: 'waits',
  }));
  mock.activity = STRINGS.map((text) => ({
    ...mock.activity[0],
    client: text,
    command: text,
    target: text,
    element: text,
    session: text,
    outcome: text,
  }));
  await dashboard.open();
  await page.locator('.card .title').nth(39).waitFor();
  const titles = await page.locator('.card .title').allTextContents();
  equal(
    STRINGS.filter((text) => !titles.includes(text)),
    [],
    'titles that are not shown as they are',
  );
  await dashboard.checkWidth('live');
  for (const [index, text] of STRINGS.entries()) {
    const tab = mock.tab(index + 100);
    tab.dialog = { kind: 'prompt', message: text, default_text: text };
    tab.prompt = {
      kind: 'select',
      id: `p${index}`,
      label: text,
      value: text,
      multiple: false,
      options: [{ value: text, label: text, selected: false, disabled: false }],
    };
  }
  mock.pushOverview();
  for (const index of [0, 1, 9, 28, 31]) {
    await dashboard.view(`live/${index + 100}`);
    await page.locator('.page-words').waitFor();
    equal(await page.locator('.page-words').textContent(), STRINGS[index], 'message');
    await dashboard.checkWidth(`dialog ${index}`);
  }
  delete mock.tab(101).dialog;
  mock.pushOverview();
  await dashboard.view('live/101');
  await page.getByRole('heading', { name: STRINGS[1] }).first().waitFor();
  await dashboard.view('approvals');
  await page.locator('.approval').nth(39).waitFor();
  await dashboard.checkWidth('approvals');
  await dashboard.view('timeline');
  await page.locator('tbody tr').nth(39).waitFor();
  await dashboard.checkWidth('timeline');
  // Only the dashboard's own links.
  await dashboard.view('live');
  await page.locator('.card').first().waitFor();
  const links = await page.locator('a').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  ok(
    links.every((href) => href.startsWith('#')),
    `links: ${links.filter((href) => !href.startsWith('#'))}`,
  );
  await dashboard.shot('hostile');
});

test('40 hostile strings are text in every place of a trace', async (dashboard) => {
  const { mock, page } = dashboard;
  const trace = mock.traces.find(2);
  trace.session = STRINGS[1];
  trace.steps = STRINGS.map((text, index) =>
    stepData(index + 1, {
      client: text,
      command: text,
      arguments: JSON.stringify({ target: text }),
      element: index % 2 ? text : '',
      url: text,
      outcome: text,
      error: text,
      findings: [text],
    }),
  );
  for (const [index, text] of STRINGS.entries()) {
    trace.details[index + 1] = {
      snapshot: text,
      console: [{ time_ms: '0', level: text, text, location: text }],
      requests: [{ id: '1', method: text, url: text, type: text, size: '1', failure: text, time_ms: '0', mime: text }],
    };
  }
  await dashboard.open();
  await dashboard.view('timeline/traces');
  await page.locator('article').getByText(STRINGS[1]).waitFor();
  await dashboard.view('timeline/trace/2');
  await page.getByRole('option').nth(39).waitFor();
  equal(await page.locator('.step-target').allTextContents(), STRINGS, 'targets');
  for (const index of [0, 1, 9, 28, 31, 39]) {
    await page.locator(`#step-${index + 1}`).click();
    const step = page.locator(`section[aria-label="Step ${index + 1}"]`);
    await step.locator('pre[aria-label="Snapshot"]').waitFor();
    equal(await step.locator('pre[aria-label="Snapshot"]').textContent(), STRINGS[index], 'snapshot');
    equal(await step.locator('td.page-words').textContent(), STRINGS[index], 'text of the console');
    equal(await step.locator('p.problem').textContent(), STRINGS[index], 'error');
    await dashboard.checkWidth(`step ${index + 1}`);
  }
  const links = await page.locator('main a').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  ok(
    links.every((href) => href.startsWith('#')),
    `links: ${links}`,
  );
  await dashboard.shot('hostile-trace');
});

test('40 hostile strings are text in every place of the talk', async (dashboard) => {
  const { mock, page } = dashboard;
  const message = (text, index) => messageData(index + 1, { text, client: text, element: text, tab: '1', state: text });
  const asked = questionData(100, { text: STRINGS[1], client: STRINGS[2], choices: [STRINGS[0], STRINGS[28]] });
  mock.talk.messages = [
    ...STRINGS.map(message),
    asked,
    questionData(101, { state: 'answered', answer: STRINGS[3] }),
    messageData(102, { session: STRINGS[9] }),
  ];
  await dashboard.open();
  await page.locator('.request', { hasText: STRINGS[1] }).waitFor();
  await dashboard.checkWidth('live');
  await dashboard.view('skills');
  await page.locator('.banner', { hasText: STRINGS[1] }).waitFor();
  await dashboard.checkWidth('banner');
  await dashboard.view('talk/default');
  const texts = page.getByRole('log').locator('article > .page-words');
  await texts.nth(42).waitFor();
  equal((await texts.allTextContents()).slice(0, 41), [...STRINGS, STRINGS[1]], 'texts');
  await page.getByRole('log').getByRole('button', { name: STRINGS[0] }).click();
  await until(() => mock.requests('DashboardService/AnswerQuestion').length === 1, 'the answer is sent');
  equal(mock.requests('DashboardService/AnswerQuestion'), [{ id: '100', answer: STRINGS[0] }], 'requests');
  await page.getByRole('link', { name: STRINGS[9] }).click();
  await page.getByRole('heading', { name: `Session ${STRINGS[9]}` }).waitFor();
  const links = await page.locator('main a').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  ok(
    links.every((href) => href.startsWith('#')),
    `links: ${links}`,
  );
  await dashboard.checkWidth('talk');
});

test('40 hostile strings are text in the terminal and on the way to it', async (dashboard) => {
  const { mock, page } = dashboard;
  mock.overview.terminal = true;
  mock.terminals.offered = { shell: STRINGS[1], folder: STRINGS[9] };
  await dashboard.open();
  await dashboard.view('terminal');
  await dashboard.button('Start a terminal…').click();
  await page.getByRole('group', { name: 'Start a terminal' }).getByText(STRINGS[1]).waitFor();
  await dashboard.checkWidth('question');
  await dashboard.button('Start it').click();
  await dashboard.button('End').waitFor();
  await until(() => mock.terminals.stream, 'the stream is open');
  for (const text of STRINGS) mock.terminals.print(`${text}\r\n`);
  mock.terminals.print(`\u001b[2J\u001b[H${STRINGS.slice(0, 24).join('\r\n')}`);
  await until(async () => {
    const rows = await page.locator('.xterm-rows > div').allTextContents();
    const shown = rows.map((row) => row.replaceAll('\u00a0', ' ').trimEnd());
    return STRINGS.slice(0, 24).every((text, index) => shown[index] === text);
  }, 'the strings are rows of the screen');
  mock.talk.messages = STRINGS.map((text, index) => messageData(index + 1, { text }));
  mock.talk.put(...mock.talk.messages);
  mock.terminals.verdict = {
    verdict: 'block',
    findings: STRINGS.map((text) => ({ layer: text, name: text, count: 1, excerpt: text })),
  };
  await dashboard.view('talk/default');
  for (const index of [0, 9, 28, 31]) {
    const article = page.getByRole('log').locator('article').nth(index);
    await article.getByRole('button', { name: 'Send to terminal' }).click();
    await article.locator('q').nth(39).waitFor();
    equal(await article.locator('q').allTextContents(), STRINGS, 'excerpts');
    equal(await article.getByLabel('Text for the terminal').textContent(), STRINGS[index], 'text');
    await dashboard.checkWidth(`message ${index}`);
    await article.getByRole('button', { name: 'Cancel' }).click();
  }
  await dashboard.view('terminal');
  mock.terminals.end(STRINGS[1]);
  await page.getByText(`The terminal has ended: ${STRINGS[1]}.`).waitFor();
  const links = await page.locator('main a').count();
  equal(links, 0, 'links');
});

test('text of errors is text', async (dashboard) => {
  const { mock, page } = dashboard;
  const { fail } = await import('../mock.mjs');
  mock.overrides['BrowserService/Reload'] = (_, response) =>
    fail(response, 'unavailable', 'NAVIGATION_FAILED', STRINGS[1], STRINGS[2]);
  await dashboard.open();
  await dashboard.openTab(1);
  await dashboard.button('Reload').click();
  await page.locator('.failure').getByText(STRINGS[1]).waitFor();
  await page.locator('.failure').getByText('NAVIGATION_FAILED').waitFor();
  delete mock.overrides['BrowserService/Reload'];
  await dashboard.button('Retry').click();
  await page.locator('.failure').waitFor({ state: 'detached' });
});
