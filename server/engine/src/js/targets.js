// Targets: from what a caller wrote to elements of this document.
//
// Names and texts match without regard to case and spacing. Whole matches win:
// only when nothing matches as a whole do parts count.

import { OPERABLE, ownText } from './clickable.js';
import { contextsOf } from './contexts.js';
import { ELEMENT, FRAGMENT, TEXT, closest, comparePosition, documentBody, documentSelectAll, firstChild, inputValue, localName, nextSibling, nodeType, rootNode, selectFirst, shadowHost, shadowSelectAll, textData, tidy } from './dom.js';
import { nameOf } from './names.js';
import { attribute, documentElement, inputType, list, selectAll, textContent } from './primordials.js';
import { beginRefs, elementOf, pending, refFor } from './refs.js';
import { Refusal } from './refusal.js';
import { roleOf } from './roles.js';
import { FIELDS } from './snapshot.js';
import { statesOf } from './states.js';
import { SKIPPED_TAGS } from './tags.js';
import { flatElements, shadowRootsWithin } from './tree.js';
import { isHiddenFromTree, isShown, isVisible } from './visibility.js';
import { WRAPPERS, isDropdownOption, walkFrom } from './walk.js';

/**
 * @typedef {{kind: 'ref', number: number}
 *   | {kind: 'css' | 'xpath', selector: string}
 *   | {kind: 'text' | 'label', name: Pattern}
 *   | {kind: 'role', role: string, name: ?Pattern, states: string[]}
 *   | {kind: 'nth', of: Target, index: number}} Target
 * @typedef {{text: string, regex?: boolean, flags?: string}} Pattern
 */

/** @param {Target} target @returns {Element[]} All matches in document order. */
export const findAll = (target) => {
  switch (target.kind) {
    case 'ref': {
      const element = elementOf(target.number);
      if (!element) throw new Refusal('stale');
      return [element];
    }
    case 'css':
      return byCss(target.selector);
    case 'xpath':
      return byXPath(target.selector);
    case 'text':
      return byText(target.name);
    case 'label':
      return byName(isField, target.name, []);
    case 'role':
      return byName((role) => role === target.role, target.name, target.states);
    case 'nth':
      return nth(findAll(target.of), target.index);
  }
  throw new Refusal('unknown-target');
};

/** One of several matches, from 0 on, or from -1 on backwards; of those that can be seen where any can. @returns {Element[]} */
const nth = (found, index) => {
  const seen = found.filter(isVisible);
  const counted = seen.length > 0 ? seen : found;
  const element = counted[index < 0 ? counted.length + index : index];
  return element ? [element] : [];
};

/** @param {Target} target @returns {Element} Exactly one: the only match, or the only one that can be seen. */
export const findOne = (target) => {
  const found = findAll(target);
  if (found.length === 1) return found[0];
  if (found.length === 0) throw new Refusal('not-found', target.kind === 'nth' ? { near: [], count: findAll(target.of).length } : { near: nearMisses(target) });
  const seen = found.slice(0, 200).filter(isVisible);
  if (seen.length === 1 && found.length <= 200) return seen[0];
  throw new Refusal('ambiguous', ambiguity(found, seen));
};

/** Candidates that an error shows. */
const MOST_SHOWN_MATCHES = 5;

/** How many there are, and the first of them with refs and with what tells them apart. */
const ambiguity = (found, seen) => {
  beginRefs();
  const candidates = (seen.length > 0 ? seen : found).slice(0, 200);
  const labels = candidates.map(labelOf);
  const contexts = contextsOf(candidates, labels);
  return {
    count: found.length,
    visible: found.length <= 200 ? seen.length : null,
    matches: candidates.slice(0, MOST_SHOWN_MATCHES).map((element, index) => [refFor(element), ...labels[index], contexts[index]]),
    serial: pending.serial,
    fresh: pending.elements.length,
  };
};

/** Role and name as they stand in a message; an element without a role shows its tag. @returns {[string, string]} */
export const labelOf = (element) => {
  const role = roleOf(element);
  const name = nameOf(element, role);
  if (!WRAPPERS.has(role)) return [role, clip(name)];
  return [localName(element), clip(name || tidy(ownText(element)))];
};

export const clip = (text) => {
  const whole = text.length > 80 ? `${text.slice(0, 79)}…` : text;
  return whole.isWellFormed() ? whole : whole.toWellFormed();
};

const FIELD_ROLES = new Set(['textbox', 'searchbox', 'combobox', 'listbox', 'checkbox', 'radio', 'switch', 'slider', 'spinbutton', 'meter', 'progressbar', 'radiogroup', 'group']);

