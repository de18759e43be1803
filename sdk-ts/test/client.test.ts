import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Browse, BrowseError, connect } from '../src/index.ts';
import { errorOf, foreign, givesReason } from '../src/error.ts';
import { frame, STREAM_TYPE } from '../src/frames.ts';
import { pinned } from '../src/tls.ts';
import { endFrame, failure, Fake, jsonOf, type Reply } from './fake.ts';

const STREAM = { 'content-type': STREAM_TYPE };

async function client(context: TestContext, reply: (path: string) => Reply, socket?: string): Promise<[Browse, Fake]> {
  const fake = new Fake((call) => reply(call.path));
  context.after(() => fake.close());
  return [connect({ address: await fake.listen(socket), token: 'secret' }), fake];
}

test('a method sends its arguments, its context and a deadline', async (context) => {
  const [browse, fake] = await client(context, () => ({ messages: [{ url: 'http://a/', title: 'A' }] }));
  const page = await browse.tab(3).session('work').withTimeout(1500).goto('http://a', { wait: 'none' });
  assert.deepEqual(page, { url: 'http://a/', title: 'A', suggestedSkills: [] });
  const [call] = fake.calls;
  assert.equal(call?.path, '/browse.v1.BrowserService/Goto');
  assert.deepEqual(call?.request, { url: 'http://a', wait: 'none' });
  const { authorization, 'browse-tab': tab, 'browse-session': session, 'connect-timeout-ms': timeout } = call?.headers ?? {};
  assert.deepEqual([authorization, tab, session, timeout], ['Bearer secret', '3', 'work', '1500']);
  assert.equal(call?.headers['browse-content'], 'raw');
});

test('a method answers with its result', async (context) => {
  const replies: Record<string, Reply> = { Html: { messages: [{ html: '<p>' }] }, Click: { messages: [{ receipt: { summary: 's' } }] } };
  const [browse] = await client(context, (path) => replies[path.split('/').pop() ?? ''] ?? {});
  assert.equal(await browse.html(), '<p>');
  assert.equal((await browse.click('@e3')).summary, 's');
  assert.equal(await browse.url(), '');
});

test('options may stand in the place of an optional argument', async (context) => {
  const [browse, fake] = await client(context, () => ({ messages: [{}] }));
  await browse.wait({ load: true });
  await browse.wait('@e1', { text: 't' });
  const expected = [{ load: true, networkidle: false }, { target: '@e1', load: false, networkidle: false, text: 't' }];
  assert.deepEqual(fake.calls.map((call) => call.request), expected);
  assert.equal(fake.calls[0]?.headers['connect-timeout-ms'], '15000');
});

test('calls share one connection', async (context) => {
  const [browse, fake] = await client(context, () => ({ messages: [{}] }));
  for (let count = 0; count < 3; count += 1) await browse.url();
  assert.equal(new Set(fake.calls.map((call) => call.connection)).size, 1);
});

test('a Unix socket works as an address', async (context) => {
  const [browse] = await client(context, () => ({ messages: [{ url: 'u' }] }), join(tmpdir(), `browse-sdk-${process.pid}.sock`));
  assert.equal(await browse.url(), 'u');
  const spelled = connect({ address: browse.options.address?.replace('unix:', 'unix://') });
  assert.equal(await spelled.url(), 'u');
});

test('a command is called by its name too, whichever it is', async (context) => {
  const [browse, fake] = await client(context, (path) => (path.endsWith('/GetUrl') ? { messages: [{ url: 'u' }] } : { messages: [{}] }));
  assert.equal(await browse.call('url'), 'u');
  await browse.call('network show', { id: 7 });
  await browse.call('newTab', { url: 'http://a' });
  await browse.tabEach({ '@type': 'ReloadRequest' });
  assert.deepEqual(fake.calls.map((call) => call.path.split('/').pop()), ['GetUrl', 'ShowRequest', 'NewTab', 'TabEach']);
  assert.deepEqual(fake.calls[3]?.request, { command: { '@type': 'ReloadRequest', wait: '' } });
  await assert.rejects(browse.call('nothing'), { name: 'TypeError', message: /knows no command `nothing`/ });
  await assert.rejects(browse.call('goto', { address: 'x' }), { name: 'TypeError', message: /has no field `address`/ });
});

