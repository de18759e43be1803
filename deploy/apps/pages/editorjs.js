import EditorJS from "@editorjs/editorjs";
import { editorPage, oldText } from "./lib/editor-page.js";

// Its blocks are saved asynchronously, so the model is what its own event reported last.
const { place, publish } = editorPage("Editor.js");
const shown = document.createElement("div");
const plain = (html) => {
  shown.innerHTML = html.replace(/<br>/g, "\n");
  return shown.textContent;
};
let text = oldText;
const editor = new EditorJS({
  holder: place,
  data: { blocks: oldText.split("\n").map((line) => ({ type: "paragraph", data: { text: line } })) },
  onChange: async (api) => {
    const { blocks } = await api.saver.save();
    text = blocks.map((block) => plain(block.data.text)).join("\n");
  },
});
editor.isReady.then(() => {
  publish(() => text);
  const { model } = window;
  window.model = async () => {
    const { blocks } = await editor.save();
    text = blocks.map((block) => plain(block.data.text)).join("\n");
    return model();
  };
});
