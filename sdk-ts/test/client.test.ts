import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Browse, BrowseError, connect } from '../src/index.ts';
import { errorOf, foreign, givesReason } from '../src/error.ts';
import { Fake, type Reply, trailerFrame } from './fake.ts';

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
  const { authorization, 'browse-tab': tab, 'browse-session': session, 'grpc-timeout': timeout } = call?.headers ?? {};
  assert.deepEqual([authorization, tab, session, timeout], ['Bearer secret', '3', 'work', '1500m']);
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
  assert.equal(fake.calls[0]?.headers['grpc-timeout'], '15000m');
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

// google.rpc.Status {9, "m", [ErrorInfo {"REF_STALE", "browse", {hint: "h", ref: "@e3"}}]}, written by hand.
const DETAILS = (() => {
  const field = (tag: number, body: Buffer) => Buffer.concat([Buffer.from([tag, body.length]), body]);
  const text = (tag: number, value: string) => field(tag, Buffer.from(value));
  const pair = (key: string, value: string) => field(0x1a, Buffer.concat([text(0x0a, key), text(0x12, value)]));
  const info = Buffer.concat([text(0x0a, 'REF_STALE'), text(0x12, 'browse'), pair('hint', 'h'), pair('ref', '@e3')]);
  const any = Buffer.concat([text(0x0a, 'type.googleapis.com/google.rpc.ErrorInfo'), field(0x12, info)]);
  return Buffer.concat([Buffer.from([0x08, 9]), text(0x12, 'm'), field(0x1a, any)]).toString('base64');
})();

test('an error has reason, hint, message, metadata and code', async (context) => {
  const trailers = `grpc-status: 9\r\ngrpc-message: it%20is%20%E2%80%9Cgone%E2%80%9D\r\ngrpc-status-details-bin: ${DETAILS.replace(/=+$/, '')}\r\n`;
  const [browse] = await client(context, () => ({ trailers }));
  const error = await browse.click('@e3').catch((caught: unknown) => caught);
  assert.ok(error instanceof BrowseError);
  assert.deepEqual({ ...error }, { name: 'BrowseError', reason: 'REF_STALE', hint: 'h', metadata: { ref: '@e3' }, page: [], code: 9 });
  assert.equal(error.message, 'it is “gone”');
});

test('an error in the headers alone is one too', async (context) => {
  const [browse] = await client(context, () => (response) => {
    response.writeHead(200, { 'grpc-status': '9', 'grpc-message': 'no', 'grpc-status-details-bin': DETAILS });
    response.end();
  });
  await assert.rejects(browse.text(), { reason: 'REF_STALE', message: 'no' });
});

test('a stream yields its messages as they come, in pieces of any size', async (context) => {
  const [browse] = await client(context, () => (response) => {
    response.writeHead(200);
    const bytes = Buffer.concat(['a', 'bc', ''].map((text) => Buffer.from([0, 0, 0, 0, text.length + 2, 0x0a, text.length, ...Buffer.from(text)])));
    for (const byte of Buffer.concat([bytes, trailerFrame('grpc-status: 0\r\n')])) response.write(Uint8Array.of(byte));
    response.end();
  });
  const urls: unknown[] = [];
  for await (const message of browse.stream('url')) urls.push(message.url);
  assert.deepEqual(urls, ['a', 'bc', '']);
});

test('a stream that is left ends its connection, and the next call has another', async (context) => {
  let closed: (() => void) | undefined;
  const gone = new Promise<void>((done) => (closed = done));
  const [browse, fake] = await client(context, (path) =>
    path.endsWith('/Text')
      ? (response) => {
          response.on('close', () => closed?.());
          response.writeHead(200);
          response.write(Uint8Array.of(0, 0, 0, 0, 3, 10, 1, 97));
        }
      : { messages: [{ url: 'u' }] },
  );
  for await (const message of browse.stream('text')) {
    assert.equal(message.text, 'a');
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
    const body = Buffer.concat([Buffer.of(0, 0, 0, 0, 3, 10, 1, 97), trailerFrame('grpc-status: 0\r\n')]);
    response.writeHead(200, { 'content-length': body.length, connection: 'close' });
    response.end(body);
  });
  assert.equal(await browse.url(), 'a');
  assert.equal(await browse.url(), 'a');
  assert.equal(new Set(fake.calls.map((call) => call.connection)).size, 2);
});

