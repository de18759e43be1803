// Timing whole processes with `hyperfine -N`, the tools in turns.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { quoted, run } from "./process.mjs";

/** Milliseconds of `runs` runs of one command. */
export async function times(argv, { runs, prepare, context }) {
  const folder = await mkdtemp(path.join(tmpdir(), "browse-hyperfine-"));
  const report = path.join(folder, "report.json");
  const options = ["-N", "--style", "none", "--runs", String(runs), "--export-json", report];
  // A command that prepares leaves nothing to warm up.
  if (prepare) options.push("--prepare", `sh -c ${quoted([`${quoted(prepare)} >/dev/null 2>&1; sleep 1`])}`);
  else options.push("--warmup", "1");
  try {
    await run(["hyperfine", ...options, quoted(argv)], { ...context, limit: 600_000 });
    const { results } = JSON.parse(await readFile(report, "utf8"));
    return results[0].times.map((seconds) => seconds * 1000);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs the contestants in turns, A B A B, and gathers the times of each. */
export async function inTurns(contestants, rounds) {
  const gathered = new Map(contestants.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, argv, options } of contestants) {
      gathered.get(name).push(...(await times(argv, options)));
    }
  }
  return Object.fromEntries(gathered);
}
