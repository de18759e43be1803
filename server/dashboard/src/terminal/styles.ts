// Lets xterm.js 6.0.0 work under a policy that allows no inline styles: its style elements become
// style sheets of the document, and its style attributes are set by script. Its own option
// `documentOverride` does not cover the scroll bar and the rows.

// The letters of the rows are spans, whose attribute `style` the policy would refuse.
HTMLSpanElement.prototype.setAttribute = function (name: string, value: string) {
  if (name === 'style') this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
};

/** Runs `open`, which makes all style elements of a terminal. */
export function withoutInlineStyles(open: () => void): void {
  document.createElement = createElement as typeof document.createElement;
  try {
    open();
  } finally {
    // What is left is that of the prototype.
    Reflect.deleteProperty(document, 'createElement');
  }
}

function createElement(tag: string): HTMLElement {
  return tag === 'style' ? styleElement() : plainElement(tag);
}

function plainElement(tag: string): HTMLElement {
  return Document.prototype.createElement.call(document, tag);
}

/** Stands in for a style element: its text is a sheet of the document until it is removed. */
function styleElement(): HTMLElement {
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  const element = plainElement('span');
  element.hidden = true;
  Object.defineProperty(element, 'textContent', { set: (text: string) => void sheet.replaceSync(text) });
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
    Element.prototype.remove.call(element);
  };
  return element;
}
