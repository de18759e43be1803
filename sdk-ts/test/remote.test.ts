import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHmac, X509Certificate } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:tls';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { BrowseError } from '../src/error.ts';
import { isProved, redeem, remote } from '../src/remote.ts';
import { publicKeyOf } from '../src/tls.ts';

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

test('an answer that was changed is not proved', async () => {
  const session = '07'.repeat(32);
  const lines = ['browse-redeem-answer-v1', 'c', 'ada', 'read,write', '*', 's', 'e', 't'];
  const proof = createHmac('sha256', Buffer.from(session, 'hex')).update(lines.join('\n')).digest('hex');
  const answer = new Map([[1, 't'], [2, 'ada'], [3, 'read,write'], [4, '*'], [5, 's'], [6, 'e'], [7, proof]]);
  assert(await isProved(session, 'c', answer));
  assert(!(await isProved(session, 'd', answer)) && !(await isProved(PIN, 'c', answer)));
  for (const number of answer.keys()) assert(!(await isProved(session, 'c', new Map([...answer, [number, 'x']]))), String(number));
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
