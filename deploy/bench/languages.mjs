// The Hacker News skill in three languages on the same page: whether all print
// the same bytes, and what each run takes beside a bare start of its runtime.
//
// TypeScript is measured twice: on node, and on a second daemon that finds bun
// on its PATH, which goes before node.
//
// By itself: node deploy/bench/languages.mjs [--binaries DIR] [--runs N] [--bun DIR] [--json]

import { createHash } from "node:crypto";
import { cp, mkdir, readdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { fixture, host, skill } from "../demo/fixture.mjs";
import { serveAs } from "../demo/site.mjs";
import { root, Scratch } from "../scratch.mjs";
import { median, quantile, run } from "./process.mjs";

/**
 * gstack's browse cannot be installed here. Where it ran the same skill on bun in
 * 150 ms, agent-browser loaded a page of 30 stories in 50: so agent-browser's
 * `goto`, measured in turns with the runs, tells what gstack would take on the
 * machine of today. Without it, its figure stands as it is, in ms.
 */
const GSTACK = { took: 150, beside: 50 };

/**
 * What each language adds to the start of its runtime and the load of the page,
 * at most, in ms; whether the whole run rivals gstack's. `on` is the daemon that runs it.
 */
const LANGUAGES = [
  { name: "TypeScript on node", skill, runtime: ["node", "-e", "0"], bar: 50 },
  { name: "TypeScript on bun", on: "bun", skill, runtime: ["bun", "-e", "0"], bar: 50, rivals: true },
  { name: "Python", skill: `${skill}-py`, runtime: ["python3", "-s", "-E", "-B", "-c", "pass"], bar: 50 },
  { name: "Rust", skill: `${skill}-rs`, runtime: undefined, bar: 10, rivals: true },
];

/** The environment of a daemon that finds the bun of `folder` before node. */
export function withBun(env, folder) {
  return { ...env, PATH: [folder, env.PATH ?? process.env.PATH].join(path.delimiter) };
}

/** Puts the skills that are not bundled into the home of the daemon. */
export async function installSkills(home) {
  const shelf = path.join(root, "deploy", "bench", "skills");
  await mkdir(path.join(home, "skills"), { recursive: true });
  for (const name of await readdir(shelf)) {
    await cp(path.join(shelf, name), path.join(home, "skills", name), { recursive: true });
  }
}

/** The program behind a name: a version manager's script would be timed otherwise. */
async function resolved([program, ...words], context) {
  const question = program === "python3" ? ["-c", "import sys; print(sys.executable)"] : ["-p", "process.execPath"];
  return [(await run([program, ...question], context)).trim(), ...words];
}

/** Milliseconds that a program takes, and what it prints. */
async function timed(argv, context) {
  const started = performance.now();
  const printed = await run(argv, { ...context, eager: true });
  return { took: performance.now() - started, printed };
}

/**
 * Runs of each language, bare starts and page loads, in turns, so that whatever
 * else the machine does meets all alike; throws when one prints other bytes.
 * `daemons` are those to run on by name, `node` and maybe `bun`. `goto` has
 * agent-browser load the page of 30 stories.
 */
export async function measureLanguages(daemons, runs, goto) {
  const on = (name) => {
    const { program, env, project } = daemons[name];
    return { call: (...words) => [program, ...words], context: { env, cwd: project } };
  };
  const main = on("node");
  const wanted = await run(main.call("skill", "run", skill, "--raw"), main.context);
  const rows = [];
  for (const language of LANGUAGES.filter((one) => daemons[one.on ?? "node"])) {
    const { call, context } = on(language.on ?? "node");
    const argv = call("skill", "run", language.skill, "--raw");
    await run(argv, context); // A first run builds, or checks and compiles.
    const bare = language.runtime && (await resolved(language.runtime, context));
    rows.push({ ...language, argv, context, bare, took: [], started: [], same: 0 });
  }
  const loads = [];
  const peers = [];
  for (let round = 0; round < runs; round += 1) {
    for (const row of rows) {
      const { took, printed } = await timed(row.argv, row.context);
      if (printed !== wanted) throw new Error(`${row.skill} printed other bytes in run ${round + 1}`);
      row.took.push(took);
      row.same += 1;
      row.started.push(row.bare ? (await timed(row.bare, row.context)).took : 0);
    }
    loads.push(await load(main.call, `bench-${round}`, main.context));
    if (goto) peers.push((await timed(goto.argv, goto.context)).took);
  }
  const hash = createHash("sha256").update(wanted).digest("hex");
  const bytes = Buffer.byteLength(wanted);
  const page = median(loads);
  const peer = goto && median(peers);
  const gstack = goto ? (GSTACK.took / GSTACK.beside) * peer : GSTACK.took;
  return { runs, hash, bytes, load: page, peer, gstack, rows: rows.map((row) => figures(row, page, gstack)) };
}

/** A page load as a run has it: in a session of its own, without cache. */
async function load(call, session, context) {
  await run(call("session", "new", session), context);
  const { took } = await timed(call("--session", session, "goto", `https://${host}/`), context);
  await run(call("session", "close", session), context);
  return took;
}

function figures({ name, took, started, bar, rivals, same }, page, gstack) {
  const total = rivals ? gstack : undefined;
  const bare = median(started);
  const whole = median(took);
  const held = whole - bare - page <= bar && (total === undefined || whole < total);
  return { name, same, median: whole, p95: quantile(took, 0.95), bare, own: whole - bare - page, bar, total, held };
}

/** What is asked of a row. */
export const asked = ({ bar, total }) => `≤ ${bar} ms${total === undefined ? "" : `, under ${total.toFixed(0)} ms in all`}`;

/** The figures as rows of text. */
export function lines({ runs, hash, bytes, load, rows }) {
  const ms = (value) => value.toFixed(1);
  const row = (one) =>
    `${one.name}: ${one.same} of ${runs} runs the same bytes; ${ms(one.median)} ms (p95 ${ms(one.p95)}), ` +
    `bare start ${ms(one.bare)} ms, own ${ms(one.own)} ms (${asked(one)}: ${one.held ? "held" : "missed"})`;
  return [`${bytes} bytes, sha256 ${hash}; a page load in a session of its own takes ${ms(load)} ms`, ...rows.map(row)];
}

async function main() {
  const { values } = parseArgs({
    options: {
      binaries: { type: "string", default: path.join(root, "target", "release") },
      runs: { type: "string", default: "100" },
      bun: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const site = await serveAs(host, await fixture());
  const daemons = {};
  try {
    for (const name of values.bun ? ["node", "bun"] : ["node"]) {
      const scratch = await Scratch.open(values.binaries, { BROWSE_CHROMIUM_ARGS: site.chromiumArguments });
      if (name === "bun") scratch.env = withBun(scratch.env, path.resolve(values.bun));
      daemons[name] = scratch;
      await installSkills(path.join(scratch.folder, "home"));
    }
    const data = await measureLanguages(daemons, Number(values.runs));
    process.stdout.write(values.json ? `${JSON.stringify(data)}\n` : `${lines(data).join("\n")}\n`);
  } finally {
    for (const scratch of Object.values(daemons)) await scratch.close();
    site.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
