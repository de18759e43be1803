// Where elements show: their boxes without what their surroundings cut off.

import { describeCover, hiddenBecause, hitAt } from './aim.js';
import { WIDGET_MARKS, adElements, consentElements, everyElement, holdsContent } from './cleanup.js';
import { ELEMENT, boundingRect, documentBody, hasAttribute, innerText, isTag, matches, nodeType, scrollIntoView, scrollingElement, styleOf } from './dom.js';
import { ownerElement } from './frames.js';
import { documentElement, method, selectAll } from './primordials.js';
import { elementOf } from './refs.js';
import { Refusal } from './refusal.js';
import { canScroll, mainScroller } from './scroll.js';
import { findAll, findOne, nearMisses } from './targets.js';
import { flatParent } from './tree.js';
import { isShown, isVisible } from './visibility.js';
import { beginCall } from './walk.js';
/** @import { Target } from './targets.js' */

/** @param {{numbers: number[]}} argument @returns The visible box of each ref, as x, y, width and height; 0 for what does not show. */
export const marks = ({ numbers: wanted }) => {
  beginCall();
  const cuts = new Map();
  return { boxes: wanted.map((number) => {
    const element = elementOf(number);
    const box = element && isVisible(element) ? visibleBox(element, cuts) : null;
    return box ? [box.left, box.top, box.right - box.left, box.bottom - box.top] : 0;
  }) };
};

const visibleBox = (element, cuts) => {
  const rect = boundingRect(element);
  const own = rect.width > 0 && rect.height > 0 ? rect : contentRect(element);
  return own && cut(own, cutAround(element, cuts));
};

/** What an element without an area of its own shows: the box around its parts. */
const contentRect = (element) => {
  const range = document.createRange();
  range.selectNodeContents(element);
  const rect = range.getBoundingClientRect();
  return rect.width > 0 && rect.height > 0 ? rect : null;
};

const cut = (box, around) => {
  const left = Math.max(box.left, around.left);
  const top = Math.max(box.top, around.top);
  const right = Math.min(box.right, around.right);
  const bottom = Math.min(box.bottom, around.bottom);
  return right - left > 0.5 && bottom - top > 0.5 ? { left, top, right, bottom } : null;
};

const NO_CUT = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };
const ALL_CUT = { left: 0, top: 0, right: 0, bottom: 0 };

/** What the boxes around an element leave of it. The viewport scrolls for all, so it cuts nothing. */
const cutAround = (element, cuts) => {
  const style = styleOf(element);
  if (style.position === 'fixed') return NO_CUT;
  const parent = flatParent(element);
  if (!parent || nodeType(parent) !== ELEMENT) return NO_CUT;
  return cutBy(parent, style.position === 'absolute', cuts);
};

/** @param {boolean} leaps Whether the inner element is placed by the next positioned box around it. */
const cutBy = (element, leaps, cuts) => {
  if (isTag(element, 'html') || isTag(element, 'body')) return NO_CUT;
  const known = leaps ? undefined : cuts.get(element);
  if (known) return known;
  const style = styleOf(element);
  const skipped = leaps && style.position === 'static' && style.transform === 'none' && style.filter === 'none';
  const parent = flatParent(element);
  const outer = style.position === 'fixed' || !parent || nodeType(parent) !== ELEMENT ? NO_CUT : cutBy(parent, skipped || style.position === 'absolute', cuts);
  const clips = !skipped && style.display !== 'inline' && style.display !== 'contents' && (style.overflowX !== 'visible' || style.overflowY !== 'visible');
  const found = clips ? cut(boundingRect(element), outer) || ALL_CUT : outer;
  if (!leaps) cuts.set(element, found);
  return found;
};

/**
 * Boxes of a child frame as this document shows them, cut at the frame's edge.
 * @param {{owner: number, boxes: ([number, number, number, number] | 0)[]}} argument
 */
