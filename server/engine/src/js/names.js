// Accessible names, by Accessible Name and Description Computation 1.2.
//
// Where the specification leaves room, this does what Chromium does, so that a
// name here is the name a screen reader would speak.

import { callContext } from './call-context.js';
import { ELEMENT, FRAGMENT, SVG, TEXT, checkVisibility, documentById, documentSelectAll, firstChild, firstElementChild, hasAttribute, hasAttributes, labelControl, localName, namespaceURI, nextElementSibling, nextSibling, nodeType, optionLabel, parentNode, rootNode, shadowSelectAll, styleOf, textData, tidy } from './dom.js';
import { isHiddenWhole, isTextHidden } from './hidden.js';
import { attribute, inputType, list, selectAll, textContent } from './primordials.js';
import { roleOf } from './roles.js';
import { valueOf } from './states.js';
import { PRIVATE_USE, generatedText, renderedText } from './text.js';
import { eachChild, shadowOf } from './tree.js';
import { isShown } from './visibility.js';

/** Roles that take their name from what they contain. */
const NAME_FROM_CONTENT = new Set(
  'button link checkbox radio switch option menuitem menuitemcheckbox menuitemradio tab treeitem heading cell gridcell columnheader rowheader row tooltip'.split(' '),
);

/** Roles whose text belongs to themselves and not to the name of what contains them. */
const NO_TEXT_FOR_ANCESTORS = new Set('iframe audio video canvas embed meter progressbar scrollbar listbox menu menubar tree treegrid grid radiogroup tablist toolbar dialog alertdialog'.split(' '));

/**
 * One computation. `visited` stops cycles; `root` is the element named;
 * `referenced` is true while following aria-labelledby; `showHidden` while
 * inside a hidden element that was referenced.
 * @typedef {{visited: Set<Element>, root: Element, referenced: boolean, showHidden: boolean}} Naming
 */

/** @param {Element} element @param {string} [role] @returns {string} */
export const nameOf = (element, role = roleOf(element)) => {
  const direct = plainName(element, role);
  if (direct !== null) return direct;
  const computed = () => tidy(ownName(element, role, { visited: new Set(), root: element, referenced: false, showHidden: false }));
  const name = computed();
  if (name !== '' || callContext.hidden === null) return name;
  // Words for screen readers alone are better than none.
  const unseen = callContext.hidden;
  callContext.hidden = null;
  const whole = computed();
  callContext.hidden = unseen;
  return whole;
};

/** The common case, a button or link that holds nothing but text, without the full machinery. */
const plainName = (element, role) => {
  if (role !== 'link' && role !== 'button' && role !== 'heading') return null;
  if (callContext.usesGenerated || shadowOf(element)) return null;
  const only = firstChild(element);
  if (!only || nodeType(only) !== TEXT || nextSibling(only)) return null;
  if (hasAttribute(element, 'aria-label') || hasAttribute(element, 'aria-labelledby') || hasAttribute(element, 'aria-labeledby')) return null;
  if (role === 'button' && labelsOf(element).length > 0) return null;
  return tidy(renderedText(textData(only), element).replace(PRIVATE_USE, '')) || null;
};

/** The name of the element that the computation is about. */
const ownName = (element, role, naming) => {
  naming.visited.add(element);
  return referencedName(element, naming) || ariaLabel(element) || nativeName(element, role, naming) || contentName(element, role, naming) || tooltip(element);
};

/** The name by attribute alone. */
export const givenName = (element) =>
  hasAttributes(element) ? referencedName(element, { visited: new Set([element]), root: element, referenced: false, showHidden: false }) || ariaLabel(element) : '';

export const ariaLabel = (element) => tidy(attribute(element, 'aria-label') || '');

const tooltip = (element) => {
  const title = tidy(attribute(element, 'title') || '');
  if (title) return title;
  return placeholderOf(element);
};

export const placeholderOf = (element) => {
  const tag = localName(element);
  const native = (tag === 'input' && !['checkbox', 'radio', 'button', 'submit', 'reset', 'image', 'range', 'color', 'file'].includes(inputType(element))) || tag === 'textarea';
  return tidy((native && attribute(element, 'placeholder')) || attribute(element, 'aria-placeholder') || '');
};

const contentName = (element, role, naming) => (NAME_FROM_CONTENT.has(role) && localName(element) !== 'select' && localName(element) !== 'input' ? tidy(textOfContent(element, naming)) : '');

/** @returns {Element[]} The elements an attribute with ids points at, in the same tree. */
export const idReferences = (element, name) => {
  const value = attribute(element, name);
  if (!value) return [];
  const root = rootNode(element);
  return value.split(/\s+/).filter(Boolean).map((id) => (root === document ? documentById(document, id) : root instanceof ShadowRoot ? root.getElementById(id) : null)).filter(Boolean);
};

const referencedName = (element, naming) => {
  if (naming.referenced) return '';
  const name = hasAttribute(element, 'aria-labelledby') ? 'aria-labelledby' : 'aria-labeledby';
  const parts = [];
  for (const target of idReferences(element, name)) parts.push(tidy(referencedText(target, naming)));
  return parts.filter(Boolean).join(' ');
};

/** The text of a referenced element, which may be hidden. */
const referencedText = (target, naming) => {
  const hidden = !isShown(target) || attribute(target, 'aria-hidden') === 'true';
  const inner = { visited: new Set(naming.visited), root: naming.root, referenced: true, showHidden: hidden };
  if (target === naming.root) inner.visited.delete(target);
  return nodeText(target, inner, target !== naming.root);
};

