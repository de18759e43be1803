// Running other programs and waiting for them.

import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";

/** Runs a program to its end; throws with its standard error when it fails. */
export async function run(argv, options) {
  const { code, signal, stdout, stderr } = await attempt(argv, options);
  if (code === 0) return stdout;
  throw new Error(`\`${argv.join(" ")}\` ended with ${signal ?? code}: ${stderr || stdout}`);
}

/** Runs a program to its end, whatever that is. */
export function attempt(argv, { cwd, env, input, limit = 120_000, eager = false } = {}) {
  return new Promise((resolve, reject) => {
    const stdin = input === undefined ? "ignore" : "pipe";
    const child = spawn(argv[0], argv.slice(1), { cwd, env, stdio: [stdin, "pipe", "pipe"], timeout: limit });
    child.stdin?.end(input);
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (chunk) => (stdout += chunk));
    child.stderr.on("data", (chunk) => (stderr += chunk));
    child.on("error", reject);
    const settle = (code, signal) => resolve({ code, signal, stdout, stderr });
    // What is timed leaves nothing behind: its pipes end with it.
    if (eager) return child.on("close", settle);
    // `exit`, not `close`: a daemon that the program leaves behind may hold the pipes.
    child.on("exit", (code, signal) => {
      setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
        settle(code, signal);
      }, 20);
    });
  });
}

/** Resident memory of a process in MiB. */
export async function residentMemory(pid) {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)[1]) / 1024;
}

/** One shell word, as hyperfine reads a command line. */
export function quoted(argv) {
  return argv.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
}

export function median(values) {
  return quantile(values, 0.5);
}

export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const [low, high] = [Math.floor(at), Math.ceil(at)];
  return sorted[low] + (sorted[high] - sorted[low]) * (at - low);
}
