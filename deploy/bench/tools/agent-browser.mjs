// agent-browser: a native client and a daemon that speaks CDP over a WebSocket.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { residentMemory, run } from "../process.mjs";
import { line } from "./browse.mjs";

/** What it reads from the environment; its sockets lie in the scratch folder. */
export function agentBrowserEnvironment(folder, chromium) {
  return {
    AGENT_BROWSER_SOCKET_DIR: path.join(folder, "agent-browser"),
    AGENT_BROWSER_EXECUTABLE_PATH: chromium,
    AGENT_BROWSER_ARGS: [...(process.getuid() === 0 ? ["--no-sandbox"] : []), "--disable-background-networking"].join(","),
    AGENT_BROWSER_NO_VERSION_CHECK: "1",
    AGENT_BROWSER_IDLE_TIMEOUT_MS: "600000",
  };
}

export class AgentBrowser {
  name = "agent-browser";
  runs = 10;

  constructor(program, folder, environment) {
    this.program = program;
    this.folder = folder;
    this.context = { cwd: folder, env: environment };
  }

  call(...args) {
    return run([this.program, ...args], this.context);
  }

  async version() {
    return (await this.call("--version")).trim();
  }

  argv(work, { url, ref }) {
    const shot = path.join(this.folder, "agent-browser.png");
    const args = {
      cold: ["open", url],
      url: ["get", "url"],
      title: ["eval", "document.title"],
      snapshot: ["snapshot", "-i"],
      text: ["get", "text", "body"],
      click: ["click", ref],
      fill: ["fill", ref, "Ada Lovelace"],
      screenshot: ["screenshot", shot],
      goto: ["open", url],
    };
    return [this.program, ...args[work]];
  }

  open(url) {
    return this.call("open", url);
  }

  newTab(url) {
    return this.call("tab", "new", url);
  }

  async closeTab() {
    await this.call("tab", "close");
  }

  snapshot() {
    return this.call("snapshot", "-i");
  }

  async ref(name) {
    return this.refIn(await this.snapshot(), name);
  }

  refIn(snapshot, name) {
    return `@${/ref=(e\d+)/.exec(line(snapshot, name))[1]}`;
  }

  countRefs(snapshot) {
    return snapshot.match(/ref=e\d+/g)?.length ?? 0;
  }

  stopArgv() {
    return [this.program, "close", "--all"];
  }

  async stop() {
    await run(this.stopArgv(), this.context).catch(() => {});
  }

  async memory() {
    const file = path.join(this.context.env.AGENT_BROWSER_SOCKET_DIR, "default.pid");
    return residentMemory((await readFile(file, "utf8")).trim());
  }
}
