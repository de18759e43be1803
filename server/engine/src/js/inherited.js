// What an element inherits of all that may hide it, found once for each element of
// a scan: opacity, clips, boxes that cut off, the colour behind, and effects.

import { WHITE, colourParts, isClear, isSameColour } from './colours.js';
import { isSunk } from './covers.js';
import { ELEMENT, boundingRect, documentBody, documentById, documentByTag, hasAttribute, localName, nodeType, parentNode, styleOf } from './dom.js';
import { isTurnedAway } from './effects.js';
import { scrollLeftOf, scrollTopOf } from './facts.js';
import { MIN_STRIP, isPageItself, isStrip, ownClip, scrollableBox } from './geometry.js';
import { colourBelow, groundWithin, paintersWithin } from './grounds.js';
import { FADING, appears } from './overflow.js';
import { documentElement } from './primordials.js';
import { flatElements, flatParent } from './tree.js';
/** @import { Box } from './geometry.js' */
/** @import { Painter } from './grounds.js' */

/**
 * A box that cuts off what it holds. `isSoft`: what overflows it may come into view.
 * @typedef {{element: Element, box: Box, rule: string, isSoft: boolean, path: ?{path: Path2D, left: number, top: number}, outer: ?Clip}} Clip
 */

/**
 * What an element inherits. `rule`: what hides all of it, with the element `at` that does so;
 * `flow`: boxes that cut off what overflows; `shapes`: clips of any kind; `scroller`: the box of
 * the outermost element that is scrolled by itself; `ground`: the colour behind its text;
 * `tinter`: the rule of a filter or blend mode that it is under; `liner`: what draws a thick line through it.
 * @typedef {{rule: string, at: ?Element, opacity: number, flow: ?Clip, shapes: ?Clip, scroller: ?Box, isFixed: boolean, ground: ?number[], tinter: ?string, liner: ?Element}} Facts
 */

/** @typedef {{top: Element, around: Set<Node>, facts: Map<Element, Facts>, root: Facts, page: Box, awaited: Set<Element>, placed: Element[], hasDetails: boolean, shown: Set<string>, painters: () => ?Painter[], shapes: Map<Element, object>}} Scan */

/** @returns {Scan} */
export const newScan = (top) => {
  // A page that is hidden as a whole is about to appear.
  const around = new Set([documentBody(document)]);
  for (let node = top; node; node = flatParent(node)) around.add(node);
  const root = { rule: '', at: null, opacity: 1, flow: null, shapes: null, scroller: null, isFixed: false, ground: colourBelow(window), tinter: null, liner: null };
  let painters;
  return {
    top,
    around,
    facts: new Map(),
    root,
    page: scrollableBox(),
    awaited: new Set(),
    placed: [],
    hasDetails: documentByTag(document, 'details').length > 0,
    shown: new Set(),
    painters: () => (painters === undefined ? (painters = paintersWithin(documentElement(document))) : painters),
    shapes: new Map(),
  };
};

/** @param {Scan} scan @returns {Facts} */
export const factsOf = (scan, element) => {
  const known = scan.facts.get(element);
  if (known !== undefined) return known;
  const chain = [];
  let facts = scan.root;
  for (let node = element; node && nodeType(node) === ELEMENT; node = flatParent(node)) {
    const outer = scan.facts.get(node);
    if (outer !== undefined) {
      facts = outer;
      break;
    }
    chain.push(node);
  }
  for (let index = chain.length - 1; index >= 0; index--) {
    facts = factsWithin(scan, chain[index], facts);
    scan.facts.set(chain[index], facts);
  }
  return facts;
};

