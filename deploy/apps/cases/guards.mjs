// What the guards make of honest applications: nothing is warned of, noted as hidden
// or lost, whatever the application is read with. Warnings and notes are counted by the
// agent, here and in all other cases.

import { MISLEADS, Verdict } from "../agent.mjs";

const apps = [
  "ace", "ckeditor", "codemirror", "codemirror5", "datepicker", "dndkit", "draft", "editorjs", "fields", "flatpickr", "form", "grid",
  "lexical", "masks", "monaco", "mui", "pangea", "quill", "select", "sheet", "slate", "sortable", "swagger", "tinymce", "tiptap", "trix",
];

const controls = (output) => output.split("\n").filter((line) => /^\s*@e\d+ /.test(line));
const nameOf = (line) => /"((?:[^"\\]|\\.)+)"/.exec(line)?.[1];

const reads = (app) => async (agent) => {
  await agent.open(app);
  const print = async (...args) => (await agent.run(args)).output;
  const [seen, raw] = [controls(await print("snapshot", "-i")), controls(await print("--raw", "snapshot", "-i"))];
  if (seen.length !== raw.length) throw new Verdict(MISLEADS, `${seen.length} controls instead of ${raw.length}`);
  const text = await print("text");
  await print("markdown");
  const rawText = await print("--raw", "text");
  const lost = seen.filter((line) => !line.includes("unseen")).map(nameOf).filter((name) => name && rawText.includes(name) && !text.includes(name));
  if (lost.length > 0) throw new Verdict(MISLEADS, `the text leaves out ${lost.slice(0, 4).join(", ")}`);
};

export const cases = apps.map((app) => ({ app, title: "the guards are silent", run: reads(app), browseOnly: true }));
