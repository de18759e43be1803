import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const bundle = new URL('../dist/browse.js', import.meta.url).href;

function run(main: string, args = '{}') {
  const script = `import { skill, BrowseError } from '${bundle}'; await skill(${main});`;
  const env = { PATH: process.env.PATH, BROWSE_SKILL_ARGS: args };
  const done = spawnSync(process.execPath, ['--input-type=module', '-e', script], { env, encoding: 'utf8' });
  return { code: done.status, out: done.stdout, err: done.stderr };
}

test('a skill prints what it returns, and gets its arguments', () => {
  assert.deepEqual(run('async (args) => [args.n]', '{"n":"7"}'), { code: 0, out: '["7"]\n', err: '' });
});

test('a skill that returns nothing prints null', () => {
  assert.equal(run('async () => {}').out, 'null\n');
});

test('output larger than a pipe is printed whole', () => {
  assert.equal(run('async () => "x".repeat(900_000)').out.length, 900_003);
});

test('an error goes to standard error, with its hint', () => {
  const { code, out, err } = run('async () => { throw new BrowseError("REF_STALE", "gone", { hint: "look again" }) }');
  assert.deepEqual([code, out, err], [1, '', 'error: REF_STALE: gone\nhint: look again\n']);
});

test('any other error keeps its trace', () => {
  const { code, err } = run('async () => { null.x }');
  assert.equal(code, 1);
  assert.match(err, /^error: TypeError: .*\n +at /);
});
