// Drives the command line against real applications, as an agent would:
//
//   node deploy/apps/apps.mjs [--quick] [--peers] [--only NAME,...] [--case TEXT]
//     [--binaries DIR] [--output FILE] [--trace] [--serve]
//
// Ends every daemon that it starts, and no other.

import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { installAgentBrowser, peersChromium } from "../bench/peers.mjs";
import { agentBrowserEnvironment } from "../bench/tools/agent-browser.mjs";
import { root, Scratch } from "../scratch.mjs";
import { Agent, FAULT, MISLEADS, PASS, UNABLE, Verdict } from "./agent.mjs";
import { bundle, pageNames } from "./bundle.mjs";
import { built, installPackages, Unavailable } from "./packages.mjs";
import { report, summary } from "./report.mjs";
import { serveApps } from "./server.mjs";
import { AgentBrowser, Browse } from "./tools.mjs";

/** What `--quick` runs: applications that need only the `dependencies` of package.json. */
const quick = ["tiptap", "quill", "slate", "codemirror", "fields", "select", "dndkit", "form", "masks", "shop"];

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    peers: { type: "boolean", default: false },
    only: { type: "string" },
    case: { type: "string", default: "" },
    binaries: { type: "string", default: path.join(root, "target", "debug") },
    output: { type: "string", default: path.join(built, "report.md") },
    trace: { type: "boolean", default: false },
    serve: { type: "boolean", default: false },
  },
});
const say = (text) => process.stderr.write(`apps: ${text}\n`);
const closing = [];

async function casesWanted() {
  const folder = fileURLToPath(new URL("cases/", import.meta.url));
  const files = (await readdir(folder)).filter((file) => file.endsWith(".mjs")).sort();
  const all = (await Promise.all(files.map((file) => import(path.join(folder, file))))).flatMap(({ cases }) => cases);
  const names = options.only?.split(",") ?? (options.quick ? quick : undefined);
  const unknown = names?.filter((name) => !all.some(({ app }) => app === name)) ?? [];
  if (unknown.length > 0) throw new Error(`unknown application ${unknown.join(", ")}: ${[...new Set(all.map(({ app }) => app))].join(", ")}`);
  return all.filter(({ app, title }) => (!names || names.includes(app)) && title.includes(options.case));
}

async function openTools() {
  const scratch = await Scratch.open(options.binaries);
  const tools = [new Browse(scratch)];
  closing.push(() => scratch.close());
  if (options.peers) {
    const program = await installAgentBrowser(say);
    const folder = await mkdtemp(path.join(tmpdir(), "browse-apps-"));
    const env = { ...process.env, HOME: folder, ...agentBrowserEnvironment(folder, await peersChromium()) };
    const peer = new AgentBrowser(program, folder, env);
    closing.push(async () => {
      await peer.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    });
    tools.push(peer);
  }
  return tools;
}

/** Runs one case with one tool. */
async function runCase({ app, title, run, browseOnly }, tool, site) {
  if (browseOnly && tool.name !== "browse") return { app, title, tool: tool.name, result: UNABLE, commands: 0, characters: 0 };
  const agent = new Agent(tool, site.url);
  if (options.trace) {
    agent.trace = (args, code, output) => process.stderr.write(`$ ${tool.name} ${args.join(" ")}  [${code}]\n${output}`);
  }
  const ended = await run(agent).then(
    () => (agent.alarms.length === 0 ? { result: PASS } : { result: MISLEADS, note: `a false alarm: ${agent.alarms[0]}` }),
    (error) => (error instanceof Verdict ? { result: error.result, note: error.message } : { result: FAULT, note: error.message }),
  );
  await tool.settle?.();
  return { app, title, tool: tool.name, ...ended, commands: agent.commands, characters: agent.characters };
}

async function main() {
  const cases = await casesWanted();
  const bundled = await pageNames();
  await installPackages(!options.quick, say);
  const pages = options.serve ? bundled : [...new Set(cases.map(({ app }) => app))].filter((app) => bundled.includes(app));
  for (const name of pages) await bundle(name);
  const site = await serveApps(path.join(built, "pages"));
  closing.push(() => site.close());
  if (options.serve) {
    say(`serving on ${site.url("")}: ${pages.map((name) => `${name}.html`).join(" ")} shop/start`);
    return new Promise(() => {});
  }
  const tools = await openTools();
  const rows = [];
  for (const one of cases) {
    for (const tool of tools) {
      const row = await runCase(one, tool, site);
      rows.push(row);
      say(`${row.tool}: ${row.app}, ${row.title}: ${row.result}${row.note && row.result !== PASS ? `: ${row.note}` : ""}`);
    }
  }
  await mkdir(path.dirname(options.output), { recursive: true });
  const text = report(rows, tools.map(({ name }) => name));
  await writeFile(options.output, text);
  process.stdout.write(options.quick ? summary(rows) : text);
  say(`written to ${options.output}`);
  return rows.every(({ tool, result }) => tool !== "browse" || result === PASS) ? 0 : 1;
}

async function closeAll() {
  while (closing.length > 0) await closing.pop()();
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.once(signal, () => closeAll().finally(() => process.exit(130)));
}
try {
  process.exitCode = await main();
} catch (error) {
  if (error instanceof Unavailable && options.quick) {
    say(`skipped: the applications of deploy/apps: ${error.message}`);
  } else {
    say(error.stack);
    process.exitCode = 1;
  }
} finally {
  await closeAll();
}
