// Ours.

import path from "node:path";
import { residentMemory, run } from "../process.mjs";

export class Browse {
  name = "browse";
  runs = 10;

  constructor(scratch, environment) {
    this.scratch = scratch;
    this.program = scratch.program;
    this.context = { cwd: scratch.project, env: environment };
  }

  call(...args) {
    return run([this.program, ...args], this.context);
  }

  async version() {
    return `browse ${(await this.call("version", "--json").then(JSON.parse)).result.version}`;
  }

  argv(work, { url, ref }) {
    const shot = path.join(this.scratch.folder, "browse.png");
    const args = {
      cold: ["goto", url],
      url: ["url"],
      title: ["js", "document.title"],
      snapshot: ["snapshot", "-i"],
      text: ["text"],
      click: ["click", ref],
      fill: ["fill", ref, "Ada Lovelace"],
      screenshot: ["screenshot", "--viewport", shot],
      goto: ["goto", url],
    };
    return [this.program, ...args[work]];
  }

  open(url) {
    return this.call("goto", url);
  }

  newTab(url) {
    return this.call("newtab", url);
  }

  async closeTab() {
    await this.call("closetab");
  }

  snapshot() {
    return this.call("snapshot", "-i");
  }

  /** The ref of the element whose line names it. */
  async ref(name) {
    return this.refIn(await this.snapshot(), name);
  }

  refIn(snapshot, name) {
    return /@[ec]\d+/.exec(line(snapshot, name))[0];
  }

  countRefs(snapshot) {
    return snapshot.match(/@[ec]\d+/g)?.length ?? 0;
  }

  stopArgv() {
    return [this.program, "stop"];
  }

  async stop() {
    await run(this.stopArgv(), this.context).catch(() => {});
  }

  async memory() {
    const { result } = JSON.parse(await this.call("status", "--json"));
    return residentMemory(result.pid);
  }
}

export function line(snapshot, name) {
  const found = snapshot.split("\n").find((candidate) => candidate.includes(`"${name}"`));
  if (!found) throw new Error(`the snapshot has no "${name}":\n${snapshot.slice(0, 2000)}`);
  return found;
}
