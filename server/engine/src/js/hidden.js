// Rendered text that a person cannot see: faded, clipped, without size, off
// screen, past the edge of a box, in tiny letters, in the colour of its
// background, or behind a blank box. docs/security.md lists what is not checked.
//
// What is not rendered at all (`display`, `visibility`, closed `details`) is left
// out by the readers. One pass goes over all texts; what an element inherits is
// found once for each. A text that a person may see is never marked: where
// something cannot be told, it shows.

import { FRAME_TAGS, SKIPPED_TAGS, WORDLESS_TAGS } from './tags.js';
import { hideCovered, hidePlated } from './covers.js';
import { isSkipped, keepsFolded } from './details.js';
import { ELEMENT, TEXT, boundingRect, checkVisibility, closest, firstChild, firstElementChild, hasAttribute, hasAttributes, innerText, localName, matches, nextNode, nodeType, parentNode, styleOf, textData, tidy, walkerOver } from './dom.js';
import { CONTROLS, freshDrawing, keepLabels } from './drawn.js';
import { hideHighlighted } from './effects.js';
import { contentBox, isStrip } from './geometry.js';
import { factsOf, newScan } from './inherited.js';
import { attribute, list, selectAll, textContent } from './primordials.js';
import { readText } from './read.js';
import { surveyText } from './layout-scan.js';
import { boxRule, textRule } from './text-rules.js';
import { bearerOf, flatParent } from './tree.js';
/** @import { Drawing } from './drawn.js' */
/** @import { Facts, Scan } from './inherited.js' */

// What becomes of an element and what it holds.
export const HIDDEN = 1; // Nothing of it is seen.
export const TEXT_HIDDEN = 2; // Its own text is not seen; what it holds decides for itself.

/** What is told of and read all the same is counted by its rule and this. */
const SHOWN = ' (shown)';

export const WORDS = /[\p{L}\p{N}]/u;

/** The longest text, in characters, that counts as a label, and that a note does not count: an instruction takes more. */
export const MAX_LABEL = 40;

/** @typedef {{marks: Map<Element, number>, counts: Object<string, number>, awaited: Set<Element>, parts: Map<Element, string>, scan: Scan, drawing: Drawing}} Unseen `parts`: what is counted, by its rule. */

/** Texts of these are shown by the browser in its own way, or not at all. */
const TEXTLESS_TAGS = new Set([...SKIPPED_TAGS, 'noscript', 'textarea', 'option', 'optgroup', 'video', 'audio', 'iframe', 'progress', 'meter', 'canvas', 'object']);

/**
 * Something that says something by itself: a text, or an element without text.
 * @typedef {{node: Node, bearer: Element}} Leaf
 */

/** The rule that hides a leaf, and its box. @param {Scan} scan @param {Leaf} leaf @returns {?{rule: string, facts: Facts, box: ?DOMRect}} Null for what is not rendered. */
export const judgeLeaf = (scan, { node, bearer }) => {
  const isText = node !== bearer;
  const parent = isText ? parentNode(node) : bearer;
  if (parent === null || nodeType(parent) !== ELEMENT) return null;
  const isLaidOut = checkVisibility(parent);
  // What `::details-content` alone keeps from being rendered, readers take for shown.
  if (!isLaidOut && !scan.hasDetails) return null;
  const facts = factsOf(scan, bearer);
  if (!isLaidOut) return facts.rule !== '' && styleOf(facts.at).contentVisibility !== 'hidden' && closest(facts.at, 'details[open]') !== null ? { rule: facts.rule, facts, box: null } : null;
  if (facts.rule !== '') return { rule: facts.rule, facts, box: null };
  const box = isText ? contentBox(node) : boundingRect(bearer);
  if (!isText) {
    // What is drawn for a control without words may stand beside its box.
    const empty = WORDLESS_TAGS.has(localName(bearer)) ? 'size' : '';
    return { rule: isStrip(box) ? empty : boxRule(scan, bearer, facts, box), facts, box };
  }
  if (box.width === 0 && box.height === 0 && (isSkipped(parent) || keepsFolded(parent))) return null;
  if (styleOf(bearer).visibility !== 'visible') return null;
  return { rule: textRule(scan, node, bearer, facts, box), facts, box };
};

