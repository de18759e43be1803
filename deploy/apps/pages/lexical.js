import { registerRichText } from "@lexical/rich-text";
import { createEmptyHistoryState, registerHistory } from "@lexical/history";
import { $createParagraphNode, $createTextNode, $getRoot, createEditor } from "lexical";
import { editorPage, oldText } from "./lib/editor-page.js";

const { place, publish } = editorPage("Lexical");
place.contentEditable = "true";
place.setAttribute("role", "textbox");
place.setAttribute("aria-label", "Article body");
const editor = createEditor({ namespace: "article", onError: (error) => { throw error; } });
editor.setRootElement(place);
registerRichText(editor);
registerHistory(editor, createEmptyHistoryState(), 300);
editor.update(() => {
  const root = $getRoot();
  for (const line of oldText.split("\n")) root.append($createParagraphNode().append($createTextNode(line)));
}, { discrete: true });
publish(() => editor.getEditorState().read(() => $getRoot().getChildren().map((node) => node.getTextContent()).join("\n")));
