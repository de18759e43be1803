// The flat tree: what is rendered, with shadow trees and slots in their places.

import { HOST_TAGS } from './tags.js';
import { ELEMENT, FRAGMENT, HTML, TEXT, assignedNodes, assignedSlot, boundingRect, clientRects, documentSelectAll, firstChild, localName, namespaceURI, nextSibling, nodeType, openShadowRoot, parentNode, rootNode, shadowHost, shadowSelectAll, styleOf, textData, textSlot, tidy } from './dom.js';
import { endKeptScan } from './hidden-cache.js';
import { remembered } from './hidden.js';
import { list, selectAll } from './primordials.js';

/** Closed shadow roots that the daemon handed over: host -> root. @type {WeakMap<Element, ShadowRoot>} */
const closedRoots = new WeakMap();

/** Whether there are any: most documents have none. */
let knowsClosed = false;

/** What stands in the slots of closed roots, for the length of one call: they tell it, and what stands there does not. @type {Map<ShadowRoot, Map<Node, Element>>} */
export const slottedNow = new Map();

/** The slot of a closed tree that a child of its host stands in. @returns {?Element} */
const closedSlot = (node, root) => {
  const slotted = remembered(slottedNow, root, () => new Map(list(shadowSelectAll(root, 'slot')).flatMap((slot) => assignedNodes(slot).map((assigned) => [assigned, slot]))));
  return slotted.get(node) || null;
};

/** The element that a text gets its style from: not its parent where that has a shadow tree. @returns {?Element} Null where it shows nowhere. */
export const bearerOf = (text) => {
  const parent = parentNode(text);
  if (openShadowRoot(parent) !== null) return textSlot(text);
  return knowsClosed && closedRoots.has(parent) ? closedSlot(text, closedRoots.get(parent)) : parent;
};

/** @param {Element} element @returns {?ShadowRoot} The shadow root, a closed one too when it is known. */
export const shadowOf = (element) => openShadowRoot(element) || closedRoots.get(element) || null;

/** The tree that an element stands in. @returns {Document|ShadowRoot} */
export const treeOf = (element) => {
  const root = rootNode(element);
  return root instanceof ShadowRoot ? root : document;
};

/** @param {Node} node @returns {any} The parent in the flat tree, a node; null at the top or when not rendered. */
export const flatParent = (node) => {
  const slot = nodeType(node) === ELEMENT ? assignedSlot(node) : null;
  if (slot) return slot;
  const parent = parentNode(node);
  if (!parent) return null;
  if (knowsClosed && closedRoots.has(parent)) return closedSlot(node, closedRoots.get(parent)) || parent;
  if (nodeType(parent) === FRAGMENT) return parent instanceof ShadowRoot ? shadowHost(parent) : null;
  return parent;
};

/**
 * The flat-tree children of an element where they are not its own: those of
 * its shadow root, or the nodes assigned to a slot. Null where they are.
 * Recursive walks use it with a loop of their own, so that a deep tree costs
 * them few stack frames.
 * @returns {?ArrayLike<Node>}
 */
export const foreignChildren = (element) => {
  const root = shadowOf(element);
  if (root) return root.childNodes;
  if (element instanceof HTMLSlotElement && rootNode(element) instanceof ShadowRoot) {
    const assigned = assignedNodes(element);
    if (assigned.length > 0) return assigned;
  }
  return null;
};

/** Calls `visit` for each flat-tree child of `element`, in order. */
export const eachChild = (element, visit) => {
  const foreign = foreignChildren(element);
  if (foreign) for (let index = 0; index < foreign.length; index++) visit(foreign[index]);
  else for (let child = firstChild(element); child; child = nextSibling(child)) visit(child);
};

/** @returns {Element[]} The flat-tree children that are elements. */
export const flatElements = (element) => {
  const found = [];
  eachChild(element, (child) => {
    if (nodeType(child) === ELEMENT) found.push(child);
  });
  return found;
};

