// Elements that hold a frame, and how the daemon tells which frame it is.
//
// The content of a frame is another document with an engine of its own. A
// window proxy survives the navigations of its frame, so an owner keeps its
// number for as long as its window is the same; the daemon asks for the frame
// id of a number once, by deep serialization of `ownerWindows`.

import { withLabel } from './aim.js';
import { boundingRect, contentWindow, documentSelectAll, isConnected, shadowSelectAll, tidy } from './dom.js';
import { withElement } from './facts.js';
import { MIN_STRIP, clientHeightOf, clientWidthOf } from './geometry.js';
import { nameOf } from './names.js';
import { attribute, list } from './primordials.js';
import { refFor } from './refs.js';
import { Refusal } from './refusal.js';
import { push } from './snapshot.js';
import { shadowRootsWithin } from './tree.js';
import { isShown } from './visibility.js';
import { OUT_OF_TREE, flushText } from './walk.js';

/** @type {WeakMap<Element, {number: number, view: Window}>} */
const owners = new WeakMap();
/** @type {Map<number, WeakRef<Element>>} */
const ownersByNumber = new Map();
let lastOwner = 0;
/** Numbers given since the daemon last asked. @type {number[]} */
export let newOwners = [];

/** @returns {number} 0 for an element without a frame. */
export const ownerNumber = (element) => {
  const view = frameWindow(element);
  if (!view) return 0;
  const known = owners.get(element);
  if (known && known.view === view) return known.number;
  lastOwner += 1;
  owners.set(element, { number: lastOwner, view });
  ownersByNumber.set(lastOwner, new WeakRef(element));
  newOwners.push(lastOwner);
  return lastOwner;
};

export const frameWindow = (element) => (element instanceof HTMLIFrameElement ? contentWindow(element) : element instanceof HTMLObjectElement || element instanceof HTMLFrameElement ? element.contentWindow : null);

/** @param {number} number @returns {?Element} */
export const ownerElement = (number) => {
  const element = ownersByNumber.get(number)?.deref();
  return element && isConnected(element) ? element : null;
};

/** Numbers and windows that the daemon has not been told about yet, in turns. @returns {any[]} */
export const ownerWindows = () => {
  const answer = [];
  for (const number of newOwners) {
    const element = ownerElement(number);
    const view = element && frameWindow(element);
    if (view) answer.push(number, view);
  }
  newOwners = [];
  return answer;
};

/** Numbers and windows of all frames of the document, also of those that no walk has met. */
export const findOwners = () => {
  for (const root of [document, ...shadowRootsWithin(document)]) {
    const all = root === document ? documentSelectAll(document, 'iframe,frame,object') : shadowSelectAll(root, 'iframe,frame,object');
    for (const element of list(all)) newOwners.push(ownerNumber(element));
  }
  newOwners = [...new Set(newOwners)];
  return ownerWindows();
};

/** The number of the element that a caller takes for a frame. */
export const frameOf = ({ target }) =>
  withElement(target, (element) =>
    withLabel(element, () => {
      const owner = ownerNumber(element);
      if (owner === 0) throw new Refusal('not-frame');
      return { owner };
    }),
  );

/** @returns {boolean} Whether the element holds a frame, whose content replaces its own. */
export const visitFrame = (walk, element, tag, depth, flags) => {
  const number = ownerNumber(element);
  if (number === 0) return tag !== 'object';
  if (flags & OUT_OF_TREE && !walk.options.cursor) return true;
  if (attribute(element, 'aria-hidden') === 'true' || !isShown(element) || !hasFrameArea(element)) return true;
  flushText(walk, depth);
  const name = nameOf(element, 'iframe') || tidy(attribute(element, 'name') || '');
  push(walk, depth, 'iframe', name, walk.options.interactive ? 0 : refFor(element), '', number, element);
  return true;
};

export const hasFrameArea = (element) => {
  const box = boundingRect(element);
  if (element instanceof HTMLIFrameElement && (clientWidthOf(element) < MIN_STRIP || clientHeightOf(element) < MIN_STRIP)) return false;
  return box.width > 1 && box.height > 1;
};
