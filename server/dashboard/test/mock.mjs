// A daemon for development and tests: serves dist/ and answers what the dashboard calls.
// `node test/mock.mjs [PORT]` prints a link.

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ANSWERS, APPROVALS, activityData, browserCookiesData, overviewData } from './data.mjs';
import { FRAMES } from './frames.mjs';
import { MockInspector } from './inspect.mjs';
import { MockSkills } from './skills.mjs';
import { MockTalk } from './talk.mjs';
import { MockTerminals } from './terminal.mjs';
import { MockTraces } from './traces.mjs';

const DIST = join(dirname(fileURLToPath(import.meta.url)), '../dist');
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};
export const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
const STATUS = { unauthenticated: 401, permission_denied: 403, not_found: 404, unavailable: 503 };
const ALL_SCOPES = ['read', 'write', 'meta', 'admin', 'control'];
const COLORS = ['red', 'green', 'blue'];

export class Mock {
  constructor() {
    this.overview = overviewData();
    this.approvals = structuredClone(APPROVALS);
    this.activity = activityData();
    this.isRemote = false;
    this.isFleet = false;
    this.traces = new MockTraces();
    this.talk = new MockTalk((change) => this.#push('DashboardService/ReadTalk', change));
    this.inspector = new MockInspector();
    this.skills = new MockSkills();
    this.terminals = new MockTerminals();
    this.answers = { ...ANSWERS, 'SkillService/ListSkills': { skills: this.skills.all } };
    /** Replaces the answer to a method: called with the request and the response. */
    this.overrides = {};
    this.calls = [];
    this.codes = new Map();
    this.tokens = new Map();
    this.streams = new Map();
    this.sequence = 0;
    this.leases = new Map();
    this.port = 0;
    this.inFlight = {};
    this.mostInFlight = {};
  }

  async start() {
    this.server = createServer(
      (request, response) => void this.#serve(request, response).catch((cause) => response.destroy(cause)),
    );
    await new Promise((done) => this.server.listen(this.port, '127.0.0.1', done));
    this.port = this.server.address().port;
  }

  async stop() {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
    this.streams.clear();
  }

  get origin() {
    return `http://127.0.0.1:${this.port}`;
  }

  /** A new link. */
  link(scopes = ALL_SCOPES, readOnly = false) {
    const code = (this.codes.size + 0xc0de).toString(16);
    this.codes.set(code, { scopes, readOnly });
    return `${this.origin}/#code=${code}`;
  }

  /** The requests of a method so far. */
  requests(method) {
    return this.calls.filter((call) => call.method === method).map((call) => call.request);
  }

  /** The events of all inputs so far. */
  events() {
    return this.requests('DashboardService/SendInput').flatMap(({ events }) => events ?? []);
  }

  session(name) {
    return this.overview.sessions.find((session) => session.name === name);
  }

  tab(id) {
    return this.overview.sessions.flatMap((session) => session.tabs).find((tab) => tab.id === String(id));
  }

  pushOverview() {
    this.#push('DashboardService/Overview', this.overview);
  }

  pushActivity(entry) {
    this.#push('DaemonService/Activity', { entry });
  }

  pushPicture(id, part = {}) {
    const session = this.overview.sessions.find(({ tabs }) => tabs.some((tab) => tab.id === String(id)));
    const held = session?.holder && !session.holder.is_you;
    const picture = held
      ? { state: 'held', jpeg: '', width: 0, height: 0 }
      : { state: 'live', jpeg: FRAMES[COLORS[Number(id) % 3]], width: 1280, height: 800 };
    this.sequence += 1;
    this.#push('DashboardService/ViewTabs', {
      sequence: String(this.sequence),
      tab: String(id),
      session: session?.name ?? '',
      time: new Date().toISOString(),
      ...picture,
      ...part,
    });
  }

  #push(method, message) {
    for (const response of this.streams.get(method) ?? []) response.write(envelope(message));
  }

  async #serve(request, response) {
    response.setHeader('content-security-policy', CSP);
    response.setHeader('cache-control', 'no-store');
    response.setHeader('referrer-policy', 'no-referrer');
    // Browsers send the origin of the page with what it imports.
    if (request.method === 'GET' && [undefined, this.origin].includes(request.headers.origin)) return this.#file(request, response);
    if (request.headers.origin !== this.origin || request.headers['sec-fetch-site'] !== 'same-origin')
      return fail(
        response,
        'permission_denied',
        'ORIGIN_DENIED',
        'the call does not come from the page of the dashboard',
        'Run `browse dashboard`, and open its link',
      );
    const body = await bodyOf(request);
    if (request.url === '/redeem') return this.#redeem(JSON.parse(body.toString()), response);
    const method = request.url.replace('/browse.v1.', '');
    const isStream = request.headers['content-type'] === 'application/connect+json';
    const message = JSON.parse(body.subarray(isStream ? 5 : 0).toString());
    this.calls.push({ method, request: message, headers: request.headers });
    const token = request.headers.authorization?.replace('Bearer ', '');
    if (!this.tokens.has(token))
      return fail(
        response,
        'unauthenticated',
        'TOKEN_INVALID',
        'this daemon did not issue the token',
        'Use the token of the state file',
      );
    this.inFlight[method] = (this.inFlight[method] ?? 0) + 1;
    this.mostInFlight[method] = Math.max(this.mostInFlight[method] ?? 0, this.inFlight[method]);
    response.on('close', () => (this.inFlight[method] -= 1));
    if (this.overrides[method]) return this.overrides[method](message, response);
    if (isStream) return this.#stream(method, message, response);
    return this.#answer(method, message, response, request.headers);
  }

  async #file(request, response) {
    const name = request.url === '/' ? 'index.html' : request.url.slice(1);
    if (!['index.html', 'app.js', 'app.css', 'terminal.js'].includes(name)) return response.writeHead(404).end();
    response.setHeader('content-type', TYPES[extname(name)]);
    response.end(await readFile(join(DIST, name)));
  }

  #redeem({ code }, response) {
    const link = this.codes.get(code);
    if (!link || link.used)
      return fail(
        response,
        'unauthenticated',
        'TOKEN_INVALID',
        link ? 'the link was used' : 'the link is not known',
        'Run `browse dashboard` for a new link',
      );
    link.used = true;
    const token = `token-${code}`;
    this.tokens.set(token, link);
    send(response, {
      token,
      scopes: link.scopes,
      expires_at: '2030-01-01T00:00:00Z',
      version: '0.1.0',
      build_id: this.overview.build_id,
      read_only: link.readOnly,
      remote: this.isRemote || this.isFleet,
      fleet: this.isFleet,
    });
  }

  #stream(method, message, response) {
    if (method === 'SkillService/RunSkill') {
      response.setHeader('content-type', 'application/connect+json');
      response.write(envelope({ stderr: Buffer.from('reading the page\n').toString('base64') }));
      response.write(envelope({ output: JSON.stringify({ arguments: message.arg }) }));
      return response.end(envelope({}, 2));
    }
    response.setHeader('content-type', 'application/connect+json');
    response.flushHeaders();
    const open = this.streams.get(method) ?? new Set();
    this.streams.set(method, open.add(response));
    response.on('close', () => open.delete(response));
    if (method === 'DashboardService/Overview') response.write(envelope(this.overview));
    if (method === 'DashboardService/OpenTerminal')
      this.terminals.start(message, {
        send: (output) => response.write(envelope(output)),
        end: (last = {}) => response.end(envelope(last, 2)),
      });
    if (method === 'DashboardService/ReadTalk') {
      response.write(envelope(this.talk.whole));
      if (!message.follow) response.end(envelope({}, 2));
    }
    if (method === 'DaemonService/Activity') for (const entry of this.activity) response.write(envelope({ entry }));
    if (method === 'DashboardService/ViewTabs') {
      this.shown = message.tabs.map(String);
      for (const id of this.shown) this.pushPicture(id);
    }
  }

  #answer(method, message, response, headers) {
    if (method === 'DashboardService/UpdateView') {
      send(response, { tabs: 1 });
      if (message.tabs) {
        for (const id of message.tabs.map(String)) if (!this.shown.includes(id)) this.pushPicture(id);
        this.shown = message.tabs.map(String);
      }
      if (Number(message.large) > 0) this.pushPicture(message.large);
      return undefined;
    }
    if (this.isFleet && /^(Skill|DomainSkill|Pair)Service/.test(method))
      return fail(response, 'permission_denied', 'FLEET_DENIED', 'the dashboard of a fleet has none', 'Read the guide');
    if (method === 'DashboardService/TakeControl') return this.#take(message, response);
    if (method === 'DashboardService/ReleaseControl') return this.#release(message, response);
    if (method === 'DashboardService/SendInput') {
      if (!this.leases.has(message.lease))
        return fail(
          response,
          'failed_precondition',
          'LEASE_ENDED',
          'you do not hold the session any more',
          'Take control again',
        );
      return send(response, { sent: message.events?.length ?? 0 });
    }
    if (method === 'DashboardService/PauseAgents') return this.#pause(message.session, true, response);
    if (method === 'DashboardService/ContinueAgents') return this.#pause(message.session, false, response);
    if (method === 'BrowserService/Approve') return this.#approve(message, response);
    const parts = [this.traces, this.talk, this.inspector, this.skills, this.terminals];
    const part = parts.find((candidate) => candidate.has(method));
    if (part) {
      const session = decodeURIComponent(headers['browse-session'] ?? '');
      const { answer, error } = part.answer(method, message, { session, tab: headers['browse-tab'] });
      return answer ? send(response, answer) : fail(response, ...error);
    }
    if (method === 'BrowserService/ImportBrowserCookies') return send(response, browserCookiesData(message));
    if (method === 'BrowserService/Screenshot')
      return send(response, { image: FRAMES.red, mime: 'image/png', width: 320, height: 200, note: '' });
    const answer = this.answers[method];
    return answer
      ? send(response, answer)
      : fail(response, 'not_found', 'METHOD_UNKNOWN', `the RPC \`${method}\` does not exist`, 'Run `browse help`');
  }

  #take({ session: name, reason, force }, response) {
    const session = this.session(name);
    if (session.holder && !force)
      return fail(
        response,
        'failed_precondition',
        'HANDED_OFF',
        `\`${session.holder.client}\` holds the session`,
        'Wait, or take it with force',
      );
    const lease = `lease-${this.leases.size + 1}`;
    this.leases.set(lease, name);
    session.holder = {
      client: 'dashboard-1',
      reason: reason ?? '',
      since: new Date().toISOString(),
      expires_at: new Date(Date.now() + 900_000).toISOString(),
      is_you: true,
    };
    send(response, { lease, session: name, expires_at: session.holder.expires_at });
    this.pushOverview();
    for (const { id } of session.tabs) this.pushPicture(id);
    return undefined;
  }

  #release({ lease }, response) {
    const session = this.session(this.leases.get(lease));
    this.leases.delete(lease);
    if (session) delete session.holder;
    send(response, { session: session?.name ?? '' });
    this.pushOverview();
  }

  #pause(name, paused, response) {
    const session = this.session(name);
    const was_paused = session.paused;
    const was_handed_off = session.handed_off;
    session.paused = paused;
    if (!paused && was_handed_off) {
      session.handed_off = false;
      delete session.request;
    }
    send(response, paused ? { session: name } : { session: name, was_paused, was_handed_off });
    this.pushOverview();
  }

  #approve({ id, deny, always, revoke, decisions }, response) {
    const approval = this.approvals.find((candidate) => candidate.id === id);
    if (approval) approval.state = revoke ? 'waits' : deny ? 'denied' : always ? 'always' : 'approved';
    const isListed = ({ state }) => (state !== 'waits') === Boolean(decisions);
    send(response, { approvals: id ? [approval].filter(Boolean) : this.approvals.filter(isListed) });
  }
}

export function envelope(message, flags = 0) {
  const json = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(5);
  head[0] = flags;
  head.writeUInt32BE(json.length, 1);
  return Buffer.concat([head, json]);
}

export function send(response, message) {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(message));
}

export function fail(response, code, reason, message, hint) {
  response.writeHead(STATUS[code] ?? 400, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({
      code,
      message,
      details: [{ type: 'google.rpc.ErrorInfo', value: '', debug: { reason, hint, domain: 'browse', metadata: {} } }],
    }),
  );
}

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const mock = new Mock();
  mock.port = Number(process.argv[2] ?? 0);
  await mock.start();
  console.log(mock.link());
}
