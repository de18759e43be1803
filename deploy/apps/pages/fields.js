// Fields that no library draws: the body of a frame, EditContext, and
// fields in shadow trees.

const old = "Old text";
const trimmed = (text) => text.replace(/\u00a0/g, " ").replace(/\n+$/, "");

const frame = document.getElementById("frame").contentDocument;
frame.open();
frame.write(`<!doctype html><title>Letter</title><body contenteditable><p>${old}</p></body>`);
frame.close();

// An editor that draws its own text and takes input from an EditContext alone.
const drawn = document.getElementById("edit-context");
const context = new EditContext({ text: old, selectionStart: old.length, selectionEnd: old.length });
const draw = () => { drawn.textContent = context.text; };
draw();
drawn.editContext = context;
context.addEventListener("textupdate", draw);
drawn.addEventListener("keydown", (event) => {
  const [from, to] = [context.selectionStart, context.selectionEnd].sort((a, b) => a - b);
  const edit = (start, end) => {
    context.updateText(start, end, "");
    context.updateSelection(start, start);
    draw();
  };
  if (event.ctrlKey && event.key === "a") context.updateSelection(0, context.text.length);
  else if (event.key === "End") context.updateSelection(context.text.length, context.text.length);
  else if (event.key === "Backspace" && (from < to || from > 0)) edit(from < to ? from : from - 1, to);
  else if (event.key === "Delete") edit(from, from < to ? to : Math.min(to + 1, context.text.length));
});

// A field in a shadow tree, open or closed.
const fields = {};
const define = (mode) => customElements.define(`${mode}-field`, class extends HTMLElement {
  connectedCallback() {
    const root = this.attachShadow({ mode });
    root.innerHTML = `<p><label>Name in ${mode === "open" ? "an open" : "a closed"} tree <input value="${old}"></label></p>`;
    fields[mode] = root.querySelector("input");
  }
});
define("open");
define("closed");

window.model = () => ({
  frame: trimmed(frame.body.innerText),
  editContext: context.text,
  open: fields.open.value,
  closed: fields.closed.value,
  title: document.getElementById("title").value,
});