export const mapMarks = ({ owner, boxes }) => {
  beginCall();
  const element = ownerElement(owner);
  if (!element || !isVisible(element)) return { boxes: boxes.map(() => 0) };
  const around = visibleBox(element, new Map());
  return { boxes: boxes.map((box) => {
    if (box === 0 || !around) return 0;
    const [x, y, width, height] = box;
    const mapped = mapRect({ owner, x, y, width, height });
    const shown = cut({ left: mapped.x, top: mapped.y, right: mapped.x + mapped.width, bottom: mapped.y + mapped.height }, around);
    return shown ? [shown.left, shown.top, shown.right - shown.left, shown.bottom - shown.top] : 0;
  }) };
};

/** How the document lies in its viewport. */
export const extent = () => {
  const scroller = scrollingElement(document) || documentElement(document);
  return { x: scrollX, y: scrollY, width: scroller ? scroller.scrollWidth : innerWidth, height: scroller ? scroller.scrollHeight : innerHeight };
};

// === Where a frame's content lies in the document around it ===

/**
 * Maps a point of a child frame's viewport into this one and tests that the
 * frame is what is hit there.
 * @param {{owner: number, x: number, y: number, reveal?: boolean}} argument
 */
export const place = ({ owner, x, y }) => {
  beginCall();
  const element = ownerElement(owner);
  if (!element) throw new Refusal('stale');
  let point = mapPoint(element, x, y);
  if (!isInView(point)) {
    scrollIntoView(element, { block: 'nearest', inline: 'nearest', behavior: 'instant' });
    point = mapPoint(element, x, y);
    if (!isInView(point)) {
      scrollBy({ left: point.x - innerWidth / 2, top: point.y - innerHeight / 2, behavior: 'instant' });
      point = mapPoint(element, x, y);
    }
  }
  if (!isInView(point)) throw new Refusal('hidden', { why: 'its frame cannot be scrolled into view' });
  const hit = hitAt(point.x, point.y);
  if (hit !== element) throw new Refusal('covered', { cover: hit ? describeCover(hit) : null });
  return point;
};

/** Only the mapping, for boxes. */
export const mapRect = ({ owner, x, y, width, height }) => {
  const element = ownerElement(owner);
  if (!element) throw new Refusal('stale');
  const start = mapPoint(element, x, y);
  const end = mapPoint(element, x + width, y + height);
  return { x: Math.min(start.x, end.x), y: Math.min(start.y, end.y), width: Math.abs(end.x - start.x), height: Math.abs(end.y - start.y) };
};

export const isInView = ({ x, y }) => x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;

/**
 * From the content box of the frame to this viewport, through the transforms
 * of all ancestors: the matrix is rebuilt from them, and the bounding box
 * tells where its origin lies.
 */
export const mapPoint = (element, x, y) => {
  const style = styleOf(element);
  const left = element.clientLeft + parseFloat(style.paddingLeft);
  const top = element.clientTop + parseFloat(style.paddingTop);
  const matrix = linearPart(element);
  const rect = boundingRect(element);
  // The corners of the border box under the matrix, relative to its origin.
  const corners = [[0, 0], [element.offsetWidth, 0], [0, element.offsetHeight], [element.offsetWidth, element.offsetHeight]].map(([across, down]) => apply(matrix, across, down));
  const originX = rect.left - Math.min(...corners.map((corner) => corner[0]));
  const originY = rect.top - Math.min(...corners.map((corner) => corner[1]));
  const [mappedX, mappedY] = apply(matrix, left + x, top + y);
  return { x: originX + mappedX, y: originY + mappedY };
};

const apply = (matrix, x, y) => [matrix.a * x + matrix.c * y, matrix.b * x + matrix.d * y];

/** The product of all transforms from the element up, without translations. */
const linearPart = (element) => {
  let matrix = new DOMMatrix();
  for (let node = element; node && nodeType(node) === ELEMENT; node = flatParent(node)) {
    const style = styleOf(node);
    let own = new DOMMatrix();
    if (style.rotate !== 'none') own = own.multiply(new DOMMatrix(`rotate(${style.rotate})`));
    if (style.scale !== 'none') own = own.multiply(new DOMMatrix(`scale(${style.scale.replace(/\s+/g, ',')})`));
    if (style.transform !== 'none') own = own.multiply(new DOMMatrix(style.transform));
    if (style.zoom && style.zoom !== '1') own = own.scale(Number(style.zoom) || 1);
    matrix = own.multiply(matrix);
  }
  return matrix;
};

