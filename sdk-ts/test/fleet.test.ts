import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { BrowseError, connect, remote } from '../src/index.ts';
import { type Call, failure, Fake, type Reply } from './fake.ts';

const URL_ANSWER: Reply = { messages: [{ url: 'u' }] };
const RENEWAL = { refresh_token: 'r', issuer: 'https://login.example.com', client_id: 'browse-cli' };
const ENDED = failure('unauthenticated', 'it has ended', { reason: 'TOKEN_EXPIRED', hint: 'h' });
const now = () => Math.floor(Date.now() / 1000);

/** A home of browse, certificates, and a program in place of the command line. */
class World {
  readonly home = mkdtempSync(join(tmpdir(), 'browse-sdk-'));
  readonly #context: TestContext;

  constructor(context: TestContext) {
    this.#context = context;
    context.after(() => rmSync(this.home, { recursive: true }));
    mkdirSync(join(this.home, 'remotes'), { mode: 0o700 });
    this.set({ BROWSE_HOME: this.home, BROWSE_CLI: join(this.home, 'browse'), BROWSE_TOKEN: 'root' });
  }

  path(name: string): string {
    return join(this.home, name);
  }

  /** Sets variables until the end of the test. */
  set(variables: Record<string, string>): void {
    for (const [name, value] of Object.entries(variables)) {
      const before = process.env[name];
      process.env[name] = value;
      this.#context.after(() => (before === undefined ? delete process.env[name] : (process.env[name] = before)));
    }
  }

  /** A certificate for `host` of an authority, whose file is `<name>.pem`. */
  certificate(name: string, host = 'localhost'): { key: Uint8Array; cert: Uint8Array } {
    const file = (end: string) => this.path(`${name}${end}`);
    const run = (line: string) => execFileSync('openssl', line.split(' '), { stdio: 'ignore', cwd: this.home });
    run(`req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=${name} -keyout ${name}-ca.key -out ${name}.pem -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign`);
    run(`req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=server -keyout ${name}.key -out ${name}.csr`);
    writeFileSync(file('.ext'), `subjectAltName=${host === '127.0.0.1' ? 'IP' : 'DNS'}:${host}\nbasicConstraints=CA:FALSE\n`);
    run(`x509 -req -in ${name}.csr -CA ${name}.pem -CAkey ${name}-ca.key -CAcreateserial -days 2 -extfile ${name}.ext -out ${name}.crt`);
    return { key: readFileSync(file('.key')), cert: readFileSync(file('.crt')) };
  }

  async serve(reply: (call: Call) => Reply, tls?: { key: Uint8Array; cert: Uint8Array }): Promise<[Fake, string]> {
    const fake = new Fake(reply, tls);
    this.#context.after(() => fake.close());
    const address = await fake.listen();
    return [fake, tls ? `https://${address.replace('127.0.0.1', 'localhost')}` : `http://${address}`];
  }

  /** Keeps a fleet as `browse login` does. */
  keep(document: Record<string, unknown> | string, name = 'remotes/prod.json'): void {
    const text = typeof document === 'string' ? document : JSON.stringify({ kind: 'fleet', ...document });
    writeFileSync(this.path(name), text, { mode: 0o600 });
  }

  /** What `browse login --renew` does here; `runs` has its arguments, its token and what it reads. */
  program(lines: string): void {
    writeFileSync(this.path('browse'), `#!/bin/sh\necho "$* [$BROWSE_TOKEN] <$(cat)>" >> "${this.path('runs')}"\n${lines}\n`, { mode: 0o700 });
  }

  /** Has the program put `token` into the file. */
  renewsTo(url: string, token: string): void {
    this.keep({ url, token, expires_at: now() + 3600, ...RENEWAL }, 'next.json');
    this.program(`cp "${this.path('next.json')}" "${this.path('remotes/prod.json')}"`);
  }

  get runs(): string[] {
    try {
      return readFileSync(this.path('runs'), 'utf8').trim().split('\n');
    } catch {
      return [];
    }
  }
}

const tokens = (fake: Fake) => fake.calls.map((call) => call.headers.authorization);

async function failed(call: Promise<unknown>): Promise<BrowseError> {
  const error = await call.then(() => undefined, (error: unknown) => error);
  assert(error instanceof BrowseError, String(error));
  assert(error.hint, error.message);
  return error;
}