/** Names are no place for deep trees, and each level costs several stack frames. */
const MAX_NESTING = 200;
/** The contribution of an element that was reached from another one. */
const nodeText = (element, naming, asValue = true) => {
  if (naming.visited.has(element) || callContext.nesting > MAX_NESTING) return '';
  callContext.nesting += 1;
  const text = visitedText(element, naming, asValue);
  callContext.nesting -= 1;
  return text;
};

const visitedText = (element, naming, asValue) => {
  naming.visited.add(element);
  const role = roleOf(element);
  const followed = referencedName(element, naming);
  if (followed) return followed;
  if (asValue && element !== naming.root) {
    const value = embeddedValue(element, role);
    if (value !== null) return value;
  }
  const given = ariaLabel(element) || nativeName(element, role, naming);
  if (given) return given;
  const text = NO_TEXT_FOR_ANCESTORS.has(role) && !naming.referenced ? '' : textOfContent(element, naming);
  return (text.trim() === '' && tooltip(element)) || text;
};

/** Rule 2C: a control inside the label of another widget counts with its value. */
const embeddedValue = (element, role) => {
  switch (role) {
    case 'textbox':
    case 'searchbox':
      return valueOf(element, role) || null;
    case 'combobox':
    case 'listbox':
      return valueOf(element, role) || null;
    case 'slider':
    case 'spinbutton':
    case 'scrollbar':
    case 'progressbar':
    case 'meter':
      return attribute(element, 'aria-valuetext') || attribute(element, 'aria-valuenow') || valueOf(element, role) || null;
  }
  return null;
};

/** The concatenated text of the flat-tree children, with ::before and ::after. */
const textOfContent = (element, naming) => {
  let text = generatedText(element, '::before');
  let gap = false;
  // An element inherits it from one around it, so that each is asked.
  const visible = naming.showHidden || naming.root === element || styleOf(element).visibility === 'visible';
  eachChild(element, (child) => {
    const type = nodeType(child);
    if (type === TEXT) {
      if (!visible || isTextHidden(callContext.hidden, element)) return;
      const data = textData(child);
      if (gap && data.trim() !== '') {
        text += ' ';
        gap = false;
      }
      text += renderedText(data, nodeType(parentNode(child)) === ELEMENT ? parentNode(child) : element);
    } else if (type === ELEMENT) {
      const part = childPart(child, naming);
      if (part === null) return;
      if (gap || part.apart) text += ' ';
      text += part.text;
      gap = part.apart;
    }
  });
  const after = generatedText(element, '::after');
  return (text + (gap ? ' ' : '') + after).replace(PRIVATE_USE, '');
};

/** Elements that hold no text of a name. */
const SILENT_TAGS = new Set(['script', 'style', 'template', 'head', 'meta', 'link', 'title', 'param', 'source', 'track', 'base', 'datalist', 'wbr', 'rp']);

/** @returns {?{text: string, apart: boolean}} Null for what contributes nothing; `apart` asks for spaces around it. */
const childPart = (child, naming) => {
  const tag = localName(child);
  if (tag === 'br') return { text: ' ', apart: true };
  if (isHiddenWhole(callContext.hidden, child)) return null;
  if (SILENT_TAGS.has(tag) && !(tag === 'title' && namespaceURI(child) === SVG)) return null;
  if (namespaceURI(child) === SVG && tag !== 'svg') return svgPart(child, tag, naming);
  const display = styleOf(child).display;
  if (!naming.showHidden && (attribute(child, 'aria-hidden') === 'true' || display === 'none')) return null;
  const text = nodeText(child, naming);
  if (naming.showHidden && !checkVisibility(child)) return { text, apart: true };
  return { text, apart: !(display === 'inline' || display === 'contents' || display.startsWith('ruby')) || isApart(child, tag, text) };
};

/** Text that comes from an attribute stands apart from the text around it. */
const isApart = (child, tag, text) => text !== '' && (tag === 'img' || tag === 'input' || tag === 'svg' || tag === 'select' || tag === 'textarea' || hasAttribute(child, 'aria-label') || hasAttribute(child, 'aria-labelledby'));

const svgPart = (child, tag, naming) => {
  if (!naming.showHidden && (attribute(child, 'aria-hidden') === 'true' || styleOf(child).display === 'none')) return null;
  if (tag === 'title' || tag === 'desc' || tag === 'metadata' || tag === 'defs' || tag === 'symbol') return null;
  return { text: nodeText(child, naming), apart: false };
};

// === Names that HTML and SVG give: labels, alt, legend, caption, title elements ===

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

export const labelsOf = (control) => {
  const root = rootNode(control);
  let labels = callContext.labelsByRoot.get(root);
  if (!labels) {
    labels = new Map();
    const all = nodeType(root) === ELEMENT ? selectAll(root, 'label') : nodeType(root) === FRAGMENT ? shadowSelectAll(root, 'label') : documentSelectAll(root, 'label');
    for (const label of list(all)) {
      const labelled = label instanceof HTMLLabelElement ? labelControl(label) : null;
      if (labelled) labels.set(labelled, [...(labels.get(labelled) || []), label]);
    }
    callContext.labelsByRoot.set(root, labels);
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
export const descriptionOf = (element, name) => {
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