/** What a label can be for; a chooser of files has the role of a button. */
export const isField = (role, element) => FIELD_ROLES.has(role) || (role === 'button' && element instanceof HTMLInputElement && inputType(element) === 'file');

/** `a >>> b` enters the shadow trees below `a`; without it every tree is searched by itself. */
const byCss = (selector) => {
  const steps = selector.split('>>>').map((step) => step.trim());
  const query = (root, step) => {
    try {
      return list(root === document ? documentSelectAll(document, step) : nodeType(root) === FRAGMENT ? shadowSelectAll(root, step) : selectAll(root, step));
    } catch {
      throw new Refusal('invalid-selector', { message: 'not a CSS selector' });
    }
  };
  steps.forEach((step) => query(document, step));
  let scopes = [document];
  let found = [];
  steps.forEach((step, index) => {
    const all = new Set();
    for (const scope of scopes) {
      if (index === 0) query(scope, step).forEach((element) => all.add(element));
      for (const root of shadowRootsWithin(scope)) query(root, step).forEach((element) => all.add(element));
    }
    found = [...all];
    scopes = found;
  });
  return steps.length > 1 || found.length < 2 ? found : inOrder(found);
};

/** Document order also across shadow trees. */
const inOrder = (elements) => (elements.every((element) => rootNode(element) === document) ? elements : [...elements].sort((a, b) => flatOrder(a, b)));

const flatOrder = (a, b) => {
  const hostOf = (element) => {
    let node = element;
    for (let root = rootNode(node); root instanceof ShadowRoot; root = rootNode(node)) node = shadowHost(root);
    return node;
  };
  const first = hostOf(a);
  const second = hostOf(b);
  if (first === second) return comparePosition(a, b) & 2 ? 1 : -1;
  return comparePosition(first, second) & 2 ? 1 : -1;
};

