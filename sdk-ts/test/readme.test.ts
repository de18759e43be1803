import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Fake } from './fake.ts';

const bundle = new URL('../dist/browse.js', import.meta.url).href;

test('the lines that the README begins with run', async (context) => {
  const readme = readFileSync('README.md', 'utf8');
  const [, block = ''] = /^# .*\n\n```ts\n([^]*?)```/.exec(readme) ?? [];
  assert.ok(block.split('\n').length <= 12);
  const fake = new Fake((call) => ({ messages: [call.path.endsWith('/Goto') ? { status: 200, title: 'Example Domain' } : { tree: '@e1 link' }] }));
  context.after(() => fake.close());
  const env = { PATH: process.env.PATH, BROWSE_ADDR: await fake.listen(), BROWSE_TOKEN: 't' };
  const child = spawn(process.execPath, ['--input-type=module', '-e', block.replace('@browse/sdk', bundle)], { env });
  let printed = '';
  child.stdout.on('data', (piece) => (printed += piece));
  child.stderr.on('data', (piece) => (printed += piece));
  await new Promise((done) => child.on('close', done));
  assert.equal(printed, '200 Example Domain\n@e1 link\n');
});
