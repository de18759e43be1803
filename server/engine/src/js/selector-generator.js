// How a recorded step names its element again, on another day: by what its
// author meant to last, and by its place only when nothing else tells it.

import { ELEMENT, areaValue, attributeNames, closest, firstChild, hasAttribute, inputValue, isConnected, isContentEditable, localName, nextSibling, nodeType, parentNode, rootNode, shadowHost, tidy } from './dom.js';
import { PICKER_TYPES, UNFILLABLE_TYPES, fieldOf } from './fill.js';
import { whole } from './markup.js';
import { nameOf } from './names.js';
import { attribute, documentElement, inputType, list, outerHtml, selectAll } from './primordials.js';
import { roleOf } from './roles.js';
import { isFormControl, isSecret } from './secrets.js';
import { focusedElement, valueOf } from './states.js';
import { clip, findAll, findOne, isField, shownText } from './targets.js';
import { WRAPPERS, beginCall } from './walk.js';
/** @import { Target } from './targets.js' */

/** Attributes that authors put there for programs. */
const TEST_IDS = ['data-testid', 'data-test-id', 'data-test', 'data-cy', 'data-qa'];

/** Parts of the page that are known without a name. */
const LANDMARK_ROLES = new Set(['main', 'navigation', 'banner', 'contentinfo', 'search', 'form', 'table', 'list', 'article', 'dialog']);

const LONGEST_NAME = 80;
const MOST_CANDIDATES = 4;

/** Ids that a program made up differ with the next visit. */
const MADE_UP = /\d{2,}|[^\w-]|[a-z]\d+[a-z]+\d|^(?:ember|react|radix|mui|headlessui|yui|ext|gwt|__)|^[0-9a-f]{8,}$|^.$|.{50,}/i;

/**
 * @param {{target: ?Target, reading: boolean}} argument Without a target the
 *   element that has the focus.
 * @returns What it is, and targets that find it and nothing else, best first.
 */
export const footing = ({ target, reading }) => {
  beginCall();
  const element = target ? findOne(target) : focusedElement();
  if (!element) return { candidates: [] };
  const field = fieldOf(element);
  return { ...kindOf(element), ...nameOfField(field), ...whereTo(element), secret: isSecret(field), identity: identityOf(field), path: places(field).next().value.selector, text: takesText(field), value: textOf(field), candidates: !target || target.kind === 'ref' ? candidatesFor(element, reading) : [] };
};

/** Numbers of fields, by which a recording knows one again however it is named. @type {Map<number, WeakRef<Element>>} */
const identified = new Map();
/** Those of another document begin elsewhere. */
let lastIdentity = Math.floor(Math.random() * 2 ** 40) * 1000;

const identityOf = (field) => {
  for (const [identity, known] of identified) if (known.deref() === field) return identity;
  lastIdentity += 1;
  identified.set(lastIdentity, new WeakRef(field));
  return lastIdentity;
};

/** Text that is longer is not kept. */
const LONGEST_TEXT = 10_000;

/** What a field for text holds, unless that is a secret. */
const textOf = (field) => {
  if (isSecret(field) || !takesText(field)) return null;
  const text = valueOf(field, 'textbox');
  return text.length <= LONGEST_TEXT ? whole(text) : null;
};

const takesText = (field) => field instanceof HTMLTextAreaElement || (field instanceof HTMLInputElement ? !UNFILLABLE_TYPES.has(inputType(field)) && !PICKER_TYPES.has(inputType(field)) : field instanceof HTMLElement && isContentEditable(field));

/** @param {{identity: number, typed: ?string}} argument @returns What the field holds, and whether that is just what was typed. */
export const fieldNow = ({ identity, typed }) => {
  const known = identified.get(identity);
  const field = known && known.deref();
  if (!field || !isConnected(field) || !takesText(field)) return {};
  const held = field instanceof HTMLInputElement ? inputValue(field) : field instanceof HTMLTextAreaElement ? areaValue(field) : textOf(field);
  return { value: textOf(field), asTyped: typeof typed === 'string' && held === typed };
};

/** What an element is, whatever it is called. */
export const kindOf = (element) => ({ tag: localName(element), role: roleOf(element), type: element instanceof HTMLInputElement ? inputType(element) : '' });

const isControl = (element) => isFormControl(element) || element instanceof HTMLButtonElement || element instanceof HTMLAnchorElement;

const nameOfField = (field) => ({ label: isControl(field) ? whole(clip(nameOf(field, roleOf(field)))) : '', field: whole(clip(attribute(field, 'name') || attribute(field, 'id') || '')), autocomplete: whole(clip(attribute(field, 'autocomplete') || '')) });