const byXPath = (expression) => {
  let result;
  try {
    result = Document.prototype.evaluate.call(document, expression, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
  } catch {
    throw new Refusal('invalid-selector', { message: 'not an XPath expression that selects nodes' });
  }
  const found = [];
  for (let index = 0; index < result.snapshotLength; index++) {
    const node = result.snapshotItem(index);
    if (nodeType(node) === ELEMENT) found.push(node);
  }
  return found;
};

/** @param {Pattern} pattern @returns {(text: string) => number} 3 for the very same text, 2 where only its case differs, 1 for a part, 0 for none. */
const matcher = (pattern) => {
  if (pattern.regex) {
    let expression;
    try {
      expression = new RegExp(pattern.text, (pattern.flags || '').replace(/[gy]/g, ''));
    } catch {
      throw new Refusal('invalid-selector', { message: 'not a regular expression' });
    }
    return (text) => (expression.test(text) ? 3 : 0);
  }
  const exact = tidy(pattern.text);
  const wanted = exact.toLowerCase();
  return (text) => {
    const given = tidy(text);
    if (given === exact) return 3;
    const lower = given.toLowerCase();
    return lower === wanted ? 2 : wanted !== '' && lower.includes(wanted) ? 1 : 0;
  };
};

/** Keeps the best matches. Exact ones win only where they can be seen. */
const best = (scored) => {
  for (const least of [3, 2]) {
    const good = scored.filter(([element, score]) => score >= least && (least === 2 || isVisible(element)));
    if (good.length > 0) return good.map(([element]) => element);
  }
  return scored.map(([element]) => element);
};

/** Elements by role and name, as a snapshot would list them. */
const byName = (wantsRole, pattern, states) => {
  const test = pattern ? matcher(pattern) : () => 3;
  const scored = [];
  const visit = (element) => {
    const tag = localName(element);
    if (SKIPPED_TAGS.has(tag)) return;
    const role = roleOf(element);
    if (wantsRole(role, element) && (isShown(element) || (tag === 'option' && isDropdownOption(element))) && !isHiddenFromTree(element)) {
      const score = test(nameOf(element, role));
      if (score > 0 && hasStates(element, role, states)) scored.push([element, score]);
    }
    for (const child of flatElements(element)) visit(child);
  };
  const top = documentElement(document);
  if (top) visit(top);
  return best(scored);
};

const hasStates = (element, role, states) => {
  if (states.length === 0) return true;
  const given = statesOf(element, role);
  return states.every((state) => {
    const [name, value = 'true'] = state.split('=');
    if (value === 'false') return !given.some((one) => one === name || one.startsWith(`${name}=`));
    return given.includes(value === 'true' ? name : state);
  });
};

/** The innermost elements that show the text, or the control they belong to. */
const byText = (pattern) => {
  const test = matcher(pattern);
  // Text of a shadow tree is not part of its host's, and an anchored expression
  // may match a part of a text that does not match as a whole.
  const prune = !pattern.regex && shadowRootsWithin(document).length === 0;
  const scored = new Map();
  const visit = (element) => {
    const tag = localName(element);
    if (SKIPPED_TAGS.has(tag) || tag === 'noscript') return false;
    const text = shownText(element, tag);
    const score = test(tidy(text));
    if (score === 0 && prune && tag !== 'body' && !selectFirst(element, 'input')) return false;
    let deeper = false;
    for (const child of flatElements(element)) if (visit(child)) deeper = true;
    if (deeper || score === 0 || !isShown(element)) return deeper;
    // What matched may stand in a hidden part: that is nothing to click on.
    if (test(tidy(textThatShows(element, tag))) === 0) return false;
    const owner = closest(element, OPERABLE) || element;
    scored.set(owner, Math.max(scored.get(owner) || 0, score));
    return true;
  };
  const body = documentBody(document) || documentElement(document);
  if (body) visit(body);
  return best([...scored]);
};

/** The text of an element without its parts that are not rendered. */
const textThatShows = (element, tag) => {
  if (tag === 'input' || tag === 'textarea' || tag === 'select') return shownText(element, tag);
  let text = '';
  for (let child = firstChild(element); child; child = nextSibling(child)) {
    if (nodeType(child) === TEXT) text += textData(child);
    else if (nodeType(child) === ELEMENT && isShown(child)) text += textThatShows(child, localName(child));
  }
  return text;
};

export const shownText = (element, tag) => {
  if (tag === 'input') return ['submit', 'button', 'reset'].includes(inputType(element)) ? inputValue(element) || nameOf(element) : '';
  if (tag === 'textarea' || tag === 'select') return '';
  return textContent(element);
};

// === What somebody may have meant: near misses for a target without a match ===

/** @returns {string[]} At most three suggestions, ready to be shown. */
export const nearMisses = (target) => {
  if (target.kind === 'css') return nearIds(target.selector);
  const wanted = target.kind === 'text' || target.kind === 'label' || target.kind === 'role' ? target.name : null;
  if (wanted && wanted.regex) return [];
  const top = documentElement(document);
  if (!top) return [];
  const walk = walkFrom(top, { interactive: true, cursor: false, detail: false });
  const candidates = [];
  for (let index = 0; index < walk.nodes.length && candidates.length < 2000; index += FIELDS) {
    const role = walk.nodes[index + 1];
    const name = walk.nodes[index + 2];
    if (name === '' || (target.kind === 'role' && wanted === null)) continue;
    const score = likeness(wanted ? wanted.text : '', name) + (target.kind === 'role' && role === target.role ? 0.2 : 0);
    if (score > 0.4) candidates.push([score, `${role} "${clip(name)}"`]);
  }
  return [...new Set(candidates.sort((a, b) => b[0] - a[0]).map(([, text]) => text))].slice(0, 3);
};

const nearIds = (selector) => {
  const wanted = /#([\w-]+)/.exec(selector);
  if (!wanted) return [];
  const ids = new Set();
  for (const element of list(documentSelectAll(document, '[id]')).slice(0, 5000)) ids.add(attribute(element, 'id'));
  return [...ids].map((id) => /** @type {[number, string]} */ ([likeness(wanted[1], id), `#${id}`])).filter(([score]) => score > 0.5).sort((a, b) => b[0] - a[0]).slice(0, 3).map(([, id]) => clip(id));
};

/** The share of letter pairs two texts have in common, 0 to 1. */
const likeness = (first, second) => {
  /** @returns {[Map<string, number>, number]} */
  const pairs = (text) => {
    const letters = tidy(text).toLowerCase();
    const found = new Map();
    for (let index = 0; index < letters.length - 1; index++) {
      const pair = letters.slice(index, index + 2);
      found.set(pair, (found.get(pair) || 0) + 1);
    }
    return [found, Math.max(letters.length - 1, 0)];
  };
  const [one, oneCount] = pairs(first);
  const [two, twoCount] = pairs(second.slice(0, 200));
  let shared = 0;
  for (const [pair, count] of one) shared += Math.min(count, two.get(pair) || 0);
  return oneCount + twoCount === 0 ? 0 : (2 * shared) / (oneCount + twoCount);
};
