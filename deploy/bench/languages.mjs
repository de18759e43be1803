// The Hacker News skill in three languages on the same page: whether all print
// the same bytes, and what each run takes beside a bare start of its runtime.
//
// By itself: node deploy/bench/languages.mjs [--binaries DIR] [--runs N] [--json]

import { createHash } from "node:crypto";
import { cp, mkdir, readdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { fixture, host, skill } from "../demo/fixture.mjs";
import { serveAs } from "../demo/site.mjs";
import { root, Scratch } from "../scratch.mjs";
import { times } from "./hyperfine.mjs";
import { median, quantile, run } from "./process.mjs";

/** What each language adds to the start of its runtime and the load of the page, at most, in ms. */
const LANGUAGES = [
  { name: "TypeScript", skill, runtime: ["node", "-e", "0"], bar: 50 },
  { name: "Python", skill: `${skill}-py`, runtime: ["python3", "-s", "-E", "-B", "-c", "pass"], bar: 50 },
  { name: "Rust", skill: `${skill}-rs`, runtime: undefined, bar: 10 },
];

/** Puts the skills that are not bundled into the home of the daemon. */
export async function installSkills(home) {
  const shelf = path.join(root, "deploy", "bench", "skills");
  await mkdir(path.join(home, "skills"), { recursive: true });
  for (const name of await readdir(shelf)) {
    await cp(path.join(shelf, name), path.join(home, "skills", name), { recursive: true });
  }
}

/** The program behind a name: a version manager's script would be timed otherwise. */
async function resolved([program, ...words]) {
  const question = program === "node" ? ["-p", "process.execPath"] : ["-c", "import sys; print(sys.executable)"];
  return [(await run([program, ...question])).trim(), ...words];
}

/** Every run of each language in turns; throws when one prints other bytes. */
export async function measureLanguages(browse, runs) {
  const context = { env: browse.env, cwd: browse.project };
  const argv = (name) => [browse.program, "skill", "run", name, "--raw"];
  const wanted = await run(argv(skill), context);
  const rows = [];
  for (const language of LANGUAGES) {
    await run(argv(language.skill), context); // A first run builds or translates.
    rows.push({ ...language, took: [], same: 0 });
  }
  for (let round = 0; round < runs; round += 1) {
    for (const row of rows) {
      const started = performance.now();
      const printed = await run(argv(row.skill), { ...context, eager: true });
      row.took.push(performance.now() - started);
      if (printed !== wanted) throw new Error(`${row.skill} printed other bytes in run ${round + 1}`);
      row.same += 1;
    }
  }
  const load = await times([browse.program, "goto", `https://${host}/`], { runs: 20, context });
  for (const row of rows) {
    row.bare = row.runtime ? await times(await resolved(row.runtime), { runs: 20, context }) : [0];
  }
  const hash = createHash("sha256").update(wanted).digest("hex");
  const bytes = Buffer.byteLength(wanted);
  return { runs, hash, bytes, load: median(load), rows: rows.map((row) => figures(row, median(load))) };
}

function figures({ name, took, bare, bar, same }, load) {
  const own = median(took) - median(bare) - load;
  return { name, same, median: median(took), p95: quantile(took, 0.95), bare: median(bare), own, bar };
}

/** The figures as rows of text. */
export function lines({ runs, hash, bytes, load, rows }) {
  const ms = (value) => value.toFixed(1);
  const row = (one) =>
    `${one.name}: ${one.same} of ${runs} runs the same bytes; ${ms(one.median)} ms (p95 ${ms(one.p95)}), ` +
    `bare start ${ms(one.bare)} ms, own ${ms(one.own)} ms (bar ${one.bar}: ${one.own <= one.bar ? "held" : "missed"})`;
  return [`${bytes} bytes, sha256 ${hash}; a page load takes ${ms(load)} ms`, ...rows.map(row)];
}

async function main() {
  const { values } = parseArgs({
    options: {
      binaries: { type: "string", default: path.join(root, "target", "release") },
      runs: { type: "string", default: "100" },
      json: { type: "boolean", default: false },
    },
  });
  const site = await serveAs(host, await fixture());
  const scratch = await Scratch.open(values.binaries, { BROWSE_CHROMIUM_ARGS: site.chromiumArguments });
  try {
    await installSkills(path.join(scratch.folder, "home"));
    const data = await measureLanguages(scratch, Number(values.runs));
    process.stdout.write(values.json ? `${JSON.stringify(data)}\n` : `${lines(data).join("\n")}\n`);
  } finally {
    await scratch.close();
    site.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
