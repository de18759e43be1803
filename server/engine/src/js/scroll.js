// Scrolling: an element into view, the page or a box by some pixels, or to an end.

import { Refusal } from './refusal.js';
import { hiddenBecause, hitAt } from './aim.js';
import { ELEMENT, boundingRect, nodeType, scrollIntoView, scrollingElement, styleOf } from './dom.js';
import { documentElement } from './primordials.js';
import { findOne } from './targets.js';
import { flatParent } from './tree.js';
import { isShown } from './visibility.js';
import { beginCall } from './walk.js';
/** @import { Target } from './targets.js' */

/** @param {{target?: Target, into?: boolean, dx?: number, dy?: number, direction?: string, end?: boolean}} argument */
export const scroll = (argument) => {
  beginCall();
  const element = argument.target ? findOne(argument.target) : null;
  if (element && argument.into) {
    if (!isShown(element)) throw new Refusal('hidden', { why: hiddenBecause(element) });
    const before = boundingRect(element);
    scrollIntoView(element, { block: 'center', inline: 'nearest', behavior: 'instant' });
    const after = boundingRect(element);
    return { moved: before.x !== after.x || before.y !== after.y, ...position(scrollingElement(document)) };
  }
  const scroller = element ? scrollerOf(element) : mainScroller();
  if (!scroller) throw new Refusal('not-scrollable');
  const before = [scroller.scrollLeft, scroller.scrollTop];
  const [dx, dy] = distance(argument, scroller);
  /** @type {any} */ (Element.prototype.scrollBy).call(scroller, { left: dx, top: dy, behavior: 'instant' });
  return { moved: scroller.scrollLeft !== before[0] || scroller.scrollTop !== before[1], ...position(scroller) };
};

const distance = (argument, scroller) => {
  if (argument.end) return [0, scroller.scrollHeight];
  const page = [scroller.clientWidth * 0.9, scroller.clientHeight * 0.9];
  const by = argument.by;
  switch (argument.direction) {
    case 'up':
      return [0, -(by ?? page[1])];
    case 'down':
      return [0, by ?? page[1]];
    case 'left':
      return [-(by ?? page[0]), 0];
    case 'right':
      return [by ?? page[0], 0];
  }
  return [argument.dx || 0, argument.dy || by || 0];
};

const position = (scroller) => (scroller ? { left: Math.round(scroller.scrollLeft), top: Math.round(scroller.scrollTop), height: scroller.scrollHeight, view: scroller.clientHeight } : { left: 0, top: 0, height: 0, view: 0 });

export const canScroll = (element) => {
  const style = styleOf(element);
  const across = element.scrollWidth > element.clientWidth && /auto|scroll/.test(style.overflowX);
  const down = element.scrollHeight > element.clientHeight && /auto|scroll/.test(style.overflowY);
  return across || down;
};

/** The element or the nearest box around it that scrolls. */
const scrollerOf = (element) => {
  for (let node = element; node && nodeType(node) === ELEMENT; node = flatParent(node)) if (canScroll(node)) return node;
  return mainScroller();
};

/** The page, or where the page itself stands still the largest box that scrolls. */
export const mainScroller = () => {
  const page = scrollingElement(document) || documentElement(document);
  if (page && page.scrollHeight > page.clientHeight && styleOf(page).overflowY !== 'hidden') return page;
  let largest = null;
  let area = (innerWidth * innerHeight) / 4;
  for (let hit = hitAt(innerWidth / 2, innerHeight / 2); hit && nodeType(hit) === ELEMENT; hit = flatParent(hit)) {
    const size = hit.clientWidth * hit.clientHeight;
    if (size > area && canScroll(hit)) [largest, area] = [hit, size];
  }
  return largest || page;
};
