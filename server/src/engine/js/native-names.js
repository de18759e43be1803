// Names that HTML and SVG give: labels, alt, legend, caption, title elements.

/** Step 2D of the computation, by HTML-AAM. @returns {string} */
const nativeName = (element, role, naming) => {
  const tag = localName(element);
  if (namespaceURI(element) === SVG) return svgName(element, tag, naming);
  switch (tag) {
    case 'input':
      return inputName(element, naming);
    case 'button':
    case 'select':
    case 'textarea':
    case 'meter':
    case 'progress':
    case 'output':
      return labelText(element, naming);
    case 'img':
    case 'area':
      return tidy(attribute(element, 'alt') || '');
    case 'fieldset':
      return partText(element, 'legend', naming);
    case 'figure':
      return partText(element, 'figcaption', naming);
    case 'table':
      return partText(element, 'caption', naming) || (hasAttribute(element, 'title') ? '' : tidy(attribute(element, 'summary') || ''));
    case 'optgroup':
      return tidy(attribute(element, 'label') || '');
    case 'option':
      return element instanceof HTMLOptionElement ? tidy(optionLabel(element)) : '';
    case 'object':
    case 'audio':
    case 'video':
      return '';
  }
  return tag.includes('-') ? labelText(element, naming) : '';
};

const inputName = (input, naming) => {
  const type = inputType(input);
  if (type === 'submit' || type === 'reset' || type === 'button') {
    const labelled = labelText(input, naming);
    if (labelled) return labelled;
    const value = attribute(input, 'value');
    if (value !== null && value !== '') return tidy(value);
    return value === null && type !== 'button' ? (attribute(input, 'title') ? '' : type === 'submit' ? 'Submit' : 'Reset') : '';
  }
  if (type === 'image') return labelText(input, naming) || tidy(attribute(input, 'alt') || '') || tidy(attribute(input, 'value') || '') || tidy(attribute(input, 'title') || '') || 'Submit';
  return labelText(input, naming);
};

/**
 * The labels of a control, in tree order. The browser's own list walks the
 * whole document for each control, so all labels of a tree are read once.
 * @type {WeakMap<Node, Map<Element, Element[]>>} Emptied at the start of each call.
 */
let labelsByRoot = new WeakMap();

const labelsOf = (control) => {
  const root = rootNode(control);
  let labels = labelsByRoot.get(root);
  if (!labels) {
    labels = new Map();
    const all = nodeType(root) === ELEMENT ? selectAll(root, 'label') : nodeType(root) === FRAGMENT ? shadowSelectAll(root, 'label') : documentSelectAll(root, 'label');
    for (const label of list(all)) {
      const labelled = label instanceof HTMLLabelElement ? labelControl(label) : null;
      if (labelled) labels.set(labelled, [...(labels.get(labelled) || []), label]);
    }
    labelsByRoot.set(root, labels);
  }
  return labels.get(control) || [];
};

/** The texts of all labels of a form control. */
const labelText = (control, naming) => {
  const labels = naming.visited.has(control) && naming.root !== control ? [] : labelsOf(control);
  if (labels.length === 0) return '';
  const parts = [];
  for (const label of labels) {
    if (naming.visited.has(label)) continue;
    const inner = { visited: new Set(naming.visited), root: naming.root, referenced: naming.referenced, showHidden: naming.showHidden || !isShown(label) };
    inner.visited.add(control);
    parts.push(tidy(labelOwnText(label, inner)));
  }
  return parts.filter(Boolean).join(' ');
};

const labelOwnText = (label, naming) => {
  naming.visited.add(label);
  return ariaLabel(label) || textOfContent(label, naming);
};

/** The text of the first child element with `tag`. */
const partText = (element, tag, naming) => {
  for (let child = firstElementChild(element); child; child = nextElementSibling(child)) {
    if (localName(child) === tag) return tidy(textOfContent(child, { ...naming, showHidden: naming.showHidden || !isShown(child) }));
  }
  return '';
};

const svgName = (element, tag, naming) => {
  for (let child = firstElementChild(element); child; child = nextElementSibling(child)) {
    if (localName(child) === 'title') return tidy(textContent(child));
  }
  if (tag === 'a') return tidy(element.getAttributeNS('http://www.w3.org/1999/xlink', 'title') || '');
  return '';
};

/** The accessible description. @param {Element} element @param {string} name @returns {string} */
const descriptionOf = (element, name) => {
  const parts = [];
  for (const target of idReferences(element, 'aria-describedby')) {
    parts.push(tidy(referencedText(target, { visited: new Set(), root: element, referenced: true, showHidden: false })));
  }
  const text = parts.filter(Boolean).join(' ') || tidy(attribute(element, 'aria-description') || '');
  if (text) return text;
  const title = tidy(attribute(element, 'title') || '');
  if (title && title !== name) return title;
  const tag = localName(element);
  if (tag === 'summary') return '';
  if (tag === 'table') return tidy(attribute(element, 'summary') || '');
  return '';
};
