// What is measured, on which page, and what ARCHITECTURE's section 9 asks of it.
//
// `bar` is the highest ratio of browse to agent-browser that is good enough.

export const works = [
  { id: "cold", title: "first command (`goto`), daemon and browser not running", page: "stories", bar: 0.5, cold: true },
  { id: "url", title: "`url`", page: "stories", bar: 1 },
  { id: "title", title: "evaluate `document.title`", page: "stories" },
  { id: "snapshot-stories", title: "`snapshot -i`, 30 stories", page: "stories", command: "snapshot" },
  { id: "snapshot-sections", title: "`snapshot -i`, 4,000 controls", page: "sections", command: "snapshot", bar: 0.1 },
  { id: "text", title: "`text`, 4,000 controls", page: "sections", bar: 1 },
  { id: "click", title: "`click` on a button, by ref", page: "form", bar: 0.5, target: "Count" },
  { id: "fill", title: "`fill` a field, by ref", page: "form", bar: 1, target: "Name" },
  { id: "screenshot", title: "`screenshot` of the viewport", page: "stories", bar: 1 },
  { id: "goto", title: "`goto`, 30 stories", page: "stories", bar: 1 },
];
