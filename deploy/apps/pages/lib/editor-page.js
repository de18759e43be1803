// What every page of an editor has: a field beside the editor, which a text that
// goes astray lands in, a button, and a model of both.

export { oldHtml, oldText } from "./old-text.js";

const markup = `
  <h1></h1>
  <p><label>Title <input id="title" value="Untitled"></label></p>
  <div id="editor"></div>
  <p><button id="save" type="button">Save</button> <output id="saved"></output></p>`;

/** Builds the page; `publish` is given the function that reads the editor's own model. */
export function editorPage(name) {
  document.body.insertAdjacentHTML("afterbegin", markup);
  document.querySelector("h1").textContent = `Article in ${name}`;
  const title = document.getElementById("title");
  const publish = (text) => {
    const trimmed = () => text().replace(/\r\n?/g, "\n").replace(/\u00a0/g, " ").replace(/\n+$/, "");
    window.model = () => ({ text: trimmed(), title: title.value });
    document.getElementById("save").addEventListener("click", () => {
      document.getElementById("saved").textContent = `Saved ${trimmed().length} characters`;
    });
  };
  return { place: document.getElementById("editor"), publish };
}
