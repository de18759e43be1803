// The report: docs/benchmarks.md.

import { asked } from "./languages.mjs";
import { COUNT } from "./listing.mjs";
import { steps } from "./session.mjs";

const ms = (value) => (value < 10 ? value.toFixed(1) : Math.round(value).toString());
const cell = (figure) => (figure ? `${ms(figure.median)} (${ms(figure.p95)})` : "–");
const table = (head, rows) =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");

function verdict(held, text) {
  return `${text}: ${held ? "held" : "**missed**"}`;
}

function workRow({ work, figures }) {
  const [ours, peer, playwright] = ["browse", "agent-browser", "@playwright/cli"].map((name) => figures[name]);
  const ratio = ours && peer ? ours.median / peer.median : undefined;
  const bar = work.bar === undefined || ratio === undefined ? "" : verdict(ratio <= work.bar, `≤ ${work.bar}`);
  return [work.title, cell(ours), cell(peer), ratio?.toFixed(2) ?? "–", cell(playwright), bar];
}

function works(results) {
  const head = ["work", "browse", "agent-browser", "ratio", "@playwright/cli", "bar on the ratio"];
  return table(head, results.map(workRow));
}

function sizes(rows, tools) {
  const peers = tools.filter((name) => name !== "browse");
  const one = (figure) => (figure ? `${figure.characters} (${figure.refs})` : "–");
  const below = (row) => row.browse && peers.every((name) => !row[name] || row.browse.characters < row[name].characters);
  const body = rows.map((row) => [
    row.page,
    ...tools.map((name) => one(row[name])),
    row.browse ? verdict(below(row), "below every peer") : "",
  ]);
  return table(["page", ...tools, "bar"], body);
}

/** The session of twenty commands, step by step. */
function session20(figures) {
  const names = Object.keys(figures ?? {});
  if (names.length === 0) return "Not measured in this run.";
  const head = ["step", ...names.map((name) => `${name}, ms`), ...names.map((name) => `${name}, characters`)];
  const row = (title, of) => [title, ...names.map((name) => ms(of(figures[name]).took)), ...names.map((name) => of(figures[name]).characters)];
  const rows = steps.map(([kind, target = ""], step) => row(`${step + 1}. ${kind} ${target}`.trim(), (one) => one.steps[step]));
  const [ours, peer] = [figures.browse, figures["agent-browser"]];
  const bar = ours && peer ? ` ${verdict(ours.took < peer.took && ours.characters < peer.characters, "Less time and fewer characters than agent-browser")}.` : "";
  const repeats = names.map((name) => `${name} ${figures[name].repeats}`).join(", ");
  return `${table(head, [...rows, row("**all**", (one) => one)])}\n\nSteps that failed and were repeated, in all rounds: ${repeats}.${bar}`;
}

/** The MCP servers, with the bars of ours. */
function mcp(figures) {
  if (!figures) return "Not measured in this run.";
  const of = (session, key) => (session ? (key === "took" ? ms(session.took) : session[key]) : "–");
  const rows = figures.rows.map(({ name, tools, characters, start, session }) => [
    name, tools, characters, ms(start), of(session, "calls"), of(session, "characters"), of(session, "took"),
  ]);
  const head = ["server", "tools", "characters of `tools/list`", "start to `initialize`, ms", "calls", "characters", "ms"];
  const { characters, start, session } = figures.rows.find(({ name }) => name === "browse");
  const bars = [
    verdict(characters <= 8000, "`tools/list` ≤ 8,000 characters"),
    verdict(start <= 20, "start ≤ 20 ms"),
    verdict(session.calls <= 6 && session.characters <= 12_000, "session in ≤ 6 calls and ≤ 12,000 characters"),
  ];
  return `${table(head, rows)}\n\n${bars.join("; ")}.`;
}

/** Tabs at once: the bar of what waits, and of what works. */
function parallel(figures, cores) {
  if (!figures) return "Not measured in this run.";
  const { count, waitOne, waitAll, textOne, textAll } = figures;
  const limit = (1.3 * count * textOne) / cores;
  const rows = [
    ["wait 300 ms in the page", ms(waitOne), ms(waitAll), verdict(waitAll < 2 * waitOne, "under twice one")],
    ["`text`, 4,000 controls", ms(textOne), ms(textAll), verdict(textAll <= limit, `≤ 1.3 × sum ÷ ${cores} cores (${ms(limit)})`)],
  ];
  return table(["work", "one tab", `a batch over ${count} tabs`, "bar"], rows);
}

