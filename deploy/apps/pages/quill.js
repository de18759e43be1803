import Quill from "quill";
import "quill/dist/quill.snow.css";
import { editorPage, oldHtml } from "./lib/editor-page.js";

const { place, publish } = editorPage("Quill");
place.innerHTML = oldHtml;
const quill = new Quill(place, { theme: "snow" });
publish(() => quill.getText());
