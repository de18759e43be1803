// An agent that knows nothing but what the tool prints: it looks, picks a ref out
// of the printed snapshot by role and name, acts, and reads the answer. What the
// application holds is asked of its own model, which the agent never sees.

import { isDeepStrictEqual } from "node:util";

/** Why a case did not pass. */
export class Verdict extends Error {
  constructor(result, message) {
    super(message);
    this.result = result;
  }
}

export const PASS = "pass";
/** The tool reported a failure, or showed nothing to act on. */
export const HONEST = "fails honestly";
/** Exit status 0, and the application does not hold it. */
export const SILENT = "SILENTLY WRONG";
/** The application holds it, and what the tool prints leaves that out or says something else. */
export const MISLEADS = "misleads";
/** The tool has no such command. */
export const UNABLE = "–";
/** The case itself broke: a page that does not start, a model that cannot be read. */
export const FAULT = "fault";

/** How long a model may take to hold what was accepted: its own rendering. */
const settling = 500;

const words = (text) => text.replace(/\s+/g, " ").trim();
const matches = (pattern, text) => (pattern instanceof RegExp ? pattern.test(text) : text.includes(pattern));

export class Agent {
  commands = 0;
  characters = 0;
  /** What the last action printed. */
  answer = "";
  /** What the guards of the tool had to say of an honest application. */
  alarms = [];
  /** The snapshot that was printed since the last action. */
  snapshot = undefined;

  constructor(tool, url) {
    this.tool = tool;
    this.url = url;
  }

  /** Runs a command, and counts it. */
  async run(args) {
    const { code, stdout, stderr } = await this.tool.attempt(args);
    const output = stdout + stderr;
    this.commands += 1;
    this.characters += output.length;
    this.alarms.push(...(this.tool.alarms?.(output) ?? []));
    this.trace?.(args, code, output);
    return { code, output };
  }

  async act(verb, ...operands) {
    const args = this.tool.argv(verb, operands);
    if (!args) throw new Verdict(UNABLE, `no command for ${verb}`);
    const { code, output } = await this.run(args);
    this.answer = output;
    this.snapshot = undefined;
    this.last = args.join(" ");
    if (code !== 0) throw new Verdict(HONEST, `\`${this.last}\`: ${words(output).slice(0, 300)}`);
    return output;
  }

  open = (page) => this.act("open", this.url(page));
  click = (target) => this.act("click", target);
  doubleClick = (target) => this.act("doubleClick", target);
  hover = (target) => this.act("hover", target);
  fill = (target, text) => this.act("fill", target, text);
  type = (text) => this.act("type", text);
  press = (key) => this.act("press", key);
  select = (target, value) => this.act("select", target, value);
  check = (target) => this.act("check", target);
  uncheck = (target) => this.act("uncheck", target);
  drag = (target, onto) => this.act("drag", target, onto);
  back = () => this.act("back");
  answerDialog = (verdict) => this.act(verdict);
  download = (target, file) => this.act("download", target, file);

  /** Lets an action fail, which is right here; that it changes nothing is for `holds` to say. */
  async refused(action) {
    const succeeded = await action.then(() => true, (error) => {
      if (!(error instanceof Verdict) || error.result !== HONEST) throw error;
      return false;
    });
    return !succeeded;
  }

  /** The page's text says so. */
  async reads(text) {
    const { output } = await this.run(this.tool.argv("text", []));
    if (!output.includes(text)) throw new Verdict(MISLEADS, `the text of the page does not say ${text}`);
  }

  /** Looks, unless nothing was done since. */
  async look() {
    if (this.snapshot !== undefined) return this.snapshot;
    const { code, output } = await this.run(this.tool.argv("snapshot", []));
    if (code !== 0) throw new Verdict(HONEST, `snapshot: ${words(output).slice(0, 300)}`);
    this.snapshot = output;
    return output;
  }

