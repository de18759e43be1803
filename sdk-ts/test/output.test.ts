import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { modules, OutputFile, placesOf } from '../src/output.ts';
import { contradiction, type Places, refusal, replacement } from '../src/outputRule.ts';

type Case = { path: string; refused: boolean; own?: string[]; temp?: string };
type Content = { name: string; new: string; old?: string; executable?: boolean; written: boolean };
type Table = { places: { own: string[]; temp: string; home: string; browse_home: string; search: string[] }; refused: string[]; written: string[]; other_places: Case[]; contents: Content[] };

const table = JSON.parse(readFileSync(join(process.cwd(), '../proto/tests/outputs.json'), 'utf8')) as Table;
const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));

test('paths are refused and written as the table of the contract says', () => {
  const { browse_home: browseHome, ...rest } = table.places;
  const places: Places = { ...rest, browseHome, macos: false };
  for (const path of table.refused) assert.ok(refusal(places, path), path);
  for (const path of table.written) assert.equal(refusal(places, path), undefined, path);
  for (const { path, refused, ...more } of table.other_places) {
    assert.equal(refusal({ ...places, ...more }, path) !== undefined, refused, `${path} ${JSON.stringify(more)}`);
  }
});

test('contents are written as the table of the contract says', () => {
  for (const { name, new: content, old, executable, written } of table.contents) {
    const replaced = old === undefined ? undefined : replacement(name, bytes(old), executable === true, bytes(content));
    const fault = contradiction(name, bytes(content)) ?? replaced;
    assert.equal(fault === undefined, written, `${name} ${content} ${old}: ${fault}`);
  }
});

async function write(path: string, content: string): Promise<string> {
  const node = await modules();
  const file = new OutputFile(node, await placesOf(node), path, 'caller');
  try {
    file.add(Buffer.from(content));
    return await file.finish();
  } finally {
    file.discard();
  }
}

function folder(context: TestContext): string {
  const made = mkdtempSync(join(tmpdir(), 'browse-sdk-'));
  context.after(() => rmSync(made, { recursive: true }));
  return made;
}

test('a pipe is written into and stays, and links lead to what is written', async (context) => {
  const at = folder(context);
  execFileSync('mkfifo', [join(at, 'pipe')]);
  const reader = spawn('cat', [join(at, 'pipe')]);
  let read = '';
  reader.stdout.on('data', (data) => (read += data));
  const ended = new Promise((done) => reader.on('close', done));
  await write(join(at, 'pipe'), 'hi');
  await ended;
  assert.equal(read, 'hi');
  writeFileSync(join(at, 'a.txt'), 'old');
  symlinkSync('a.txt', join(at, 'link'));
  await write(join(at, 'link'), 'new');
  assert.equal(readFileSync(join(at, 'a.txt'), 'utf8'), 'new');
  assert.deepEqual(readdirSync(at).sort(), ['a.txt', 'link', 'pipe']);
});

test('what is not a file, and a link to what is refused, is left alone', async (context) => {
  const at = folder(context);
  symlinkSync(join(at, '.bashrc'), join(at, 'a.txt'));
  symlinkSync('loop', join(at, 'loop'));
  for (const path of ['a.txt', 'loop', '.', 'x/']) await assert.rejects(write(join(at, path), 'hi'), path);
  assert.ok(!existsSync(join(at, '.bashrc')));
  writeFileSync(join(at, 'run.sh'), '#!/bin/sh\n');
  linkSync(join(at, 'run.sh'), join(at, 'b.png'));
  await assert.rejects(write(join(at, 'b.png'), 'hi'));
  await write('/dev/null', 'hi');
  assert.ok(existsSync('/dev/null'));
});
