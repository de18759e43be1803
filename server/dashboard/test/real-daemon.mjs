// A real daemon in a folder of its own.

import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Scratch } from '../../../deploy/scratch.mjs';

const DIST = join(dirname(fileURLToPath(import.meta.url)), '../dist');
const FILES = new Map([['/', 'index.html'], ...['app.js', 'app.css', 'terminal.js'].map((name) => [`/${name}`, name])]);

/**
 * `programs` is the folder of `browse` and `browsed`. The answer runs commands: `browse` gives the
 * standard output, `failure` the error of a command that fails, as JSON; `remove` ends it all.
 */
export async function realDaemon(programs) {
  const scratch = await Scratch.open(programs, { DISPLAY: '', WAYLAND_DISPLAY: '' });
  const browse = async (...args) => (await scratch.must(args)).trim();
  const failure = async (...args) => {
    const { code, stdout } = await scratch.run(['--json', ...args], { stderr: 'ignore' });
    if (code === 0) throw new Error(`${args.join(' ')} did not fail`);
    return stdout;
  };
  const pid = async () => JSON.parse(await readFile(join(scratch.project, '.browse', 'daemon.json'), 'utf8')).pid;
  return { browse, failure, pid, remove: () => scratch.close() };
}

/** Serves the page of dist/ in place of the one that the daemon has built in, with the headers of the daemon. */
export async function serveDist(page) {
  await page.route(
    (url) => FILES.has(url.pathname),
    async (route) => {
      // The page asks now and then whether the daemon answers.
      if (route.request().resourceType() === 'fetch') return route.continue();
      const name = FILES.get(new URL(route.request().url()).pathname);
      const body = await readFile(join(DIST, name));
      return route.fulfill({ response: await route.fetch(), body });
    },
  );
}
