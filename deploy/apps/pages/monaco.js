import * as monaco from "monaco-editor";
import { editorPage, oldText } from "./lib/editor-page.js";

self.MonacoEnvironment = { getWorker: () => new Worker("/monaco.worker.js") };
const { place, publish } = editorPage("Monaco");
place.style.height = "240px";
const editor = monaco.editor.create(place, { value: oldText, language: "plaintext", minimap: { enabled: false } });
publish(() => editor.getValue());
