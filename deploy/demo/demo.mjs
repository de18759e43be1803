// Prints the stories of Hacker News as JSON: node deploy/demo/demo.mjs <binaries> [--offline]
//
// From the live site, or from a bundled page when that cannot be reached or
// `--offline` is given. Ends everything that it starts, and fails unless there
// are thirty stories.

import { fixture, host, skill } from "./fixture.mjs";
import { serveAs } from "./site.mjs";
import { Scratch } from "../scratch.mjs";

const say = (text) => process.stderr.write(`demo: ${text}\n`);

/** Why the live site cannot be used, or nothing. */
async function obstacle() {
  try {
    const answer = await fetch(`https://${host}/`, { signal: AbortSignal.timeout(4000) });
    return answer.ok ? undefined : `it answers ${answer.status}`;
  } catch (error) {
    return error.cause?.code ?? error.cause?.message ?? error.message;
  }
}

/** The thirty stories in the output of the skill. */
function stories(output) {
  const list = JSON.parse(output);
  if (list.length !== 30) throw new Error(`expected 30 stories, got ${list.length}`);
  for (const story of list) {
    if (!story.id || !story.title || !story.url) {
      throw new Error(`a story lacks id, title or URL: ${JSON.stringify(story)}`);
    }
  }
  return list;
}

const open = [];

async function closeAll() {
  while (open.length > 0) await open.pop().close();
}

async function main([binaries, mode]) {
  const settings = {};
  const problem = mode === "--offline" ? "not tried" : await obstacle();
  if (problem === undefined) {
    say(`reading the live site https://${host}/`);
  } else {
    const page = await fixture();
    const site = await serveAs(host, page);
    open.push(site);
    settings.BROWSE_CHROMIUM_ARGS = site.chromiumArguments;
    say(`https://${host}/ cannot be reached (${problem})`);
    say(`serving the bundled page on 127.0.0.1:${site.port} under that name instead`);
  }
  const scratch = await Scratch.open(binaries, settings);
  open.push(scratch);
  const list = stories(await scratch.must(["skill", "run", skill, "--raw"]));
  process.stdout.write(`${JSON.stringify(list, null, 2)}\n`);
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.once(signal, () => closeAll().finally(() => process.exit(130)));
}
try {
  await main(process.argv.slice(2));
} catch (error) {
  say(error.message);
  process.exitCode = 1;
} finally {
  await closeAll();
}
