// Compiles everything, then runs the tests of the SDK and those of each bundled
// skill, a skill's in its own folder: that is where a run puts it.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const sdk = dirname(dirname(fileURLToPath(import.meta.url)));
const skills = join(sdk, '../browser-skills');
const build = join(sdk, 'build');

function run(cwd, program, ...args) {
  const { status } = spawnSync(program, args, { cwd, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

function testsIn(folder) {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.test.js')).map((name) => join(folder, name)) : [];
}

rmSync(build, { recursive: true, force: true });
run(sdk, process.execPath, 'node_modules/typescript/bin/tsc', '-p', 'tsconfig.json');
run(sdk, process.execPath, '--test', ...testsIn(join(build, 'sdk-ts/test')));
for (const name of existsSync(skills) ? readdirSync(skills) : []) {
  const tests = testsIn(join(build, 'browser-skills', name));
  if (tests.length > 0) run(join(skills, name), process.execPath, '--test', ...tests);
}
