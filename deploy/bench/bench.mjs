// The benchmark: node deploy/bench/bench.mjs [--rounds N] [--tools a,b] [--pages DIR] [--output FILE]
//
// Ends every daemon that it starts, and no other.

import { mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { fixture, host } from "../demo/fixture.mjs";
import { serveAs } from "../demo/site.mjs";
import { root, Scratch } from "../scratch.mjs";
import { installSkills, measureLanguages, withBun } from "./languages.mjs";
import { measureListing } from "./listing.mjs";
import { measureMcp } from "./mcp.mjs";
import * as measure from "./measure.mjs";
import { servePages } from "./pages.mjs";
import { measureParallel } from "./parallel.mjs";
import { installPeers, peersChromium } from "./peers.mjs";
import { run } from "./process.mjs";
import { measureRemote } from "./remote.mjs";
import { report } from "./report.mjs";
import { measureSession20 } from "./session.mjs";
import { AgentBrowser, agentBrowserEnvironment } from "./tools/agent-browser.mjs";
import { Browse } from "./tools/browse.mjs";
import { Playwright } from "./tools/playwright.mjs";
import { works } from "./works.mjs";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    tools: { type: "string", default: "browse,agent-browser,@playwright/cli" },
    works: { type: "string" },
    pages: { type: "string" },
    binaries: { type: "string", default: path.join(root, "target", "release") },
    output: { type: "string", default: path.join(root, "docs", "benchmarks.md") },
  },
});
const rounds = Number(options.rounds);
const say = (text) => process.stderr.write(`bench: ${text}\n`);
const closing = [];

async function contestants(chromium, site) {
  const scratch = await Scratch.open(options.binaries, site ? { BROWSE_CHROMIUM_ARGS: site.chromiumArguments } : {});
  closing.push(() => scratch.close());
  const environment = { ...scratch.env, HOME: scratch.folder, ...agentBrowserEnvironment(scratch.folder, chromium) };
  // rustup looks for its toolchains in the home, which is another one here.
  environment.RUSTUP_HOME ??= path.join(homedir(), ".rustup");
  environment.CARGO_HOME ??= path.join(homedir(), ".cargo");
  // It makes node read a file of certificates at every start.
  delete environment.NODE_EXTRA_CA_CERTS;
  const peers = await installPeers(say);
  const playwright = await Playwright.make(peers.playwright, scratch.folder, environment, chromium);
  const all = [
    new Browse(scratch, environment),
    new AgentBrowser(peers.agentBrowser, scratch.folder, environment),
    playwright,
  ];
  const names = options.tools.split(",");
  const tools = all.filter(({ name }) => names.includes(name));
  for (const tool of tools) closing.push(() => tool.stop());
  return tools;
}

async function browsers(chromium, browse) {
  const peers = `the peers drive ${(await run([chromium, "--version"])).trim()}`;
  if (!browse) return peers;
  const { result } = JSON.parse(await browse.call("status", "--json"));
  return `browse drives ${result.browser.product} (${path.basename(result.browser.path)}), ${peers}`;
}

/** The daemon that was measured, and one that has bun before node. */
async function daemons(browse, site) {
  const node = { program: browse.program, env: browse.context.env, project: browse.context.cwd };
  const scratch = await Scratch.open(options.binaries, { BROWSE_CHROMIUM_ARGS: site.chromiumArguments });
  closing.push(() => scratch.close());
  const { bun: folder } = await installPeers(say);
  const { BROWSE_HOME, BROWSE_PROJECT } = scratch.env;
  const env = withBun({ ...node.env, BROWSE_HOME, BROWSE_PROJECT }, folder);
  for (const home of [node.env.BROWSE_HOME, BROWSE_HOME]) await installSkills(home);
  return { node, bun: { program: browse.program, env, project: scratch.project } };
}

async function main() {
  const pages = await servePages(options.pages);
  closing.push(() => pages.close());
  const wantsBrowse = options.tools.split(",").includes("browse");
  const site = wantsBrowse ? await serveAs(host, await fixture()) : undefined;
  if (site) closing.push(() => site.close());
  const chromium = await peersChromium();
  const tools = await contestants(chromium, site);
  const browse = tools.find(({ name }) => name === "browse");

  const data = { rounds, machine: await measure.machine(), tools: tools.map(({ name }) => name), works: [] };
  for (const tool of tools) await tool.open(pages.url("form"));
  data.versions = await Promise.all(tools.map((tool) => tool.version()));
  data.browsers = await browsers(chromium, browse);
  for (const work of works.filter(({ id }) => !options.works || options.works.split(",").includes(id))) {
    say(work.title);
    data.works.push({ work, figures: await measure.measureWork(work, tools, pages, rounds) });
  }
  say("size of snapshots");
  data.sizes = await measure.measureSizes(tools, pages, ["stories", "sections", "form", ...pages.extra]);
  say("a session of twenty commands");
  data.session20 = await measureSession20(tools, pages, rounds);
  if (browse) {
    say("tabs at once");
    data.parallel = await measureParallel(browse, pages, 20, rounds);
  }
  if (browse) {
    say("MCP servers");
    data.mcp = await measureMcp(browse, pages, chromium, rounds, say);
  }
  say("memory with 20 tabs");
  data.memory = await measure.measureMemory(tools, pages, 20);
  if (browse) {
    say("sessions");
    data.session = await measure.measureSession(browse, rounds);
    data.remote = await measureRemote(browse, pages, rounds);
    data.listing = await measureListing(browse, rounds);
    say("one skill in three languages, 100 runs each, TypeScript on two runtimes");
    const peer = tools.find(({ name }) => name === "agent-browser");
    const goto = peer && { argv: peer.argv("goto", { url: pages.url("stories") }), context: peer.context };
    data.languages = await measureLanguages(await daemons(browse, site), 100, goto);
  }
  await mkdir(path.dirname(options.output), { recursive: true });
  await writeFile(options.output, report(data));
  process.stdout.write(report(data));
  say(`written to ${options.output}`);
}

async function closeAll() {
  while (closing.length > 0) await closing.pop()();
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.once(signal, () => closeAll().finally(() => process.exit(130)));
}
try {
  await main();
} catch (error) {
  say(error.stack);
  process.exitCode = 1;
} finally {
  await closeAll();
}