test('a gateway is called whose certificate the authority of the file vouches for', async (context) => {
  const world = new World(context);
  const [fake, url] = await world.serve(() => URL_ANSWER, world.certificate('ca'));
  world.keep({ url, ca: world.path('ca.pem'), token: 'good' });
  const browse = await remote('prod');
  assert.equal(await browse.session('work').url(), 'u');
  assert.equal(await browse.url(), 'u');
  const [call] = fake.calls;
  assert.deepEqual([call?.headers.authorization, call?.headers['browse-session'], call?.headers.host], ['Bearer good', 'work', new URL(url).host]);
  assert.equal(new Set(fake.calls.map((call) => call.connection)).size, 1);
});

test('a gateway of another authority or name gets nothing', async (context) => {
  const world = new World(context);
  const certificates = { ca: world.certificate('ca'), name: world.certificate('name', 'browse.example.com') };
  for (const [ca, tls] of [['name', certificates.ca], ['name', certificates.name], [undefined, certificates.ca]] as const) {
    const [fake, url] = await world.serve(() => URL_ANSWER, tls);
    world.keep({ url, ...(ca && { ca: world.path(`${ca}.pem`) }), token: 'good' });
    const error = await failed((await remote('prod')).url());
    assert.equal(error.reason, 'CERTIFICATE_UNUSABLE', error.message);
    assert.match(error.hint, /--ca <file>/);
    assert.deepEqual(fake.calls, []);
  }
  world.keep('words', 'empty.pem');
  for (const ca of ['empty.pem', 'missing.pem']) {
    world.keep({ url: 'https://localhost:1', ca: world.path(ca), token: 'good' });
    const error = await failed((await remote('prod')).url());
    assert.deepEqual([error.reason, error.metadata.path], ['CERTIFICATE_UNUSABLE', world.path(ca)]);
  }
});

test('no redirect takes the token to another server', async (context) => {
  const world = new World(context);
  const [other, place] = await world.serve(() => URL_ANSWER);
  const [, url] = await world.serve(() => (response) => void response.writeHead(307, { location: place, 'content-length': 0, 'content-type': 'text/plain' }).end());
  world.keep({ url, token: 'good' });
  const error = await failed((await remote('prod')).url());
  assert.deepEqual([error.reason, other.calls.length], ['REMOTE_FOREIGN', 0]);
  assert.match(error.hint, /address of the fleet/);
});

test('a token that is about to end is renewed once for all calls', async (context) => {
  const world = new World(context);
  const [fake, url] = await world.serve(() => URL_ANSWER);
  world.keep({ url, token: 'old', expires_at: now() + 3600, ...RENEWAL });
  const browse = await remote('prod');
  await browse.url();
  assert.deepEqual(world.runs, []);
  world.keep({ url, token: 'old', expires_at: now() + 20, ...RENEWAL });
  world.renewsTo(url, 'new');
  const other = await remote('prod');
  await Promise.all([...Array(5)].map((_, index) => (index % 2 ? browse : other).url()));
  // Without the variables of calls.
  assert.deepEqual(world.runs, ['login --renew prod --json [] <>']);
  assert.deepEqual(tokens(fake), ['Bearer old', ...Array(5).fill('Bearer new')]);
});

test('a token that is not accepted is renewed, and the call is sent again, once', async (context) => {
  const world = new World(context);
  const accepted = new Set(['Bearer new']);
  const [fake, url] = await world.serve(({ headers }) => (accepted.has(String(headers.authorization)) ? URL_ANSWER : { error: ENDED, status: 401 }));
  world.keep({ url, token: 'old', expires_at: now() + 3600, ...RENEWAL });
  world.renewsTo(url, 'new');
  const browse = (await remote('prod')).session('work');
  assert.equal(await browse.url(), 'u');
  assert.deepEqual(fake.calls.map((call) => [call.headers.authorization, call.headers['browse-session']]), [['Bearer old', 'work'], ['Bearer new', 'work']]);
  // It has not ended by the clock: the program has to know that it was rejected.
  assert.deepEqual(world.runs, ['login --renew prod --json --rejected-stdin [] <old>']);
  accepted.clear();
  world.renewsTo(url, 'newer');
  const refused = await failed(browse.url());
  assert.deepEqual([refused.reason, refused.code, refused.hint], ['TOKEN_EXPIRED', 16, `Run \`browse login ${url} --name prod\` again`]);
  assert.equal(fake.calls.length, 4);
  // The same token again is not worth another call.
  await failed(browse.url());
  assert.deepEqual([world.runs.length, fake.calls.length], [3, 5]);
  assert.equal(world.runs[2], 'login --renew prod --json --rejected-stdin [] <newer>');
});