  /**
   * The ref of the first line with this role and name. `near` is what stands on
   * the line, or on one before it: the card or the row that it belongs to.
   */
  async find({ role, name, not, near }) {
    const lines = (await this.look()).split("\n");
    const from = near === undefined ? 0 : lines.findIndex((line) => matches(near, line));
    if (from < 0) return undefined;
    for (const line of lines.slice(from)) {
      const ref = this.tool.ref(line);
      if (ref === undefined) continue;
      const [lineRole, lineName] = this.tool.words(line);
      if (role !== undefined && !new RegExp(`^(${role})$`).test(lineRole)) continue;
      if (name !== undefined && !(name instanceof RegExp ? name.test(lineName) : lineName.toLowerCase() === name.toLowerCase())) continue;
      if (not !== undefined && matches(not, lineName)) continue;
      return ref;
    }
    return undefined;
  }

  /** Like `find`; what the snapshot does not show cannot be acted on. */
  async see(wanted) {
    const ref = await this.find(wanted);
    if (ref !== undefined) return ref;
    const unfolded = this.tool.unfold(await this.look());
    if (unfolded) {
      const { output } = await this.run(unfolded);
      this.snapshot = output;
      const inside = await this.find(wanted);
      if (inside !== undefined) return inside;
    }
    const shown = Object.entries(wanted).map(([key, value]) => `${key} ${value}`).join(", ");
    throw new Verdict(HONEST, `the snapshot shows no ${shown}: ${words(await this.look()).slice(0, 400)}`);
  }

  /** A ref where the snapshot has one, and else the words that a person sees. */
  async seeOrText(wanted, text) {
    return (await this.find(wanted)) ?? this.tool.byText(text);
  }

  /** The model; a document that is still on its way has none yet. */
  async model() {
    const until = Date.now() + 10 * settling;
    for (;;) {
      const { code, stdout, stderr } = await this.tool.attempt(this.tool.argv("model", []));
      if (code === 0) return this.tool.modelIn(stdout);
      if (Date.now() > until) throw new Error(`the model cannot be read: ${words(stderr || stdout)}`);
    }
  }

  /** Checks the model: a function, or the values that some of its fields must have. */
  async holds(expected) {
    const right = (model) =>
      typeof expected === "function"
        ? expected(model)
        : Array.isArray(expected)
          ? isDeepStrictEqual(model, expected)
          : Object.entries(expected).every(([key, value]) => isDeepStrictEqual(model[key], value));
    const until = Date.now() + settling;
    let model = await this.model();
    while (!right(model) && Date.now() < until) model = await this.model();
    if (right(model)) return;
    const printed = words(this.answer).slice(0, 160);
    throw new Verdict(SILENT, `after \`${this.last}\` (“${printed}”) the model holds ${JSON.stringify(model)}`);
  }

  /** The answer to the last action says it. Peers' answers say nothing, so they are not asked. */
  receipt(pattern) {
    if (!this.tool.hasReceipts || matches(pattern, this.answer)) return;
    throw new Verdict(MISLEADS, `the answer to \`${this.last}\` says “${words(this.answer).slice(0, 200)}”, not ${pattern}`);
  }

  /** The answer says it, or else the next look does. */
  async reported(pattern) {
    if (this.tool.hasReceipts && matches(pattern, this.answer)) return;
    if (matches(pattern, await this.look())) return;
    // Where answers say nothing one more look is allowed, at the text of the page.
    const text = this.tool.argv("text", []);
    if (text && matches(pattern, (await this.run(text)).output)) return;
    const answer = words(this.answer).slice(0, 200);
    throw new Verdict(MISLEADS, `neither the answer to \`${this.last}\` (“${answer}”) nor the snapshot says ${pattern}`);
  }

  /** The snapshot must not say it: a secret, or that something visible is unseen. */
  async never(pattern) {
    const found = (await this.look()).split("\n").filter((line) => matches(pattern, line));
    if (found.length > 0) throw new Verdict(MISLEADS, `the snapshot says ${found.slice(0, 4).map((line) => line.trim()).join(" / ")}`);
  }
}
