// @playwright/cli: a node client and a node daemon. It has no `-i`: its snapshot
// is the whole tree.

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { residentMemory, run } from "../process.mjs";
import { line } from "./browse.mjs";

export class Playwright {
  name = "@playwright/cli";
  // A command takes most of a second.
  runs = 3;

  static async make(program, folder, environment, chromium) {
    const tool = new Playwright();
    tool.program = [process.execPath, program, "-s=bench"];
    tool.folder = folder;
    tool.context = { cwd: folder, env: environment };
    tool.config = path.join(folder, "playwright.json");
    const launchOptions = { executablePath: chromium, headless: true, chromiumSandbox: process.getuid() !== 0 };
    await writeFile(tool.config, JSON.stringify({ browser: { browserName: "chromium", launchOptions } }));
    return tool;
  }

  call(...args) {
    return run([...this.program, ...args], this.context);
  }

  async version() {
    return `@playwright/cli ${(await this.call("--version")).trim()}`;
  }

  argv(work, { url, ref }) {
    const args = {
      cold: ["open", "--config", this.config, url],
      title: ["eval", "document.title"],
      snapshot: ["snapshot"],
      click: ["click", ref],
      fill: ["fill", ref, "Ada Lovelace"],
      screenshot: ["screenshot"],
      goto: ["goto", url],
    };
    return args[work] && [...this.program, ...args[work]];
  }

  /** `goto` needs a browser that `open` has started. */
  async open(url) {
    return this.call("goto", url).catch(async () => {
      const answer = await this.call("open", "--config", this.config, url);
      this.pid = /opened with pid (\d+)/.exec(answer)?.[1];
      return answer;
    });
  }

  newTab(url) {
    return this.call("tab-new", url);
  }

  async closeTab() {
    await this.call("tab-close");
  }

  /** The tree alone, without what is printed around it. */
  async snapshot() {
    const answer = await this.call("snapshot");
    return /```yaml\n([\s\S]*?)```/.exec(answer)?.[1] ?? answer;
  }

  async ref(name) {
    return /ref=(\w+)/.exec(line(await this.snapshot(), name))[1];
  }

  countRefs(snapshot) {
    return snapshot.match(/ref=\w+/g)?.length ?? 0;
  }

  stopArgv() {
    return [...this.program, "close"];
  }

  async stop() {
    await run(this.stopArgv(), this.context).catch(() => {});
  }

  memory() {
    return residentMemory(this.pid);
  }
}
