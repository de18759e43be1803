// The measurements: each returns plain data for the report.

import { readFile } from "node:fs/promises";
import { inTurns } from "./hyperfine.mjs";
import { median, quantile } from "./process.mjs";

const summary = (values) => ({ median: median(values), p95: quantile(values, 0.95), runs: values.length });

/** One piece of work on every tool that can do it. */
export async function measureWork(work, tools, pages, rounds) {
  const url = pages.url(work.page);
  const contestants = [];
  for (const tool of tools) {
    if (!work.cold) await tool.open(url);
    const ref = work.target && (await tool.ref(work.target));
    const argv = tool.argv(work.command ?? work.id, { url, ref });
    if (!argv) continue;
    const prepare = work.cold ? tool.stopArgv() : undefined;
    const runs = work.cold ? Math.min(tool.runs, 3) : tool.runs;
    contestants.push({ name: tool.name, argv, options: { runs, prepare, context: tool.context } });
  }
  const gathered = await inTurns(contestants, work.cold ? Math.min(rounds, 3) : rounds);
  return Object.fromEntries(Object.entries(gathered).map(([name, values]) => [name, summary(values)]));
}

/** Characters and refs of each tool's snapshot of each page. */
export async function measureSizes(tools, pages, names) {
  const rows = [];
  for (const name of names) {
    const row = { page: name };
    for (const tool of tools) {
      await tool.open(pages.url(name));
      const snapshot = await tool.snapshot();
      row[tool.name] = { characters: snapshot.length, refs: tool.countRefs(snapshot) };
    }
    rows.push(row);
  }
  return rows;
}

/** Resident memory of each daemon, its browser left out, with `count` tabs. */
export async function measureMemory(tools, pages, count) {
  const row = {};
  for (const tool of tools) {
    await tool.stop();
    await tool.open(pages.url("stories"));
    for (let tab = 1; tab < count; tab += 1) await tool.newTab(pages.url("stories"));
    row[tool.name] = await tool.memory();
    for (let tab = 1; tab < count; tab += 1) await tool.closeTab();
  }
  return row;
}

/** A new isolated session with a tab: what the two commands take together. */
export async function measureSession(browse, rounds) {
  const script = '"$0" session new bench >/dev/null && "$0" --session bench url';
  const prepare = [browse.program, "session", "close", "bench"];
  const argv = ["sh", "-c", script, browse.program];
  const { browse: values } = await inTurns(
    [{ name: "browse", argv, options: { runs: 5, prepare, context: browse.context } }],
    rounds,
  );
  return summary(values);
}

/** What the figures were taken on. */
export async function machine() {
  const first = async (file, pattern) => pattern.exec(await readFile(file, "utf8").catch(() => ""))?.[1] ?? "unknown";
  const os = await import("node:os");
  return {
    system: await first("/etc/os-release", /^PRETTY_NAME="?([^"\n]+)/m),
    kernel: os.release(),
    processor: await first("/proc/cpuinfo", /^model name\s*:\s*(.+)$/m),
    cores: os.availableParallelism(),
    memory: Math.round(os.totalmem() / 2 ** 30),
    load: os.loadavg()[0],
    date: new Date().toISOString().slice(0, 10),
  };
}