// === A page laid out for a picture: what is in the way is hidden and boxes are ===
// scrolled, and all of it is put back afterwards. What clutter is called stands
// in cleanup.js.

/** What undoes each change, oldest first. */
let undoing = [];

const setStyle = (style, property, value, priority) => CSSStyleDeclaration.prototype.setProperty.call(style, property, value, priority);
const removeAttribute = method(Element.prototype, 'removeAttribute');
const dropStyle = method(CSSStyleDeclaration.prototype, 'removeProperty');

/** Gives a property a value, whatever the page says, until it is put back. */
const overrule = (element, property, value) => {
  const style = element.style;
  if (!style) return false;
  const had = hasAttribute(element, 'style');
  const [before, priority] = [style.getPropertyValue(property), style.getPropertyPriority(property)];
  undoing.push(() => {
    if (before) setStyle(style, property, before, priority);
    else dropStyle(style, property);
    if (!had && style.length === 0) removeAttribute(element, 'style');
  });
  setStyle(style, property, value, 'important');
  return true;
};

/** @param {{target: Target}} argument Hides every match. */
export const hideAll = ({ target }) => {
  beginCall();
  const found = findAll(target);
  if (found.length === 0) throw new Refusal('not-found', { near: nearMisses(target) });
  return { hidden: found.filter((element) => overrule(element, 'display', 'none')).length };
};

/** Hides what lies over the content, and lets the page scroll again. */
export const declutter = () => {
  beginCall();
  const root = documentElement(document);
  const body = documentBody(document);
  if (!root || !body) return { hidden: 0 };
  const all = everyElement();
  const known = new Set([...consentElements(all), ...adElements(all), ...all.filter((element) => matches(element, WIDGET_MARKS))].filter((element) => !holdsContent(element)));
  const view = innerWidth * innerHeight;
  const half = innerText(body).length / 2;
  for (const element of selectAll(root, 'body *')) {
    if (!(element instanceof HTMLElement)) continue;
    const style = styleOf(element);
    if (style.position !== 'fixed' && style.position !== 'sticky') continue;
    const rect = boundingRect(element);
    const area = Math.max(0, Math.min(rect.right, innerWidth) - Math.max(rect.left, 0)) * Math.max(0, Math.min(rect.bottom, innerHeight) - Math.max(rect.top, 0));
    // What holds most of the text is the page itself, however it is placed.
    const isPage = area * 2 > view && innerText(element).length > half;
    // A sticky head that is in its place lies over nothing.
    const inPlace = style.position === 'sticky' && Math.abs(rect.top + scrollY - element.offsetTop) < 1;
    if (!isPage && !inPlace) known.add(element);
  }
  let hidden = 0;
  for (const element of known) if (overrule(element, 'display', 'none')) hidden += 1;
  for (const box of [root, body]) {
    if (/hidden|clip/.test(styleOf(box).overflowY)) overrule(box, 'overflow', 'visible');
  }
  return { hidden };
};

/** @param {{target?: Target, top?: number}} argument Scrolls an element to the top of its boxes, or the page by pixels. */
export const showAt = ({ target, top }) => {
  beginCall();
  const element = target ? findOne(target) : null;
  if (element && !isShown(element)) throw new Refusal('hidden', { why: hiddenBecause(element) });
  const page = mainScroller();
  const boxes = [];
  for (let node = element; node; node = flatParent(node)) if (nodeType(node) === ELEMENT && (node.scrollTop || node.scrollLeft || canScroll(node))) boxes.push(node);
  if (!boxes.includes(page)) boxes.push(page);
  const before = boxes.map((box) => [box, box.scrollLeft, box.scrollTop]);
  undoing.push(() => {
    for (const [box, left, y] of before.reverse()) box.scrollTo({ left, top: y, behavior: 'instant' });
  });
  if (element) scrollIntoView(element, { block: 'start', inline: 'nearest', behavior: 'instant' });
  else page.scrollTo({ top, behavior: 'instant' });
  return { top: Math.round(page.scrollTop) };
};

/** Undoes all of it, the last change first. */
export const putBack = () => {
  const changes = undoing.reverse();
  undoing = [];
  for (const change of changes) change();
  return { undone: changes.length };
};
