// The table of cases, and what lies behind what did not pass.

import { HONEST, MISLEADS, PASS, SILENT } from "./agent.mjs";

const cell = (text) => String(text).replaceAll("|", "\\|").replaceAll("\n", " ");

function counts(rows) {
  const number = (result) => rows.filter((row) => row.result === result).length;
  const rest = rows.length - [PASS, HONEST, SILENT, MISLEADS].reduce((sum, result) => sum + number(result), 0);
  const parts = [
    `${number(PASS)} of ${rows.length} pass`,
    `${number(SILENT)} silently wrong`,
    `${number(HONEST)} fail honestly`,
    `${number(MISLEADS)} mislead`,
  ];
  return [...parts, ...(rest > 0 ? [`${rest} not run`] : [])].join(", ");
}

/** Markdown: the sums, the table, the notes. */
export function report(rows, tools) {
  const of = (tool) => rows.filter((row) => row.tool === tool);
  const out = [];
  for (const tool of tools) out.push(`- ${tool}: ${counts(of(tool))}`);
  out.push("", `| application | case |${tools.map((tool) => ` ${tool} | commands | characters |`).join("")}`);
  out.push(`|---|---|${tools.map(() => "---|---:|---:|").join("")}`);
  for (const { app, title } of of(tools[0])) {
    const cells = tools.map((tool) => {
      const row = of(tool).find((other) => other.app === app && other.title === title);
      return ` ${row.result} | ${row.commands} | ${row.characters} |`;
    });
    out.push(`| ${app} | ${cell(title)} |${cells.join("")}`);
  }
  // Only what both can do is compared.
  const passed = of(tools[0]).filter(({ app, title }) =>
    tools.every((tool) => of(tool).find((row) => row.app === app && row.title === title).result === PASS));
  if (tools.length > 1 && passed.length > 0) {
    const sums = tools.map((tool) => {
      const both = of(tool).filter((row) => passed.some(({ app, title }) => app === row.app && title === row.title));
      return `${tool} ${both.reduce((sum, row) => sum + row.commands, 0)} commands and ${both.reduce((sum, row) => sum + row.characters, 0)} characters`;
    });
    out.push("", `The ${passed.length} cases that all pass: ${sums.join(", ")}.`);
  }
  for (const tool of tools) {
    const notes = of(tool).filter(({ note }) => note);
    if (notes.length > 0) out.push("", `What did not pass with ${tool}:`, "");
    for (const { app, title, result, note } of notes) out.push(`- ${app}, ${title}: ${result}: ${cell(note)}`);
  }
  return `${out.join("\n")}\n`;
}

/** What `make test` adds up: the closing lines of node's test runner. */
export function summary(rows) {
  const failed = rows.filter(({ result }) => result !== PASS);
  const lines = failed.map(({ app, title, result, note }) => `not ok: ${app}, ${title}: ${result}: ${note}`);
  return [...lines, `# pass ${rows.length - failed.length}`, `# fail ${failed.length}`, ""].join("\n");
}