/** @param {Element} top @param {ShadowRoot[]} roots @returns {{unseen: ?Unseen, leaves: Leaf[]}} `leaves`: those that are hidden. */
export const scanHidden = (top, roots) => {
  const scan = newScan(top);
  const hidden = new Map();
  const shown = [];
  const shownBearers = new Set();
  const blanks = [];
  let [isLong, last, lastTag] = [false, null, ''];
  const noteLeaf = (leaf, said) => {
    const found = judgeLeaf(scan, leaf);
    if (found === null) return;
    if (found.rule === '') {
      shownBearers.add(leaf.bearer);
      if (leaf.node !== leaf.bearer) shown.push({ bearer: leaf.bearer, box: found.box });
      return;
    }
    const known = hidden.get(leaf.bearer);
    if (known) known.leaves.push(leaf);
    else hidden.set(leaf.bearer, { rule: found.rule, facts: found.facts, leaves: [leaf] });
    isLong = isLong || said === null || (said.length > MAX_LABEL && tidy(said).length > MAX_LABEL);
  };
  const visit = (node) => {
    if (nodeType(node) === TEXT) {
      const data = textData(node);
      if (!WORDS.test(data)) return;
      const parent = parentNode(node);
      if (parent !== last) [last, lastTag] = [parent, nodeType(parent) === ELEMENT ? localName(parent) : ''];
      if (TEXTLESS_TAGS.has(lastTag)) return;
      const bearer = nodeType(parent) === ELEMENT ? bearerOf(node) : null;
      if (bearer !== null) noteLeaf({ node, bearer }, data);
      return;
    }
    if (firstElementChild(node) !== null) return;
    const tag = localName(node);
    if (WORDLESS_TAGS.has(tag)) noteLeaf({ node, bearer: node }, FRAME_TAGS.has(tag) ? null : '');
    else if (tag !== 'br' && !SKIPPED_TAGS.has(tag) && node instanceof HTMLElement) {
      const only = firstChild(node);
      if (only === null || !WORDS.test(textContent(node))) {
        blanks.push(node);
        if (hasAttribute(node, 'aria-label') || (hasAttributes(node) && matches(node, CONTROLS))) noteLeaf({ node, bearer: node }, attribute(node, 'aria-label') || '');
      }
    }
  };
  if (nodeType(top) === ELEMENT) visit(top);
  for (const scope of [top, ...roots]) {
    const walker = walkerOver(scope, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = nextNode(walker); node; node = nextNode(walker)) visit(node);
  }
  const hide = (bearer, rule) => {
    if (hidden.has(bearer)) return;
    hidden.set(bearer, { rule, facts: factsOf(scan, bearer), leaves: [] });
    shownBearers.delete(bearer);
    isLong = isLong || textContent(bearer).length > MAX_LABEL;
  };
  hideCovered(scan, blanks, shown, hide);
  hidePlated(scan, shown, hide);
  if (shown.length > 0) hideHighlighted(scan, hide);
  for (const bearer of shownBearers) hidden.delete(bearer);
  const unseen = { marks: new Map(), counts: {}, awaited: scan.awaited, parts: new Map(), scan, drawing: null };
  unseen.drawing = freshDrawing(unseen);
  markHidden(unseen, hidden, shownBearers);
  const awaited = scan.awaited.size;
  keepLabels(unseen);
  if (isLong) for (const rule of unseen.parts.values()) unseen.counts[rule] = (unseen.counts[rule] || 0) + 1;
  for (const rule of scan.shown) unseen.counts[rule + SHOWN] = 1;
  if (awaited > 0) unseen.counts[`opacity${SHOWN}`] = awaited;
  const isEmpty = unseen.marks.size === 0 && scan.awaited.size === 0 && scan.shown.size === 0;
  return { unseen: isEmpty ? null : unseen, leaves: [...hidden.values()].flatMap(({ leaves }) => leaves) };
};