function own({ session, remote, listing, memory }) {
  const rows = [];
  if (session) {
    rows.push(["a new isolated session and its first tab (two commands)", cell(session), verdict(session.median <= 20, "≤ 20 ms")]);
  }
  if (remote) {
    const { here, remotely } = remote;
    rows.push([`\`snapshot -i\` by a paired agent, over TLS (here ${cell(here)})`, cell(remotely), ""]);
  }
  if (listing) {
    const { list, url } = listing;
    rows.push([`\`skill list\`, ${COUNT} skills (\`url\` ${cell(url)})`, cell(list), verdict(list.median < 10, "< 10 ms")]);
  }
  if (memory.browse) {
    const peers = Object.entries(memory).filter(([name]) => name !== "browse");
    const others = peers.map(([name, value]) => `${name} ${value.toFixed(0)}`).join(", ");
    rows.push([`memory of the daemon with 20 tabs, in MiB (${others})`, memory.browse.toFixed(1), verdict(memory.browse < 25, "< 25 MiB")]);
  }
  return rows.length > 0 ? table(["what", "browse", "bar"], rows) : "Not measured in this run.";
}

/** One skill in three languages. */
function languages(data) {
  if (!data) return "Not measured in this run.";
  const row = (one) => [
    one.name, `${one.same} of ${data.runs}`, cell(one), ms(one.bare), ms(one.own), verdict(one.held, asked(one)),
  ];
  const head = ["language", "runs with the same bytes", "`skill run`", "bare start of the runtime", "its own", "bar"];
  const printed = `Each run printed the same ${data.bytes} bytes (SHA-256 \`${data.hash.slice(0, 16)}…\`). A page load in a session of its own, as a run has it, takes ${ms(data.load)} ms; what is left beside that and the bare start is the skill's own.`;
  const beside = data.peer && ` gstack's own 150 ms were measured where agent-browser's \`goto\` of 30 stories took 50 ms; here that takes ${ms(data.peer)}, in turns with the runs, so gstack would take some ${ms(data.gstack)}.`;
  return `${table(head, data.rows.map(row))}\n\n${printed}${beside ?? ""}`;
}

export function report(data) {
  const { machine, versions, tools } = data;
  return `<!-- Generated by \`make bench\`. Do not edit. -->
# Benchmarks

Whole processes, timed with \`hyperfine -N\` on pages served from loopback, the
tools in turns (A B A B, ${data.rounds} rounds). Milliseconds: median, and the 95th percentile
in brackets. Absolute figures move from run to run: compare within a run. A ratio
is browse's median over agent-browser's.

- Machine: ${machine.system}, kernel ${machine.kernel}, ${machine.processor}, ${machine.cores} cores,
  ${machine.memory} GiB; load ${machine.load.toFixed(1)} at the start; ${machine.date}.
- Tools: ${versions.join("; ")}; node ${process.versions.node}.
- Browsers: ${data.browsers}.
- gstack's browse is not on npm and is left out. agent-browser's native program is
  called directly, without its node launcher. @playwright/cli has no \`-i\`: its
  snapshot is the whole tree.
- "Not running" means no daemon and no browser; their files are in the cache of the
  operating system.

## Time

${works(data.works)}

## browse alone

${own(data)}

## One skill in three languages

${languages(data.languages)}

## A session of twenty commands

Side by side, each command a process of its own, on a warm daemon. Characters are
all that is printed, browse's envelopes included.

${session20(data.session20)}

## MCP servers

The same session through MCP, in as few calls as each server allows. Start: from the
start of the program, with the daemon of browse running, to the answer to
\`initialize\`. Characters are the text that a model gets; the snapshot of the stories
through browse has a budget of 1,000 tokens, which the others do not offer.

${mcp(data.mcp)}

## Tabs at once

Milliseconds, whole processes.

${parallel(data.parallel, machine.cores)}

## Size of \`snapshot -i\`

Characters, and the number of refs in brackets. browse's count includes the lines
of the untrusted-content envelope.

${sizes(data.sizes, tools)}
`;
}
