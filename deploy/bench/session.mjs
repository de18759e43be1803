// A session as an agent has it: open, look, fill a form, submit, read, go back,
// take a picture. Twenty commands, each a process of its own.

import { spawn } from "node:child_process";
import path from "node:path";
import { median } from "./process.mjs";

/** The steps; a target is what its line of the last snapshot names. */
export const steps = [
  ["open", "signup"],
  ["snapshot"],
  ["fill", "Full name", "Ada Lovelace"],
  ["fill", "Email", "ada@example.com"],
  ["fill", "Password", "correct horse"],
  ["select", "Country", "Norway"],
  ["check", "I agree to the terms"],
  ["checked", "I agree to the terms"],
  ["value", "Full name"],
  ["click", "Create account"],
  ["url"],
  ["title"],
  ["text"],
  ["snapshot"],
  ["click", "Read the stories"],
  ["text"],
  ["snapshot"],
  ["back"],
  ["screenshot"],
  ["url"],
];

/** What each tool runs for a step. */
const words = {
  browse: {
    open: (url) => ["goto", url],
    snapshot: () => ["snapshot", "-i"],
    checked: (ref) => ["is", "checked", ref],
    value: (ref) => ["get", "value", ref],
    url: () => ["url"],
    title: () => ["get", "title"],
    text: () => ["text"],
    screenshot: (file) => ["screenshot", "--viewport", file],
  },
  "agent-browser": {
    open: (url) => ["open", url],
    snapshot: () => ["snapshot", "-i"],
    checked: (ref) => ["is", "checked", ref],
    value: (ref) => ["get", "value", ref],
    url: () => ["get", "url"],
    title: () => ["get", "title"],
    text: () => ["get", "text", "body"],
    screenshot: (file) => ["screenshot", file],
  },
};

/** Runs a program: how long it took and what it printed, errors included. */
function timed(argv, { cwd, env }) {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const child = spawn(argv[0], argv.slice(1), { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let [text, errors] = ["", ""];
    child.stdout.on("data", (chunk) => (text += chunk));
    child.stderr.on("data", (chunk) => (errors += chunk));
    child.on("error", reject);
    child.on("close", (code) => {
      resolve({ code, took: performance.now() - begun, text, errors, characters: text.length + errors.length });
    });
  });
}

/** How often a step is tried: a tool may look before a page that a click asked for is there. */
const TRIES = 10;

/** Repeats a step that fails, as an agent would: all of it counts. */
async function untilDone(argv, context) {
  const figure = { took: 0, characters: 0, repeats: -1 };
  while (figure.repeats < TRIES) {
    const { code, took, text, errors, characters } = await timed(argv, context);
    figure.took += took;
    figure.characters += characters;
    figure.repeats += 1;
    if (code === 0) return { ...figure, text };
    figure.printed = errors || text;
  }
  throw new Error(`\`${argv.join(" ")}\` failed ${TRIES} times: ${figure.printed}`);
}

/** One session of one tool: the figures of its steps. */
async function session(tool, pages) {
  let shown = "";
  const figures = [];
  for (const [kind, target, ...rest] of steps) {
    const subject = kind === "open" ? pages.url(target) : kind === "screenshot" ? path.join(tool.context.cwd, "session.png") : target && tool.refIn(shown, target);
    const own = words[tool.name][kind];
    const argv = own ? own(subject, ...rest) : [kind, ...(subject ? [subject] : []), ...rest];
    const { text, ...figure } = await untilDone([tool.program, ...argv], tool.context);
    if (kind === "snapshot") shown = text;
    figures.push(figure);
  }
  return figures;
}

/** The session on every tool that knows it, in turns: medians of each step. */
export async function measureSession20(tools, pages, rounds) {
  const able = tools.filter(({ name }) => words[name]);
  const gathered = Object.fromEntries(able.map(({ name }) => [name, []]));
  for (const tool of able) await session(tool, pages);
  for (let round = 0; round < rounds; round += 1) {
    for (const tool of able) gathered[tool.name].push(await session(tool, pages));
  }
  const of = (runs, key, step) => median(runs.map((run) => run[step][key]));
  const total = (runs, key) => median(runs.map((run) => run.reduce((sum, figure) => sum + figure[key], 0)));
  const summary = (runs) => ({
    steps: steps.map((_, step) => ({ took: of(runs, "took", step), characters: of(runs, "characters", step) })),
    took: total(runs, "took"),
    characters: total(runs, "characters"),
    repeats: runs.reduce((sum, run) => sum + run.reduce((all, { repeats }) => all + repeats, 0), 0),
  });
  return Object.fromEntries(Object.entries(gathered).map(([name, runs]) => [name, summary(runs)]));
}
