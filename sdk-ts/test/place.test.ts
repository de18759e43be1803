import assert from 'node:assert/strict';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { spawnSync } from 'node:child_process';

const place = new URL('../src/place.js', import.meta.url).href;

/** What a program in `folder` finds. */
function found(folder: string, env: Record<string, string> = {}): string {
  const script = `const { daemonOf } = await import('${place}'); console.log(await daemonOf({}).then(({ address, token }) => address + ' ' + token, (error) => error.reason + ': ' + error.message));`;
  const done = spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: folder, env: { PATH: process.env.PATH, ...env }, encoding: 'utf8' });
  return done.stdout.trim() || done.stderr;
}

test('the environment counts first, then the state file when it is ours alone', (context) => {
  const root = mkdtempSync(join(tmpdir(), 'browse-sdk-'));
  context.after(() => rmSync(root, { recursive: true }));
  for (const folder of ['.git', '.browse', 'deep/er']) mkdirSync(join(root, folder), { recursive: true });
  const [state, deep] = [join(root, '.browse/daemon.json'), join(root, 'deep/er')];
  const write = (value: unknown, mode = 0o600) => {
    writeFileSync(state, typeof value === 'string' ? value : JSON.stringify(value));
    chmodSync(state, mode);
  };
  assert.match(found(deep), /^DAEMON_NOT_RUNNING/);
  const good = { address: 'http://127.0.0.1:7', token: 't' };
  write(good);
  assert.equal(found(deep), '127.0.0.1:7 t');
  assert.equal(found(tmpdir(), { BROWSE_PROJECT: root }), '127.0.0.1:7 t');
  assert.equal(found(deep, { BROWSE_ADDR: 'unix:/s', BROWSE_SKILL_TOKEN: 'a', BROWSE_REMOTE: 'r' }), 'unix:/s a');
  assert.equal(found(deep, { BROWSE_ADDR: 'unix:/s', BROWSE_SKILL_TOKEN: 'a', BROWSE_TOKEN: 'b' }), 'unix:/s b');
  assert.equal(found(deep, { BROWSE_SKILL_TOKEN: 'a' }), '127.0.0.1:7 t');
  assert.match(found(deep, { BROWSE_REMOTE: 'r' }), /^SETTING_INVALID/);
  const bad: [unknown, number, RegExp][] = [
    [good, 0o644, /others may open it$/],
    ['{', 0o600, /it is no JSON$/],
    [{ ...good, address: '127.0.0.1.evil.example:7' }, 0o600, /not on this machine$/],
    [{ ...good, token: '' }, 0o600, /it holds no token$/],
  ];
  for (const [value, mode, fault] of bad) {
    write(value, mode);
    const said = found(deep);
    assert.match(said, /^STATE_FILE_INVALID/);
    assert.match(said, fault);
  }
  write(good);
  renameSync(state, join(root, 'elsewhere'));
  symlinkSync(join(root, 'elsewhere'), state);
  assert.match(found(deep), /it is a link$/);
});

interface ProjectCase {
  case: string;
  make: Record<string, string>;
  link?: Record<string, string>;
  file?: string[];
  owner?: Record<string, number>;
  browse_home?: string;
  at: string;
  project: string;
}

test('the project is found as the command line finds it', (context) => {
  // The tests run in the folder of the SDK.
  const table = join(process.cwd(), '../proto/tests/projects.json');
  const cases = JSON.parse(readFileSync(table, 'utf8')) as ProjectCase[];
  for (const { make, link = {}, file = [], owner = {}, ...given } of cases) {
    if (Object.keys(owner).length > 0 && process.getuid?.() !== 0) continue;
    const root = mkdtempSync(join(tmpdir(), 'browse-sdk-'));
    context.after(() => rmSync(root, { recursive: true }));
    for (const [path, mode] of Object.entries(make)) {
      mkdirSync(join(root, path), { recursive: true });
      chmodSync(join(root, path), Number.parseInt(mode, 8));
    }
    for (const [path, target] of Object.entries(link)) symlinkSync(join(root, target), join(root, path));
    for (const path of file) writeFileSync(join(root, path), '');
    for (const [path, uid] of Object.entries(owner)) chownSync(join(root, path), uid, uid);
    const script = `const { projectOf } = await import('${place}'); console.log(await projectOf(process.cwd()));`;
    const home = given.browse_home ? { BROWSE_HOME: join(root, given.browse_home) } : {};
    const done = spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: join(root, given.at), env: { PATH: process.env.PATH, HOME: join(root, 'h'), ...home }, encoding: 'utf8' });
    assert.equal(done.stdout.trim() || done.stderr, join(root, given.project), given.case);
  }
});