/** Marks what hides all that it holds, and texts by themselves. */
const markHidden = (unseen, hidden, shownBearers) => {
  if (hidden.size === 0) return;
  const { scan } = unseen;
  const holders = new Set();
  for (const bearer of shownBearers) for (let node = bearer; node && !holders.has(node); node = flatParent(node)) holders.add(node);
  for (const [bearer, { rule, facts }] of hidden) {
    const [part, mark] = facts.rule !== '' ? [facts.at, HIDDEN] : partOf(scan, bearer, holders);
    unseen.marks.set(part, mark);
    unseen.parts.set(part, rule);
  }
};

/** The outermost element that holds nothing but what is out of sight, and is so itself. @returns {[Element, number]} */
const partOf = (scan, bearer, holders) => {
  let part = null;
  for (let node = bearer; node && nodeType(node) === ELEMENT && !holders.has(node) && !scan.around.has(node); node = flatParent(node)) {
    const box = boundingRect(node);
    if (isStrip(box) ? holdsBoxes(scan, node) : isInSight(scan, node, box)) break;
    part = node;
  }
  return part === null ? [bearer, WORDLESS_TAGS.has(localName(bearer)) ? HIDDEN : TEXT_HIDDEN] : [part, HIDDEN];
};

/** Elements that are asked for in one without a size. */
const MAX_INNER_BOXES = 40;

/** Whether an element without a size holds boxes that are in sight: an icon, say. */
const holdsBoxes = (scan, element) => {
  const inner = selectAll(element, '*');
  if (inner.length > MAX_INNER_BOXES) return true;
  return list(inner).some((part) => {
    const box = boundingRect(part);
    return !isStrip(box) && checkVisibility(part) && isInSight(scan, part, box);
  });
};

const isInSight = (scan, element, box) => {
  const facts = factsOf(scan, element);
  return facts.rule === '' && boxRule(scan, element, facts, box) === '';
};

// === What readers ask ===

export const isHiddenWhole = (unseen, element) => unseen !== null && unseen.marks.get(element) === HIDDEN;

export const isTextHidden = (unseen, element) => unseen !== null && unseen.marks.get(element) === TEXT_HIDDEN;

/** Whether an element is read although it is faded: it appears when it is scrolled to. */
export const isPendingReveal = (unseen, element) => unseen !== null && unseen.awaited.has(element);

/** All elements with this mark. @returns {Element[]} */
export const markedAs = (unseen, mark) => {
  const found = [];
  if (unseen !== null) for (const [element, known] of unseen.marks) if (known === mark) found.push(element);
  return found;
};

/** Text that shows in an element, as the browser lays it out. */
export const seenText = (unseen, element) => {
  if (unseen === null) return element instanceof HTMLElement ? innerText(element) : textContent(element);
  return readText(element, surveyText(element), new Set(markedAs(unseen, HIDDEN)), unseen);
};

/** Whether an ancestor, or the element, is known to be unseen. */
export const isUnseen = (unseen, element) => {
  for (let node = element; node; node = flatParent(node)) if (unseen.marks.get(node) === HIDDEN) return true;
  return unseen.marks.get(element) === TEXT_HIDDEN;
};

/** What is counted when all of it is read after all. */
export const allShown = (counts) => Object.fromEntries(Object.entries(counts).map(([rule, times]) => [rule.endsWith(SHOWN) ? rule : rule + SHOWN, times]));

export const remembered = (known, key, make) => {
  let value = known.get(key);
  if (value === undefined) known.set(key, (value = make(key)));
  return value;
};
