import { Bold, ClassicEditor, Essentials, Heading, Italic, Link, List, Paragraph } from "ckeditor5";
import "ckeditor5/ckeditor5.css";
import { editorPage, oldHtml } from "./lib/editor-page.js";

const { place, publish } = editorPage("CKEditor 5");
const shown = document.createElement("div");
const plain = (html) => {
  shown.innerHTML = html.replace(/<br>/g, "\n");
  return [...shown.children].map((block) => block.textContent).join("\n");
};
ClassicEditor.create(place, {
  licenseKey: "GPL",
  initialData: oldHtml,
  plugins: [Essentials, Paragraph, Heading, Bold, Italic, Link, List],
  toolbar: ["undo", "redo", "|", "heading", "|", "bold", "italic", "link", "bulletedList"],
}).then((editor) => publish(() => plain(editor.getData())));
