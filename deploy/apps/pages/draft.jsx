import { useState } from "react";
import { createRoot } from "react-dom/client";
import { ContentState, Editor, EditorState } from "draft-js";
import "draft-js/dist/Draft.css";
import { editorPage, oldText } from "./lib/editor-page.js";

const { place, publish } = editorPage("Draft.js");

function Article() {
  const [state, setState] = useState(() => EditorState.createWithContent(ContentState.createFromText(oldText)));
  publish(() => state.getCurrentContent().getPlainText("\n"));
  return <Editor editorState={state} onChange={setState} />;
}
createRoot(place).render(<Article />);
