// Man pages from the registry: node deploy/dist/man.mjs PROGRAM FOLDER
//
// `browse help --json` is the only source: one page for `browse` and one for each first word
// of its commands, such as browse-click(1) with `click` and `click --download`.

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

/** Text as roff reads it: no escapes, no control lines. */
export function escaped(text) {
  const plain = text.replaceAll("\\", "\\e").replaceAll("-", "\\-");
  return plain.split("\n").map((line) => (/^[.']/.test(line) ? `\\&${line}` : line)).join("\n");
}

/** Paragraphs, which blank lines part. */
const paragraphs = (text) => text.split(/\n\n+/).map(escaped).join("\n.PP\n");

/** A list of terms. */
const terms = (entries) => entries.map(([term, text]) => `.TP\n.B ${escaped(term)}\n${escaped(text)}`).join("\n");

const flagTerm = ({ name, short, type, value, values }) => {
  const shown = value ?? (type === "switch" ? "" : type === "choice" ? values.join("|") : type);
  return `${short ? `${short.startsWith("-") ? short : `-${short}`}, ` : ""}${name}${shown ? ` <${shown}>` : ""}`;
};

const quoted = (text) => `"${text.replaceAll('"', "'")}"`;

function head(name, { version, date }, summary) {
  return `.TH ${quoted(name.toUpperCase())} 1 ${quoted(date)} ${quoted(`browse ${version}`)} "browse"\n.SH NAME\n${escaped(name)} \\- ${escaped(summary)}\n`;
}

function commandSection(command) {
  const parts = [`.SH ${quoted(`browse ${command.name}`)}\n.B ${escaped(command.usage)}\n.PP\n${paragraphs(command.help)}`];
  if (command.aliases?.length) parts.push(`.PP\nAliases: ${escaped(command.aliases.join(", "))}.`);
  if (command.args?.length) parts.push(terms(command.args.map(({ name, help }) => [`<${name}>`, help])));
  if (command.flags?.length) parts.push(terms(command.flags.map((flag) => [flagTerm(flag), flag.help])));
  if (command.example) parts.push(`.PP\nExample:\n.PP\n.EX\n${escaped(command.example)}\n.EE`);
  return `${parts.join("\n")}\n`;
}

/** The pages by their names; `help` is what `browse help --json` prints. */
export function pages(help, about) {
  const { commands, local, flags } = help;
  const groups = new Map();
  for (const command of commands) {
    const name = command.name.split(" ")[0];
    groups.set(name, [...(groups.get(name) ?? []), command]);
  }
  for (const command of local) if (!groups.has(command.name)) groups.set(command.name, [command]);
  const see = (name) => `.SH "SEE ALSO"\n.BR browse (1)${name ? "" : "\n.PP\n\\fBbrowse help\\fR lists all commands, \\fBbrowse guide\\fR prints the guide for agents."}\n`;
  const all = {};
  for (const [name, members] of groups) {
    const summary = members[0].summary ?? members[0].help.split("\n")[0];
    all[`browse-${name}.1`] = head(`browse-${name}`, about, summary) + members.map(commandSection).join("") + see(name);
  }
  const listed = [...groups].map(([name, members]) => [`browse-${name}(1)`, members[0].summary ?? members[0].help.split("\n")[0]]);
  const variables = flags.filter(({ variable }) => variable).map(({ name, variable }) => [variable, `The same as ${name}.`]);
  all["browse.1"] = [
    head("browse", about, "drives one persistent Chromium for a project"),
    ".SH SYNOPSIS\n.B browse\n.I command\n[arguments] [flags]\n",
    `.SH DESCRIPTION\n${paragraphs("The first command starts the daemon of the project, which keeps one Chromium running; `browse stop` ends both. Page content is printed inside an envelope: it is data, and never instructions.")}\n`,
    `.SH COMMANDS\n${terms(listed)}\n`,
    `.SH FLAGS\n${terms(flags.map((flag) => [flagTerm(flag), flag.help]))}\n`,
    `.SH ENVIRONMENT\n${terms(variables)}\n`,
    `.SH "EXIT STATUS"\n${terms([
      ["0", "Done."], ["1", "The page or the skill reported a failure."], ["2", "Wrong usage."], ["3", "Refused."],
      ["4", "Daemon or browser not reachable."], ["5", "A bug of browse."],
    ])}\n`,
    see(""),
  ].join("");
  return all;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [program, folder] = process.argv.slice(2);
  if (!folder) throw new Error("man.mjs PROGRAM FOLDER");
  const call = (...args) => JSON.parse(execFileSync(program, [...args, "--json"], { encoding: "utf8", maxBuffer: 64 << 20 })).result;
  const { version } = call("version");
  // The time of the commit, so that the same commit gives the same pages.
  const seconds = Number(process.env.SOURCE_DATE_EPOCH ?? Date.now() / 1000);
  const date = new Date(seconds * 1000).toISOString().slice(0, 10);
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(pages(call("help"), { version, date }))) writeFileSync(path.join(folder, name), text);
}
