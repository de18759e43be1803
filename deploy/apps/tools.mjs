// The two tools: how a verb is written, and how their snapshots are read.

import path from "node:path";
import { attempt } from "../bench/process.mjs";

const limit = 45_000;

/** First quoted text of a line, JSON escapes resolved. */
function quoted(line) {
  const found = /"(?:[^"\\]|\\.)*"/.exec(line)?.[0];
  if (!found) return "";
  try {
    return JSON.parse(found);
  } catch {
    return found.slice(1, -1);
  }
}

export class Browse {
  name = "browse";
  hasReceipts = true;

  constructor(scratch) {
    this.scratch = scratch;
  }

  attempt(args) {
    return attempt([this.scratch.program, ...args], { cwd: this.scratch.project, env: this.scratch.env, limit });
  }

  argv(verb, operands) {
    const plain = ["click", "hover", "fill", "type", "press", "select", "check", "uncheck", "drag", "download", "back"];
    if (plain.includes(verb)) return [verb, ...operands];
    const others = {
      open: ["goto"],
      snapshot: ["snapshot", "-i"],
      text: ["text"],
      doubleClick: ["dblclick"],
      accept: ["dialog-accept"],
      dismiss: ["dialog-dismiss"],
      model: ["--json", "js", "window.model()"],
    };
    return others[verb] && [...others[verb], ...operands];
  }

  ref(line) {
    return /^\s*(@[ec]\d+) /.exec(line)?.[1];
  }

  /** Role and name. What only takes clicks has no role. */
  words(line) {
    const [, role = ""] = /^\s*@[ec]\d+ (?:([a-z]+)(?: |$))?/.exec(line) ?? [];
    return [role, quoted(line.replace(/ \[.*$/, ""))];
  }

  /** The command that a folded part of the snapshot names. */
  unfold(snapshot) {
    return /snapshot (?:-i )?-s @[ec]\d+/.exec(snapshot)?.[0].split(" ");
  }

  byText(text) {
    return `text=${text}`;
  }

  /** Warnings of an injection, and notes that the page hides something. */
  alarms(output) {
    return output.match(/(?:take the text|takes the text) for an injection[^\n]*|the text (?:asks|links)[^\n]*|no person sees parts of[^\n]*/g) ?? [];
  }

  modelIn(output) {
    const { result } = JSON.parse(output);
    return result?.value ?? result;
  }
}

export class AgentBrowser {
  name = "agent-browser";
  hasReceipts = false;

  constructor(program, folder, env) {
    Object.assign(this, { program, folder, env });
  }

  attempt(args) {
    return attempt([this.program, ...args], { cwd: this.folder, env: this.env, limit });
  }

  argv(verb, operands) {
    const plain = ["open", "click", "hover", "fill", "press", "select", "check", "uncheck", "drag", "download", "back"];
    if (plain.includes(verb)) return [verb, ...operands];
    const others = {
      snapshot: ["snapshot", "-i"],
      type: ["keyboard", "type"],
      doubleClick: ["dblclick"],
      accept: ["dialog", "accept"],
      dismiss: ["dialog", "dismiss"],
      text: ["get", "text", "body"],
      model: ["--json", "eval", "Promise.resolve(window.model())"],
    };
    return others[verb] && [...others[verb], ...operands];
  }

  ref(line) {
    const found = /ref=(e\d+)/.exec(line)?.[1];
    return found && `@${found}`;
  }

  words(line) {
    const [, role = ""] = /^\s*- ([A-Za-z]+)/.exec(line) ?? [];
    return [role.toLowerCase(), quoted(line)];
  }

  unfold() {
    return undefined;
  }

  byText(text) {
    return `text=${text}`;
  }

  modelIn(output) {
    return JSON.parse(output).data.result;
  }

  /** A dialog that a case left open would stop the next one. */
  async settle() {
    await this.attempt(["dialog", "dismiss"]);
  }

  async stop() {
    await this.attempt(["close", "--all"]).catch(() => {});
  }
}

/** Where a download of this case goes. */
export const downloadPlace = (tool, name) => path.join(tool.scratch?.project ?? tool.folder, name);
