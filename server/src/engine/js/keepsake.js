// The document as it may be kept: without scripts, and without what was typed
// into it or what only its session should know.

const setAttributeOf = (element, name, value) => Element.prototype.setAttribute.call(element, name, value);
const removeAttributeOf = (element, name) => Element.prototype.removeAttribute.call(element, name);
const removeElement = (element) => Element.prototype.remove.call(element);

const SESSION_META = /csrf|xsrf|token|nonce|secret|session/i;

/** Data in an address that is longer than this is of no use to anybody. */
const LONGEST_DATA = 200;

/** A copy without a view: no element of the page is upgraded or loaded by it. */
const keepsake = () => {
  const copy = document.implementation.createHTMLDocument('');
  const top = documentElement(document);
  if (!top) return { html: '' };
  const kept = Document.prototype.importNode.call(copy, top, true);
  for (const element of list(selectAll(kept, 'script,noscript,template,object,embed'))) removeElement(element);
  for (const element of [kept, ...list(selectAll(kept, '*'))]) scrub(element);
  return { html: whole(`<!DOCTYPE html>\n${outerHtml(kept)}\n`) };
};

const scrub = (element) => {
  const tag = localName(element);
  for (const name of attributeNames(element)) {
    const value = attribute(element, name);
    const script = name.startsWith('on') || name === 'nonce' || name === 'integrity' || name === 'srcdoc' || /^\s*javascript:/i.test(value);
    if (script || (name === 'value' && tag === 'input' && !LASTING_VALUES.has(attribute(element, 'type')))) removeAttributeOf(element, name);
    else if (value.length > LONGEST_DATA && /^\s*data:/i.test(value)) setAttributeOf(element, name, 'data:,');
  }
  if (tag === 'textarea' || (hasAttribute(element, 'contenteditable') && attribute(element, 'contenteditable') !== 'false')) emptyOut(element);
  if (tag === 'meta' && SESSION_META.test(`${attribute(element, 'name')}${attribute(element, 'property')}`)) removeAttributeOf(element, 'content');
};

/** Inputs whose value is a label, or says which of several they are. */
const LASTING_VALUES = new Set(['submit', 'button', 'reset', 'checkbox', 'radio', 'image']);

const emptyOut = (element) => {
  for (let child = firstChild(element); child; child = firstChild(element)) Node.prototype.removeChild.call(element, child);
};
