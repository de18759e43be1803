import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { encode, joinBytes } from '../src/encode.ts';
import { frame, STREAM_TYPE } from '../src/frames.ts';
import { type Browse, connect, type Saved } from '../src/index.ts';
import { safeName } from '../src/names.ts';
import { endFrame, Fake, jsonOf } from './fake.ts';

const HI = '8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4';

/** The parts of a file that holds `hi`. */
function parts(file: number, name: string, sha256 = HI): Uint8Array {
  const messages = [{ file, head: { url: `http://x/${file}`, name, mime: 'text/plain' } }, { file, data: Buffer.from('hi') }, { file, tail: { bytes: 2, sha256 } }];
  return joinBytes(messages.map((message) => frame(jsonOf(encode('FilePart', message)))));
}

async function client(context: TestContext, body: () => Uint8Array): Promise<[Browse, string, Fake]> {
  const fake = new Fake(() => (response) => void response.writeHead(200, { 'content-type': STREAM_TYPE }).end(joinBytes([body(), endFrame()])));
  const folder = mkdtempSync(join(tmpdir(), 'browse-sdk-'));
  context.after(() => {
    fake.close();
    rmSync(folder, { recursive: true });
  });
  return [connect({ address: await fake.listen(), token: 't' }), folder, fake];
}

test('a name of the page is made harmless and replaces nothing; one of the caller counts', async (context) => {
  const names = ['a.txt', '../../a.txt', '.bashrc', '--rf\u202e', 'json.py', 'x.desktop', 'x'];
  const [browse, folder] = await client(context, () => parts(0, names.shift() ?? ''));
  for (let count = 0; count < 6; count += 1) await browse.download('http://x', folder);
  assert.deepEqual(readdirSync(folder).sort(), ['_-rf', '_json.py', '_x.desktop.txt', 'a-2.txt', 'a.txt', 'bashrc']);
  const saved = await browse.download('http://x', join(folder, 'a.txt'));
  assert.deepEqual(saved, { path: join(folder, 'a.txt'), url: 'http://x/0', mime: 'text/plain', bytes: 2, sha256: HI, note: '' });
  assert.equal(readdirSync(folder).length, 6);
});

test('what did not arrive as it was sent is not there', async (context) => {
  const [browse, folder] = await client(context, () => parts(0, 'a.txt', '00'));
  await assert.rejects(browse.download('http://x', folder), { reason: 'BUG' });
  assert.deepEqual(readdirSync(folder), []);
});

test('settings, hooks and credentials are out of reach', async (context) => {
  const [browse, folder] = await client(context, () => parts(0, 'x'));
  for (const inner of ['.git/hooks', '.ssh', '.browse/skills']) mkdirSync(join(folder, inner), { recursive: true });
  symlinkSync(join(folder, '.ssh'), join(folder, 'link'));
  for (const path of ['.git/hooks/pre-commit', '.ssh/a', 'link/a', '.browse/config.toml', '.env.local', 'none/a']) {
    await assert.rejects(browse.download('http://x', join(folder, path)), { reason: 'FILE_UNWRITABLE', code: 3 }, path);
  }
  assert.deepEqual(readdirSync(join(folder, '.ssh')), []);
  await browse.download('http://x', join(folder, '.browse/skills/a.html'));
});

test('a command that is called by its name saves too, into the temp directory', async (context) => {
  const [browse] = await client(context, () => parts(0, `browse-sdk-${process.pid}.txt`));
  const saved = (await browse.call('download', { source: 'http://x' })) as Saved;
  assert.equal(readFileSync(saved.path, 'utf8'), 'hi');
  rmSync(saved.path);
});

test('a folder has a manifest, and a second run tells what is there and whole', async (context) => {
  const [browse, folder, fake] = await client(context, () => joinBytes([parts(0, 'manifest.json'), parts(1, 'b.txt')]));
  const first = await browse.scrape('images', folder, { limit: 5 });
  assert.deepEqual(first.saved.map((row) => row.file), ['_manifest.json', 'b.txt']);
  writeFileSync(join(folder, 'b.txt'), 'ho');
  await browse.scrape('images', folder);
  assert.deepEqual(fake.calls.map((call) => call.request.known), [[], ['http://x/0']]);
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as { files: unknown[] };
  assert.equal(manifest.files.length, 2);
});

test('names are never empty, paths, hidden, flags or devices', () => {
  const cases = { '': 'download', '..': 'download', 'a/': 'a', 'c:\\x\\y.txt': 'y.txt', '~x': '_x', 'con.txt': '_con.txt', 'a\tb\u200b': 'ab', 'a:b?': 'a_b_' };
  for (const [wanted, safe] of Object.entries(cases)) assert.equal(safeName(wanted), safe, wanted);
  const long = safeName(`${'ä'.repeat(400)}.tar`);
  assert.ok(Buffer.byteLength(long) <= 120 && long.endsWith('ä.tar'), long);
});
