// Editors: what is filled or typed must be what their own model holds, once, and
// nowhere else.

import { oldText } from "../pages/lib/old-text.js";

const editors = ["tiptap", "lexical", "quill", "slate", "ckeditor", "tinymce", "draft", "codemirror", "monaco", "trix", "editorjs", "ace", "codemirror5"];
const untouched = { title: "Untitled" };
/** What an agent takes for the editor: what can be edited and is not the title. */
const editor = { role: "textbox|document|application|paragraph|generic|textarea|editor|", not: /^Title$|Save|Bold|Get all features|^Normal$/ };
/**
 * What the editor holds once its field holds `text`: in a block editor each block
 * is a field, and the second one stays.
 */
const whole = (app, text) => (app === "editorjs" ? [text, oldText.split("\n")[1]].filter(Boolean).join("\n") : text);
const typed = (app) => (app === "editorjs" ? oldText.replace("\n", " and more\n") : `${oldText} and more`);
/** Editors differ in how many line breaks stand between two paragraphs. */
const lines = (wanted) => ({ text, title }) => text.replace(/\n+/g, "\n") === wanted && title === "Untitled";

const kinds = {
  async "fill"(agent, app) {
    await agent.open(app);
    await agent.fill(await agent.see(editor), "A new text");
    await agent.holds({ text: whole(app, "A new text"), ...untouched });
    agent.receipt("A new text");
  },
  async "fill twice"(agent, app) {
    await agent.open(app);
    await agent.fill(await agent.see(editor), "The first of two texts");
    await agent.fill(await agent.see(editor), "The second");
    await agent.holds({ text: whole(app, "The second"), ...untouched });
    agent.receipt("The second");
  },
  async "fill two lines"(agent, app) {
    await agent.open(app);
    await agent.fill(await agent.see(editor), "First line\nSecond line");
    await agent.holds(lines(whole(app, "First line\nSecond line")));
  },
  async "fill signs"(agent, app) {
    await agent.open(app);
    const text = "Müller & Söhne <b>5 €</b> 🙂 (a) [b] 'c'";
    await agent.fill(await agent.see(editor), text);
    await agent.holds(({ text: held, title }) => held.replace(/[)\]}'"]+$/, "") === whole(app, text).replace(/'$/, "") && title === "Untitled");
  },
  async "empty it"(agent, app) {
    await agent.open(app);
    await agent.fill(await agent.see(editor), "");
    await agent.holds({ text: whole(app, ""), ...untouched });
  },
  async "type at the end"(agent, app) {
    await agent.open(app);
    await agent.click(await agent.see(editor));
    await agent.press("Control+End");
    await agent.type(" and more");
    await agent.holds(lines(typed(app)));
  },
  async "fill, then save"(agent, app) {
    await agent.open(app);
    await agent.fill(await agent.see(editor), "Twelve signs");
    await agent.click(await agent.see({ role: "button", name: "Save" }));
    const wanted = whole(app, "Twelve signs");
    await agent.holds({ text: wanted, ...untouched });
    // Editor.js reports what it holds a moment later.
    if (app !== "editorjs") await agent.reported(`Saved ${wanted.length} characters`);
  },
};

// A block of Editor.js has one line; another one is another block, which Enter makes.
export const cases = editors.flatMap((app) =>
  Object.entries(kinds).filter(([title]) => !(app === "editorjs" && title === "fill two lines")).map(([title, run]) => ({ app, title, run: (agent) => run(agent, app) })),
);