const STALE = failure('failed_precondition', 'it is “gone”', { reason: 'REF_STALE', hint: 'h', metadata: { ref: '@e3' } });

test('an error has reason, hint, message, metadata and code', async (context) => {
  const [browse] = await client(context, () => ({ error: STALE }));
  const error = await browse.click('@e3').catch((caught: unknown) => caught);
  assert.ok(error instanceof BrowseError);
  assert.deepEqual({ ...error }, { name: 'BrowseError', reason: 'REF_STALE', hint: 'h', metadata: { ref: '@e3' }, page: [], code: 9 });
  assert.equal(error.message, 'it is “gone”');
});

test('the error of a stream stands at its end', async (context) => {
  const [browse, fake] = await client(context, () => ({ error: STALE }));
  await assert.rejects(browse.download('http://x'), { reason: 'REF_STALE' });
  assert.equal(fake.calls[0]?.headers['content-type'], STREAM_TYPE);
});

test('a stream yields its messages as they come, in pieces of any size', async (context) => {
  const [browse] = await client(context, () => (response) => {
    response.writeHead(200, STREAM);
    const bytes = ['a', 'bc', ''].map((summary) => frame(jsonOf({ summary, newer: { x: 1 } })));
    for (const byte of Buffer.concat([...bytes, endFrame()])) response.write(Uint8Array.of(byte));
    response.end();
  });
  const found: unknown[] = [];
  for await (const message of browse.stream('watch')) found.push(message.summary);
  assert.deepEqual(found, ['a', 'bc', '']);
});

test('a stream that is left ends its connection, and the next call has another', async (context) => {
  let closed: (() => void) | undefined;
  const gone = new Promise<void>((done) => (closed = done));
  const [browse, fake] = await client(context, (path) =>
    path.endsWith('/Watch')
      ? (response) => {
          response.on('close', () => closed?.());
          response.writeHead(200, STREAM);
          response.write(frame(jsonOf({ summary: 'a' })));
        }
      : { messages: [{ url: 'u' }] },
  );
  for await (const message of browse.stream('watch')) {
    assert.equal(message.summary, 'a');
    break;
  }
  await gone;
  assert.equal(await browse.url(), 'u');
  assert.equal(new Set(fake.calls.map((call) => call.connection)).size, 2);
});

test('calls at the same time have connections of their own', async (context) => {
  const [browse, fake] = await client(context, () => ({ messages: [{ url: 'x'.repeat(300_000) }] }));
  const urls = await Promise.all(Array.from({ length: 5 }, () => browse.url()));
  assert.deepEqual(urls.map((url) => url.length), Array(5).fill(300_000));
  assert.equal(new Set(fake.calls.map((call) => call.connection)).size, 5);
  await browse.url();
  assert.equal(new Set(fake.calls.map((call) => call.connection)).size, 5);
});

test('a length instead of chunks, and a server that closes, are read too', async (context) => {
  const [browse, fake] = await client(context, () => (response) => {
    const body = jsonOf({ url: 'a' });
    response.writeHead(200, { 'content-length': body.length, connection: 'close' });
    response.end(body);
  });
  assert.equal(await browse.url(), 'a');
  assert.equal(await browse.url(), 'a');
  assert.equal(new Set(fake.calls.map((call) => call.connection)).size, 2);
});

test('a status that is not 200 is named', async (context) => {
  const [browse] = await client(context, () => (response) => void response.writeHead(403, { 'content-type': 'text/plain' }).end('no'));
  await assert.rejects(browse.url(), { reason: 'DAEMON_UNREACHABLE', message: /HTTP 403/ });
});

