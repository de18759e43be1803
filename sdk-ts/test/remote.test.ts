import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { X509Certificate } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { createServer as createPlain, type Socket } from 'node:net';
import { createServer } from 'node:tls';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { Browse } from '../src/browse.ts';
import { BrowseError } from '../src/error.ts';
import { redeem, remote, sealOf } from '../src/remote.ts';
import { pinned, publicKeyOf } from '../src/tls.ts';

const PIN = '0a'.repeat(32);
const LINK = `browse-pair://[::1]:4567/setup-00ff/pin-${PIN}`;

function folder(context: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'browse-sdk-'));
  context.after(() => rmSync(path, { recursive: true }));
  return path;
}

async function reason(work: Promise<unknown>): Promise<string> {
  const error = await work.then(() => undefined, (error: unknown) => error);
  assert(error instanceof BrowseError, String(error));
  assert(error.hint && !error.message.includes('00ff'), error.message);
  return error.reason;
}

test('half a link is none', async () => {
  const bad = ['', 'setup-00ff', LINK.slice(0, -1), LINK.replace(':4567', ''), LINK.replace(':4567', ':0'), LINK.replace('[::1]', 'u@h'), LINK.replace('[::1]', '"h'), LINK.replace('setup-', ''), LINK.replace('pin-0', 'pin-g')];
  for (const text of bad) assert.equal(await reason(redeem(text)), 'PAIRING_LINK_INVALID', text);
  assert.equal(await reason(redeem(LINK, { keep: '../a' })), 'ARGUMENT_INVALID');
});

test('a token that was sealed for this request opens, and nothing else', async () => {
  // As another implementation sealed it, with the session key 7 and the challenge 1.
  const sealed = '000102030405060708090a0bbfe20a010b4f632134fb1bac6bb583373b87194fdba60980534da8db';
  const answer = { name: 'ada', scopes: ['read', 'write'], hosts: ['*'], session: 'pair-ada-000000', expires_at: '2026-01-01T00:00:00Z', sealed };
  const of = (key: number, challenge: number) => sealOf(Buffer.alloc(32, key).toString('hex'), Buffer.alloc(16, challenge));
  const seal = await of(7, 1);
  assert.equal(seal.open(answer), 'token-of-ada');
  const refused = (seal: { open(answer: Record<string, unknown>): string }, answer: Record<string, unknown>) =>
    assert.throws(() => seal.open(answer), (error: unknown) => error instanceof BrowseError && error.reason === 'REMOTE_UNPROVEN');
  refused(await of(8, 1), answer);
  refused(await of(7, 2), answer);
  for (const name of Object.keys(answer)) refused(seal, { ...answer, [name]: '00' });
  for (const wrong of ['', sealed.slice(2), sealed.slice(0, -2), `${sealed}00`]) refused(seal, { ...answer, sealed: wrong });
  const asked = JSON.stringify(seal.ask('setup-0123'));
  assert(asked.includes('sealed-') && asked.includes('01'.repeat(16)) && !asked.includes('setup-0123'));
});

test('what is kept counts when it is ours alone', async (context) => {
  const home = folder(context);
  const before = process.env.BROWSE_HOME;
  process.env.BROWSE_HOME = home;
  context.after(() => (before === undefined ? delete process.env.BROWSE_HOME : (process.env.BROWSE_HOME = before)));
  assert.equal(await reason(remote('a')), 'REMOTE_UNKNOWN');
  const path = join(home, 'remotes/a.json');
  mkdirSync(join(home, 'remotes'));
  writeFileSync(path, JSON.stringify({ address: 'a:1', pin: PIN, token: 't', new: 1 }), { mode: 0o600 });
  const { address, token } = (await remote('a')).options;
  assert.deepEqual([address, token], ['a:1', 't']);
  chmodSync(path, 0o644);
  assert.equal(await reason(remote('a')), 'REMOTE_FILE_INVALID');
  chmodSync(path, 0o600);
  writeFileSync(path, '{}');
  assert.equal(await reason(remote('a')), 'REMOTE_FILE_INVALID');
});

test('another key is refused before anything is sent', async (context) => {
  const [key, cert] = ['k.pem', 'c.pem'].map((name) => join(folder(context), name)) as [string, string];
  const line = 'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=a'.split(' ');
  execFileSync('openssl', [...line, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const certificate = new X509Certificate(readFileSync(cert));
  const wanted = certificate.publicKey.export({ type: 'spki', format: 'der' });
  assert.deepEqual(Buffer.from(publicKeyOf(certificate.raw) ?? []), wanted);
  assert.equal(publicKeyOf(certificate.raw.subarray(0, 100)), undefined);
  const heard: unknown[] = [];
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (socket) => socket.on('error', () => {}).on('data', (data) => heard.push(data)));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  context.after(() => server.close());
  const { port } = server.address() as { port: number };
  assert.equal(await reason(redeem(`browse-pair://127.0.0.1:${port}/setup-0/pin-${PIN}`)), 'REMOTE_MISMATCH');
  assert.deepEqual(heard, []);
});

test('what is no daemon is told in time', async (context) => {
  const cases: [((socket: Socket) => void) | undefined, string, string][] = [
    [(socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')), 'REMOTE_FOREIGN', 'TLS 1.3'],
    [(socket) => socket.once('data', () => socket.end()), 'DAEMON_UNREACHABLE', 'ends it before a word'],
    [undefined, 'DAEMON_UNREACHABLE', 'within'],
  ];
  for (const [answer, reason, word] of cases) {
    const server = createPlain((socket) => {
      context.after(() => socket.destroy());
      socket.on('error', () => {});
      answer?.(socket);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    context.after(() => server.close());
    const { port } = server.address() as { port: number };
    const client = new Browse({ address: `127.0.0.1:${port}`, token: 't', secure: pinned(PIN, false), timeout: answer ? 60_000 : 500 });
    const error = await client.tabs().then(() => undefined, (error: unknown) => error);
    assert(error instanceof BrowseError, String(error));
    assert.equal(error.reason, reason, error.message);
    assert(error.message.includes(word), error.message);
    assert.match(error.hint, /sk the owner/);
  }
});
