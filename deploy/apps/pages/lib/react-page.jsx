// Where a page made with React is drawn.

import { createRoot } from "react-dom/client";

export function draw(element) {
  document.body.insertAdjacentHTML("afterbegin", '<div id="app"></div>');
  createRoot(document.getElementById("app")).render(element);
}