/** The address that clicking it asks for, when that changes nothing on the server. */
const whereTo = (element) => {
  const link = closest(element, 'a[href]');
  if (link) return leadsTo(attribute(link, 'href'));
  const control = closest(element, 'button,input');
  const form = control && closest(control, 'form');
  if (!form || (attribute(control, 'formmethod') || attribute(form, 'method') || 'get').toLowerCase() !== 'get') return {};
  return leadsTo(attribute(control, 'formaction') || attribute(form, 'action') || '');
};

const leadsTo = (address) => (URL.canParse(address, document.baseURI) ? { leads: new URL(address, document.baseURI).href } : {});

const candidatesFor = (element, reading) => {
  const found = [];
  for (const query of namings(element, reading)) {
    if (found.length === MOST_CANDIDATES) break;
    if (finds(query, element)) found.push(query);
  }
  return found;
};

/** Whether the target finds this element, and no other. */
const finds = (query, element) => {
  try {
    const all = findAll(query);
    return all.length === 1 && all[0] === element;
  } catch {
    return false;
  }
};

/** Ways to name it, best first. What is read changes its text, so that is no way to name it. */
function* namings(element, reading) {
  const tag = localName(element);
  for (const name of TEST_IDS) if (hasAttribute(element, name)) yield cssQuery(`[${name}=${cssText(attribute(element, name))}]`);
  const id = attribute(element, 'id');
  if (id && !MADE_UP.test(id)) yield cssQuery(`#${id}`);
  const role = roleOf(element);
  const name = shortName(nameOf(element, role));
  if (reading) {
    if (isField(role, element) && name) yield { kind: 'label', name };
    if (LANDMARK_ROLES.has(role)) yield { kind: 'role', role, name: null, states: [] };
    yield* places(element);
  }
  if (name && !WRAPPERS.has(role)) yield { kind: 'role', role, name, states: [] };
  if (name && isField(role, element)) yield { kind: 'label', name };
  const shown = shortName(shownText(element, tag));
  if (shown) yield { kind: 'text', name: shown };
  for (const given of ['name', 'href']) if (attribute(element, given)) yield cssQuery(`${tag}[${given}=${cssText(attribute(element, given))}]`);
  yield* places(element);
}

const cssQuery = (selector) => ({ kind: 'css', selector });

const cssText = (text) => `"${text.replace(/["\\]/g, '\\$&')}"`;

const shortName = (text) => {
  const short = tidy(whole(text));
  return short && short.length <= LONGEST_NAME ? { text: short, regex: false, flags: '' } : null;
};

/** By its place: from the nearest element with a lasting id down, through shadow trees. */
function* places(element) {
  const root = rootNode(element);
  const within = placeIn(element);
  if (!(root instanceof ShadowRoot)) yield cssQuery(within);
  else for (const outer of places(shadowHost(root))) yield cssQuery(`${outer.selector} >>> ${within}`);
}

const placeIn = (element) => {
  const steps = [];
  for (let node = element; node && nodeType(node) === ELEMENT; node = parentNode(node)) {
    const id = attribute(node, 'id');
    if (node !== element && id && !MADE_UP.test(id)) return [`#${id}`, ...steps].join(' > ');
    const tag = localName(node);
    if (tag === 'body' || tag === 'html') return [tag, ...steps].join(' > ');
    steps.unshift(`${CSS.escape(tag)}${nthOfType(node, tag)}`);
  }
  return steps.join(' > ');
};

const nthOfType = (element, tag) => {
  const parent = parentNode(element);
  let same = 0;
  let place = 0;
  for (let child = parent && firstChild(parent); child; child = nextSibling(child)) {
    if (nodeType(child) !== ELEMENT || localName(child) !== tag) continue;
    same += 1;
    if (child === element) place = same;
  }
  return same > 1 ? `:nth-of-type(${place})` : '';
};

// === The document as it may be kept: without scripts, and without what was typed ===
// into it or what only its session should know.

const setAttributeOf = (element, name, value) => Element.prototype.setAttribute.call(element, name, value);
const removeAttributeOf = (element, name) => Element.prototype.removeAttribute.call(element, name);
const removeElement = (element) => Element.prototype.remove.call(element);

const SESSION_META = /csrf|xsrf|token|nonce|secret|session/i;

/** Data in an address that is longer than this is of no use to anybody. */
const LONGEST_DATA = 200;

/** A copy without a view: no element of the page is upgraded or loaded by it. */
export const scrubbedHtml = () => {
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