/** @param {Scan} scan @param {Facts} outer @returns {Facts} */
const factsWithin = (scan, element, outer) => {
  if (outer.rule !== '') return outer;
  const style = styleOf(element);
  let { opacity, flow, shapes, scroller, isFixed, ground, tinter, liner } = outer;
  let rule = '';
  const own = style.opacity;
  if (own !== '1') opacity *= parseFloat(own);
  const filter = style.filter;
  if (filter !== 'none') {
    opacity *= opacityOf(filter);
    if (blurOf(filter) >= MIN_BLUR || isEmptyReference(filter, 'filter')) rule = 'filter';
  }
  if (style.mixBlendMode !== 'normal') tinter = 'blend';
  else if (filter !== 'none') tinter = tinter || 'filter';
  if (style.textDecorationLine !== 'none' && /^[\d.]{2,}|[6-9]/.test(style.textDecorationThickness)) liner = element;
  if (opacity < MIN_OPACITY) {
    rule = 'opacity';
    if (appears(element, style, FADING)) {
      scan.awaited.add(element);
      [rule, opacity] = ['', 1];
    }
  }
  if (rule === '' && style.backfaceVisibility === 'hidden' && isTurnedAway(element)) rule = 'back';
  if (rule === '' && style.contentVisibility === 'hidden') rule = 'clip';
  if (rule === '' && scan.hasDetails) {
    const fold = foldAround(element);
    if (fold !== null) {
      if (Number(fold.opacity) * opacity < MIN_OPACITY) rule = 'opacity';
      else if (isFoldClosed(fold)) rule = 'size';
      ground = groundWithin(fold, ground);
    }
  }
  if (rule === '' && style.maskImage !== 'none' && isMasked(style.maskImage)) rule = 'mask';
  const position = style.position;
  if (rule === '' && position !== 'static') {
    if (position === 'fixed' || position === 'absolute') ({ flow, scroller } = placedFacts(scan, element, position));
    isFixed = isFixed || position === 'fixed';
    if (parseInt(style.zIndex, 10) < 0 && isSunk(element)) rule = 'cover';
    scan.placed.push(element);
  }
  if (rule !== '') {
    // What holds the target does not hide what was asked for.
    if (scan.around.has(element)) {
      scan.shown.add(rule);
      [rule, opacity] = ['', 1];
    } else return { rule, at: element, opacity, flow, shapes, scroller, isFixed, ground: null, tinter, liner };
  }
  if (!scan.around.has(element)) {
    const clip = ownClip(element, style);
    if (clip !== null) shapes = { element, box: clip.box, rule: clip.rule, isSoft: false, path: clip.path, outer: shapes };
    const overflow = style.overflow;
    if (overflow !== 'visible') {
      const cut = overflowClip(element, style, overflow);
      if (cut !== null && cut.isScroller) scroller = scroller || boundingRect(element);
      if (cut !== null && cut.box !== null) flow = { element, box: cut.box, rule: cut.rule, isSoft: cut.isSoft, path: null, outer: flow };
    }
  }
  return { rule, at: null, opacity, flow, shapes, scroller, isFixed, ground: groundWithin(style, ground), tinter, liner };
};

/** Whether masks let nothing through: see-through gradients, and drawings without anything light. */
const isMasked = (image) => isClear(image) || isEmptyReference(image, 'mask');

