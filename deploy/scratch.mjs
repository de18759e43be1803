// A daemon of our own for a demonstration or a measurement: its project and home
// lie in a temporary folder, so the user's daemon is never touched.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");

/** The caller's environment without what names a daemon or a token of theirs. */
function environment(binaries, folder, extra) {
  const kept = Object.entries(process.env).filter(
    ([name]) => !name.startsWith("BROWSE_") || name === "BROWSE_CHROMIUM",
  );
  // A release has its own, with the SDK in them that a build puts there.
  const released = path.resolve(binaries, "../share/browse/browser-skills");
  return {
    ...Object.fromEntries(kept),
    BROWSE_PROJECT: path.join(folder, "project"),
    BROWSE_HOME: path.join(folder, "home"),
    BROWSE_BUNDLED_SKILLS: existsSync(released) ? released : path.join(root, "browser-skills"),
    // Should this process be killed, the daemon ends by itself soon after.
    BROWSE_IDLE_TIMEOUT: "2m",
    ...extra,
  };
}

export class Scratch {
  /** `binaries` is the folder that holds `browse`, `browsed` and what lies beside it. */
  static async open(binaries, extra = {}) {
    const folder = await mkdtemp(path.join(tmpdir(), "browse-scratch-"));
    await mkdir(path.join(folder, "project"));
    await mkdir(path.join(folder, "home"));
    return new Scratch(binaries, folder, environment(binaries, folder, extra));
  }

  constructor(binaries, folder, env) {
    this.program = path.resolve(binaries, "browse");
    this.folder = folder;
    this.project = path.join(folder, "project");
    this.env = env;
  }

  /** Runs one command; its standard error goes where `stderr` says. */
  run(args, { stderr = "inherit" } = {}) {
    const options = { cwd: this.project, env: this.env, stdio: ["ignore", "pipe", stderr] };
    return new Promise((resolve, reject) => {
      const child = spawn(this.program, args, options);
      const chunks = [];
      child.stdout.on("data", (chunk) => chunks.push(chunk));
      child.on("error", reject);
      child.on("close", (code) => resolve({ code, stdout: Buffer.concat(chunks).toString() }));
    });
  }

  /** Like `run`, and throws unless the command exits with 0. */
  async must(args, options) {
    const { code, stdout } = await this.run(args, options);
    if (code !== 0) throw new Error(`\`browse ${args.join(" ")}\` exited with ${code}`);
    return stdout;
  }

  /** Stops the daemon, when one runs, and removes the folder. */
  async close() {
    await this.run(["stop"], { stderr: "ignore" }).catch(() => {});
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
