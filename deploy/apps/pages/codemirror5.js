// Its input is a textarea in a box of no height that stands for the editor.
import CodeMirror from "codemirror5";
import "codemirror5/lib/codemirror.css";
import { editorPage, oldText } from "./lib/editor-page.js";

const { place, publish } = editorPage("CodeMirror 5");
const editor = CodeMirror(place, { value: oldText, lineNumbers: true });
publish(() => editor.getValue());
