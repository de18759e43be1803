// Its input is a textarea of no size that stands for the editor.
import ace from "ace-builds/src-noconflict/ace";
import { editorPage, oldText } from "./lib/editor-page.js";

const { place, publish } = editorPage("Ace");
place.style.height = "200px";
const editor = ace.edit(place, { value: oldText, useWorker: false });
publish(() => editor.getValue());