test('a page in place of an answer is told', async (context) => {
  const [browse] = await client(context, () => (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<!DOCTYPE html><p>no tunnel</p>'));
  await assert.rejects(browse.url(), { reason: 'DAEMON_UNREACHABLE', message: /HTTP 200 with `text\/html`/ });
  const error = foreign('a:1', 'HTTP 502', pinned('0a'.repeat(32), false).foreignHint);
  assert.deepEqual([error.reason, error.retryable, error.hint.includes('tunnel status')], ['REMOTE_FOREIGN', false, true]);
});

test('details that cannot be read give no reason, and a reason drives no terminal', () => {
  const detail = { type: 'google.rpc.ErrorInfo', debug: 1 };
  for (const details of [undefined, 'x', [1, null], [detail]]) {
    const document = { code: 'permission_denied', message: 'm', details };
    assert.equal(errorOf(document).reason, 'BUG');
    assert.equal(givesReason(document), false);
  }
  assert.equal(errorOf({}).code, 2);
  assert.equal(errorOf(failure('internal', 'm', { reason: '\x1b[3\nB' })).reason, ' [3 B');
  assert.ok(givesReason(STALE));
  const page = [{ about: 'cover', text: 'a\x1bb' }];
  const quoting = { ...STALE, details: [{ type: 'browse.v1.ErrorPage', debug: { page } }] };
  assert.deepEqual(errorOf(quoting).page, [{ about: 'cover', text: 'a b' }]);
});

test('a message without end is TOO_LARGE, and an error without a word is none', async (context) => {
  const [browse] = await client(context, (path) =>
    path.endsWith('/Text')
      ? { error: { code: 'internal' } }
      : (response) => {
          response.writeHead(200, STREAM);
          response.write(Uint8Array.of(0, 0xff, 0xff, 0xff, 0xff, 1, 2, 3));
        },
  );
  const told = async (call: Promise<unknown>) => {
    const error = await call.catch((caught: unknown) => caught);
    assert.ok(error instanceof BrowseError && error.message && error.hint, String(error));
    return error.reason;
  };
  assert.equal(await told(browse.download('x')), 'TOO_LARGE');
  assert.equal(await told(browse.text()), 'BUG');
});

test('an answer that is not JSON is an error of ours', async (context) => {
  for (const body of ['{', '[]', '"a"', '']) {
    const [browse] = await client(context, () => (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(body));
    await assert.rejects(browse.url(), { name: 'BrowseError', reason: 'DAEMON_UNREACHABLE' });
  }
});

test('an answer that breaks off is an error', async (context) => {
  const [browse] = await client(context, () => (response) => {
    response.writeHead(200, STREAM);
    response.write(Uint8Array.of(0, 0, 0, 0, 9, 1), () => response.destroy());
  });
  await assert.rejects(browse.download('x'), { reason: 'DAEMON_UNREACHABLE' });
});

test('a stream without an end is an error', async (context) => {
  const [browse] = await client(context, () => (response) => void response.writeHead(200, STREAM).end());
  await assert.rejects(browse.download('x'), { reason: 'DAEMON_UNREACHABLE', message: /no end/ });
});

test('nobody at the address is DAEMON_UNREACHABLE, which is worth another try', async () => {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  await assert.rejects(connect({ address: `127.0.0.1:${port}` }).url(), { reason: 'DAEMON_UNREACHABLE', code: 14, retryable: true });
});

test('what is worth another try is told by code and metadata', () => {
  const retryable = (code: number, metadata: Record<string, string>) =>
    new BrowseError('X', 'x', { code, metadata }).retryable;
  assert.equal(retryable(14, {}), true);
  assert.equal(retryable(14, { retryable: 'false' }), false);
  assert.equal(retryable(8, { retry_ms: '20' }), true);
  assert.equal(retryable(9, {}), false);
});

test('a daemon that never answers ends with DEADLINE_EXCEEDED', async (context) => {
  const [browse] = await client(context, () => () => {});
  await assert.rejects(browse.withTimeout(20).url(), { reason: 'DEADLINE_EXCEEDED', code: 4 });
});
