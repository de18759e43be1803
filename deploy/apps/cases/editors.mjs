// Editors: what is filled or typed must be what their own model holds, once, and
// nowhere else.

import { oldText } from "../pages/lib/old-text.js";

const editors = ["tiptap", "lexical", "quill", "slate", "ckeditor", "tinymce", "draft", "codemirror", "monaco", "trix", "editorjs", "ace", "codemirror5"];
const untouched = { title: "Untitled" };
/** What an agent takes for the editor: what can be edited and is not the title. */
const editor = { role: "textbox|document|application|paragraph|generic|textarea|editor|", not: /^Title$|Save|Bold|Get all features|^Normal$/ };
/** Editors differ in how many line breaks stand between two paragraphs. */
const lines = (wanted) => ({ text, title }) => text.replace(/\n+/g, "\n") === wanted && title === "Untitled";

const kinds = {
  async "fill"(agent, app) {
    await agent.open(app);
    await agent.fill(await agent.see(editor), "A new text");
    await agent.holds({ text: "A new text", ...untouched });
    agent.receipt("A new text");
  },
  async "fill twice"(agent, app) {
    await agent.open(app);
    await agent.fill(await agent.see(editor), "The first of two texts");
    await agent.fill(await agent.see(editor), "The second");
    await agent.holds({ text: "The second", ...untouched });
    agent.receipt("The second");
  },
  async "fill two lines"(agent, app) {
    await agent.open(app);
    await agent.fill(await agent.see(editor), "First line\nSecond line");
    await agent.holds(lines("First line\nSecond line"));
  },
  async "fill signs"(agent, app) {
    await agent.open(app);
    const text = "Müller & Söhne <b>5 €</b> 🙂 (a) [b] 'c'";
    await agent.fill(await agent.see(editor), text);
    await agent.holds(({ text: held, title }) => held.replace(/[)\]}'"]+$/, "") === text.replace(/'$/, "") && title === "Untitled");
  },
  async "empty it"(agent, app) {
    await agent.open(app);
    await agent.fill(await agent.see(editor), "");
    await agent.holds({ text: "", ...untouched });
  },
  async "type at the end"(agent, app) {
    await agent.open(app);
    await agent.click(await agent.see(editor));
    await agent.press("Control+End");
    await agent.type(" and more");
    await agent.holds(lines(`${oldText} and more`));
  },
  async "fill, then save"(agent, app) {
    await agent.open(app);
    await agent.fill(await agent.see(editor), "Twelve signs");
    await agent.click(await agent.see({ role: "button", name: "Save" }));
    await agent.holds({ text: "Twelve signs", ...untouched });
    await agent.told("Saved 12 characters");
  },
};

export const cases = editors.flatMap((app) =>
  Object.entries(kinds).map(([title, run]) => ({ app, title, run: (agent) => run(agent, app) })),
);
