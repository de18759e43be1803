import { useState } from "react";
import { createRoot } from "react-dom/client";
import { createEditor, Node } from "slate";
import { withHistory } from "slate-history";
import { Editable, Slate, withReact } from "slate-react";
import { editorPage, oldText } from "./lib/editor-page.js";

const { place, publish } = editorPage("Slate");
const initial = oldText.split("\n").map((text) => ({ type: "paragraph", children: [{ text }] }));

function Article() {
  const [editor] = useState(() => withHistory(withReact(createEditor())));
  publish(() => editor.children.map((node) => Node.string(node)).join("\n"));
  return (
    <Slate editor={editor} initialValue={initial}>
      <Editable placeholder="Write something" />
    </Slate>
  );
}
createRoot(place).render(<Article />);