/** @returns {boolean} Whether `inner` is `outer` or lies within it in the flat tree. */
export const flatContains = (outer, inner) => {
  for (let node = inner; node; node = flatParent(node)) if (node === outer) return true;
  return false;
};

/** The shadow roots of a tree, outermost first; a document without any costs one pass. @returns {ShadowRoot[]} */
export const shadowRootsWithin = (scope) => {
  const found = [];
  const search = (root) => {
    const all = nodeType(root) === ELEMENT ? selectAll(root, '*') : nodeType(root) === FRAGMENT ? shadowSelectAll(root, '*') : documentSelectAll(root, '*');
    for (let index = 0; index < all.length; index++) {
      const inner = shadowOf(all[index]);
      if (inner) {
        found.push(inner);
        search(inner);
      }
    }
  };
  const own = nodeType(scope) === ELEMENT ? shadowOf(scope) : null;
  if (own) {
    found.push(own);
    search(own);
  }
  search(scope);
  return found;
};

/** Hosts that were already asked about, and their sizes then; a host gets its shadow root at most once, mostly when it is made. @type {WeakMap<Element, string>} */
const askedHosts = new WeakMap();

/** Whether a host need not be asked about again. One that holds nothing and has come to another size may have its root by now. */
export const isAsked = (element) => {
  const before = askedHosts.get(element);
  return before !== undefined && (firstChild(element) !== null || before === sizeOf(element));
};

const sizeOf = (element) => {
  const { width, height } = boundingRect(element);
  return `${width} ${height}`;
};

/**
 * Elements that may hold a closed shadow root: custom elements without an open
 * one, and allowed tags that have a size but nothing of their own to show.
 * @returns {Element[]}
 */
export const suspects = () => {
  const found = [];
  const search = (root) => {
    const all = root === document ? documentSelectAll(document, '*') : shadowSelectAll(root, '*');
    for (let index = 0; index < all.length; index++) {
      const element = all[index];
      const inner = shadowOf(element);
      if (inner) search(inner);
      else if (!isAsked(element) && isSuspect(element)) found.push(element);
    }
  };
  search(document);
  return found;
};

export const isSuspect = (element) => {
  const tag = localName(element);
  if (tag.includes('-')) return namespaceURI(element) === HTML;
  if (!HOST_TAGS.has(tag)) return false;
  for (let child = firstChild(element); child; child = nextSibling(child)) {
    if (nodeType(child) === ELEMENT) return !isRendered(child) && boundingRect(element).height > 0 && paintsNothing(element);
    if (nodeType(child) === TEXT && tidy(textData(child)) !== '') return false;
  }
  const box = boundingRect(element);
  return box.height > 0 && box.width > 0 && paintsNothing(element);
};

/** An element child that has no box although its parent has one: the children are not slotted. */
export const isRendered = (element) => styleOf(element).display === 'contents' || clientRects(element).length > 0;

/** Whether the size of an element cannot come from its own style. */
const paintsNothing = (element) => {
  const style = styleOf(element);
  return style.backgroundImage === 'none' && contentHeight(element, style) > 0 && !hasFixedSize(element);
};

const contentHeight = (element, style) =>
  boundingRect(element).height - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom) - parseFloat(style.borderTopWidth) - parseFloat(style.borderBottomWidth);

/** Sizes from a rule are read off the typed style, which keeps `auto`. */
const hasFixedSize = (element) => {
  const map = element.computedStyleMap();
  const height = map.get('height');
  const minimum = map.get('min-height');
  return String(height) !== 'auto' || !['auto', '0px'].includes(String(minimum)) || styleOf(element, '::before').content !== 'none' || styleOf(element, '::after').content !== 'none';
};

/** Takes over what the daemon found out: `roots[i]` belongs to `hosts[i]`, null where there is none. */
export const adopt = (hosts, roots) => {
  endKeptScan();
  slottedNow.clear();
  for (let index = 0; index < hosts.length; index++) {
    if (roots[index]) {
      closedRoots.set(hosts[index], roots[index]);
      knowsClosed = true;
    }
    askedHosts.set(hosts[index], sizeOf(hosts[index]));
  }
};
