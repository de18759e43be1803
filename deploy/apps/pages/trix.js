import "trix";
import "trix/dist/trix.css";
import { editorPage, oldHtml } from "./lib/editor-page.js";

const { place, publish } = editorPage("Trix");
place.innerHTML = '<input id="content" type="hidden"><trix-editor input="content"></trix-editor>';
const element = place.querySelector("trix-editor");
element.addEventListener("trix-initialize", () => {
  element.editor.loadHTML(oldHtml.replaceAll("p>", "div>"));
  publish(() => element.editor.getDocument().toString());
}, { once: true });