test('a status that is not 200 is named', async (context) => {
  const [browse] = await client(context, () => (response) => void response.writeHead(403).end('no'));
  await assert.rejects(browse.url(), { reason: 'DAEMON_UNREACHABLE', message: /HTTP 403/ });
});

test('a page in place of an answer is told', async (context) => {
  const [browse] = await client(context, () => (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<!DOCTYPE html><p>no tunnel</p>'));
  await assert.rejects(browse.url(), { reason: 'DAEMON_UNREACHABLE', message: /HTTP 200 with `text\/html`/ });
  const error = foreign('a:1', 'HTTP 502', true);
  assert.deepEqual([error.reason, error.retryable, error.hint.includes('tunnel status')], ['REMOTE_FOREIGN', false, true]);
});

test('details that cannot be read give no reason, and a reason drives no terminal', () => {
  const trailers = (details: string, status = '7') => new Map([['grpc-status', status], ['grpc-status-details-bin', details]]);
  for (const details of ['\u00ff\u00fe!!!', 'A', '/////w==', 'CAc=']) {
    assert.equal(errorOf(trailers(details))?.reason, 'BUG', details);
    assert.equal(givesReason(trailers(details)), false, details);
  }
  assert.equal(errorOf(trailers('', ''))?.code, 2);
  const info = Buffer.from('\x0a\x05\x1b[3\nB');
  const any = Buffer.concat([Buffer.from('\x0a\x15/google.rpc.ErrorInfo\x12'), Buffer.of(info.length), info]);
  const details = Buffer.concat([Buffer.of(0x1a, any.length), any]).toString('base64');
  assert.equal(errorOf(trailers(details))?.reason, ' [3 B');
  assert.ok(givesReason(trailers(DETAILS)));
});

test('a message without end is TOO_LARGE, and an error without a word is none', async (context) => {
  const [browse] = await client(context, (path) =>
    path.endsWith('/Text')
      ? { trailers: 'grpc-status: 13\r\n' }
      : (response) => {
          response.writeHead(200);
          response.write(Uint8Array.of(0, 0xff, 0xff, 0xff, 0xff, 1, 2, 3));
        },
  );
  const told = async (call: Promise<unknown>) => {
    const error = await call.catch((caught: unknown) => caught);
    assert.ok(error instanceof BrowseError && error.message && error.hint, String(error));
    return error.reason;
  };
  assert.equal(await told(browse.url()), 'TOO_LARGE');
  assert.equal(await told(browse.text()), 'BUG');
});

test('a message that is none is an error of ours', async (context) => {
  const [browse] = await client(context, () => (response) => {
    response.writeHead(200);
    response.end(Buffer.concat([Buffer.of(0, 0, 0, 0, 2, 0xff, 0xff), trailerFrame('grpc-status: 0\r\n')]));
  });
  await assert.rejects(browse.url(), { name: 'BrowseError', reason: 'DAEMON_UNREACHABLE' });
});

test('an answer that breaks off is an error', async (context) => {
  const [browse] = await client(context, () => (response) => {
    response.writeHead(200);
    response.write(Uint8Array.of(0, 0, 0, 0, 9, 1), () => response.destroy());
  });
  await assert.rejects(browse.url(), { reason: 'DAEMON_UNREACHABLE' });
});

test('an answer without a status is an error', async (context) => {
  const [browse] = await client(context, () => ({ trailers: '' }));
  await assert.rejects(browse.url(), { reason: 'DAEMON_UNREACHABLE', message: /no status/ });
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
