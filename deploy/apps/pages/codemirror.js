import { basicSetup, EditorView } from "codemirror";
import { editorPage, oldText } from "./lib/editor-page.js";

const { place, publish } = editorPage("CodeMirror 6");
const view = new EditorView({ doc: oldText, extensions: [basicSetup], parent: place });
publish(() => view.state.doc.toString());