test('a token that another command has stored counts', async (context) => {
  const world = new World(context);
  const [fake, url] = await world.serve(({ headers }) => (headers.authorization === 'Bearer new' ? URL_ANSWER : { error: ENDED, status: 401 }));
  world.keep({ url, token: 'old' });
  const browse = await remote('prod');
  world.keep({ url, token: 'new' });
  assert.equal(await browse.url(), 'u');
  assert.deepEqual([tokens(fake), world.runs], [['Bearer old', 'Bearer new'], []]);
});

test('a renewal that fails is an error when the token has ended', async (context) => {
  const world = new World(context);
  const [fake, url] = await world.serve(() => URL_ANSWER);
  const error = { reason: 'ISSUER_UNUSABLE', message: 'it does not answer', hint: 'Check the network', metadata: {} };
  const cases: [string | undefined, string, RegExp][] = [
    [`echo '${JSON.stringify({ error })}'; exit 4`, 'ISSUER_UNUSABLE', /^Check the network$/],
    ['echo "error: no such flag" >&2; exit 2', 'TOKEN_EXPIRED', /^Run `browse login \S+ --name prod` again$/],
    [undefined, 'TOKEN_EXPIRED', /^Set BROWSE_CLI .* or run `browse login \S+ --name prod` again$/],
  ];
  for (const [lines, reason, hint] of cases) {
    if (lines === undefined) rmSync(world.path('browse'));
    else world.program(lines);
    world.keep({ url, token: 'old', expires_at: now() - 1, ...RENEWAL });
    const told = await failed((await remote('prod')).url());
    assert.equal(told.reason, reason, told.message);
    assert.match(told.hint, hint);
    assert.deepEqual(fake.calls, []);
  }
  // Its last seconds may do.
  world.keep({ url, token: 'old', expires_at: now() + 20, ...RENEWAL });
  assert.equal(await (await remote('prod')).url(), 'u');
});

test('a damaged file is not a fleet', async (context) => {
  const world = new World(context);
  assert.equal((await failed(remote('prod'))).reason, 'REMOTE_UNKNOWN');
  const good = { url: 'https://browse.example.com:8443/', token: 'a.b.c', new: 1, ...RENEWAL };
  world.keep(good);
  await remote('prod');
  const bad: Record<string, unknown>[] = [
    { kind: 'other' },
    ...['http://browse.example.com', 'https://browse.example.com/path', 'https://a@b.example', 'https://a.example:99999', 'https://', 'a.example', ''].map((url) => ({ url })),
    ...['', 'a\nb', 'ü', 'x'.repeat(20_000), 7].map((token) => ({ token })),
    { issuer: null },
    { client_id: '' },
  ];
  for (const change of bad) {
    world.keep({ ...good, ...change });
    const error = await failed(remote('prod'));
    assert.deepEqual([error.reason, error.metadata.path], ['REMOTE_FILE_INVALID', world.path('remotes/prod.json')], JSON.stringify(change));
  }
});

test('the environment names the remote and the session', async (context) => {
  const world = new World(context);
  const [fake, url] = await world.serve(() => URL_ANSWER);
  world.keep({ url, token: 'good' });
  world.set({ BROWSE_REMOTE: 'prod', BROWSE_SESSION: 'night', BROWSE_ADDR: '127.0.0.1:1' });
  await connect().url();
  await connect({ session: 'day' }).url();
  await connect({ address: url, token: 'own' }).url();
  await (await remote('prod')).url();
  const seen = fake.calls.map(({ headers }) => [headers.authorization, headers['browse-session']]);
  assert.deepEqual(seen, [['Bearer good', 'night'], ['Bearer good', 'day'], ['Bearer own', 'night'], ['Bearer good', undefined]]);
  world.set({ BROWSE_REMOTE: 'other' });
  assert.equal((await failed(connect().url())).reason, 'REMOTE_UNKNOWN');
  // In the run of a skill.
  world.set({ BROWSE_ADDR: url, BROWSE_SKILL_TOKEN: 'skill', BROWSE_TOKEN: '' });
  await connect().url();
  assert.equal(fake.calls.at(-1)?.headers.authorization, 'Bearer skill');
});