/** Whether a reference leads to an element of the document in which nothing is drawn. @param {'mask'|'filter'|'clipPath'} tag */
export const isEmptyReference = (value, tag) => {
  const [, id] = /^url\("[^"#]*#([^"]+)"\)$/.exec(value) || [];
  const found = id ? documentById(document, id) : null;
  if (found === null || localName(found) !== tag) return false;
  return flatElements(found).every((part) => tag === 'mask' && part instanceof SVGGeometryElement && isBlack(styleOf(part)));
};

const isBlack = (style) => style.stroke === 'none' && (style.fill === 'none' || isSameColour([0, 0, 0, 1], colourParts(style.fill) || WHITE));

/** The style of the part of `details` that an element stands in: all but the summary. @returns {?CSSStyleDeclaration} */
export const foldAround = (element) => {
  const holder = parentNode(element);
  if (!(holder instanceof HTMLDetailsElement) || !hasAttribute(holder, 'open') || (nodeType(element) === ELEMENT && localName(element) === 'summary')) return null;
  const style = styleOf(holder, '::details-content');
  return style.display === 'contents' || style.display === 'inline' ? null : style;
};

export const isFoldClosed = (style) => style.contentVisibility === 'hidden' || (style.overflow !== 'visible' && [style.width, style.height].some((side) => parseFloat(side) < MIN_STRIP));

/** A person reads what is less faded. */
export const MIN_OPACITY = 0.1;

/** A stronger blur leaves no letter, in pixels: a page blurs itself by less while it asks something. */
export const MIN_BLUR = 12;

/** How much the functions of a filter let through. */
const opacityOf = (filter) => {
  let left = 1;
  for (const [, amount, unit] of filter.matchAll(/\bopacity\(([\d.]+)(%?)\)/g)) left *= parseFloat(amount) / (unit === '' ? 1 : 100);
  return left;
};

export const blurOf = (filter) => Math.max(0, ...[...filter.matchAll(/\bblur\(([\d.]+)px\)/g)].map(([, radius]) => parseFloat(radius)));

/** What an element that is out of the flow gets of the boxes around it: those of what it is placed in. @returns {{flow: ?Clip, scroller: ?Box}} */
const placedFacts = (scan, element, position) => {
  for (let node = flatParent(element); node && nodeType(node) === ELEMENT; node = flatParent(node)) {
    const style = styleOf(node);
    if ((position === 'absolute' && style.position !== 'static') || style.transform !== 'none' || style.filter !== 'none' || /paint|strict|content/.test(style.contain)) return factsOf(scan, node);
  }
  return scan.root;
};

/** @returns {?{box: ?Box, rule: string, isSoft: boolean, isScroller: boolean}} What an element cuts off of what overflows it. */
const overflowClip = (element, style, overflow) => {
  const display = style.display;
  if ((display === 'inline' && element instanceof HTMLElement) || display === 'contents' || isPageItself(element)) return null;
  const rect = boundingRect(element);
  const [across, down = across] = overflow.split(' ');
  if (isStrip(rect)) {
    // Where it is no strip, it may let things overflow.
    const isCut = (rect.width < MIN_STRIP && across !== 'visible') || (rect.height < MIN_STRIP && down !== 'visible');
    if (isCut) return { box: rect, rule: 'size', isSoft: false, isScroller: false };
  }
  const [left, top] = [scrollLeftOf(element), scrollTopOf(element)];
  const scrolls = /auto|scroll/;
  if (left !== 0 || top !== 0 || scrolls.test(overflow)) return { box: scrollOrigin(style, rect, left, top), rule: 'edge', isSoft: false, isScroller: true };
  // A page that may not be scrolled while something is asked of the user.
  const holdsView = element instanceof HTMLElement && rect.height >= innerHeight * 0.9;
  const [cutsAcross, cutsDown] = [across !== 'visible', down !== 'visible' && !holdsView];
  if (!cutsAcross && !cutsDown) return null;
  const box = { left: cutsAcross ? rect.left : -Infinity, right: cutsAcross ? rect.right : Infinity, top: cutsDown ? rect.top : -Infinity, bottom: cutsDown ? rect.bottom : Infinity };
  return { box, rule: 'edge', isSoft: element instanceof HTMLElement, isScroller: false };
};

/** Before its origin no scrolling leads. @returns {?Box} Null for what begins at other sides. */
const scrollOrigin = (style, rect, left, top) => {
  if (style.direction === 'rtl' || style.flexDirection.endsWith('reverse') || style.flexWrap === 'wrap-reverse' || style.writingMode !== 'horizontal-tb' || left < 0 || top < 0) return null;
  return { left: rect.left - left, top: rect.top - top, right: Infinity, bottom: Infinity };
};
