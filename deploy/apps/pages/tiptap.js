import { Editor } from "@tiptap/core";
import StarterKit from "@tiptap/starter-kit";
import { editorPage, oldHtml } from "./lib/editor-page.js";

const { place, publish } = editorPage("tiptap");
const editor = new Editor({ element: place, extensions: [StarterKit], content: oldHtml });
publish(() => editor.getText({ blockSeparator: "\n" }));
