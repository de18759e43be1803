// A small MCP client over standard input and output: one JSON message a line.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** Time that a server gets for one answer, in milliseconds. */
const LIMIT = 60_000;

export class McpClient {
  #child;
  #waiting = new Map();
  #next = 1;

  /** Starts a server; nothing is sent yet. */
  constructor(argv, { cwd, env }) {
    this.#child = spawn(argv[0], argv.slice(1), { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
    const failAll = (why) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`${argv[0]}: ${why}`));
      this.#waiting.clear();
    };
    this.#child.on("error", (error) => failAll(error.message));
    this.#child.on("close", () => failAll("the server ended"));
    this.#child.stdin.on("error", () => {});
    createInterface({ input: this.#child.stdout }).on("line", (line) => this.#take(line));
  }

  #take(line) {
    const message = JSON.parse(line);
    const waiting = this.#waiting.get(message.id);
    if (message.method !== undefined) {
      // What a server asks of its client, such as `roots/list`: we offer nothing.
      if (message.id !== undefined) {
        const error = { code: -32601, message: "not offered" };
        this.#send({ id: message.id, error });
      }
    } else if (waiting) {
      this.#waiting.delete(message.id);
      waiting.resolve({ ...message, characters: line.length });
    }
  }

  #send(message) {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  /** The answer to a request, with its result, and `characters`: the length of its line. */
  async request(method, params = {}) {
    const id = this.#next++;
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#send({ id, method, params });
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer to ${method} in ${LIMIT} ms`)), LIMIT);
    });
    const message = await Promise.race([answer, late]).finally(() => clearTimeout(timer));
    if (message.error) throw new Error(`${method}: ${message.error.message}`);
    return message;
  }

  /** The handshake; milliseconds from `begun` to the answer. */
  async initialize(begun) {
    const clientInfo = { name: "browse-bench", version: "1" };
    await this.request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    const took = performance.now() - begun;
    this.#send({ method: "notifications/initialized" });
    return took;
  }

  /** Ends the server. */
  async close() {
    const ended = new Promise((resolve) => this.#child.once("close", resolve));
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill(), 3_000);
    await ended;
    clearTimeout(timer);
  }
}
