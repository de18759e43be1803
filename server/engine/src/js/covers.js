// Text that lies behind a blank box and moves with it, so that no scrolling
// brings it out.

import { ANY_COLOUR, colourParts, gradientColours, isClear, isSameColour } from './colours.js';
import { ELEMENT, animationsOf, boundingRect, checkVisibility, closest, comparePosition, matches, nodeType, styleOf } from './dom.js';
import { contentBox, intersection, isPageItself, isWithin } from './geometry.js';
import { groundOf, showsAllTheSame } from './grounds.js';
import { WORDS } from './hidden.js';
import { MIN_BLUR, blurOf, factsOf } from './inherited.js';
import { OPERATED } from './overflow.js';
import { textContent } from './primordials.js';
import { flatContains, flatParent } from './tree.js';
/** @import { Facts } from './inherited.js' */

/** A box that covers less is none, in square pixels. */
const MIN_COVER = 60;

/** A text of which more is covered is hidden. */
const COVERED_SHARE = 0.88;

/** Boxes that cover, and texts for each, that are checked. */
const MAX_COVERS = 300;

/** What a person opens over a page, and closes. */
const OPENED = 'dialog,[role=dialog],[role=alertdialog],[aria-modal=true],[role=menu],[role=listbox],[popover]';

/** Whether a blank element paints over other things all that is behind it. */
const isCover = (element, facts) => {
  const style = styleOf(element);
  const image = style.backgroundImage;
  const colours = image === 'none' || isClear(image) ? [colourParts(style.backgroundColor)] : gradientColours(image);
  const [above, below] = [parseFloat(style.borderTopWidth), parseFloat(style.borderBottomWidth)];
  if (above + below > 0 && above + below >= boundingRect(element).height) colours.splice(0, Infinity, colourParts(above > 0 ? style.borderTopColor : style.borderBottomColor));
  if (isFilledByShadow(element, style)) colours.splice(0, Infinity, colourParts((style.boxShadow.match(ANY_COLOUR) || [''])[0]));
  const isBlurred = blurOf(style.backdropFilter || '') >= MIN_BLUR;
  const isOpaque = isBlurred || colours.length > 0 && colours.every((colour) => colour !== null && colour[3] * facts.opacity > 0.95);
  if (!isOpaque || style.visibility !== 'visible' || !checkVisibility(element)) return false;
  for (let node = element; node && nodeType(node) === ELEMENT && !isPageItself(node); node = flatParent(node)) {
    const own = styleOf(node);
    // What stays in view, moves by itself or is opened goes away.
    if (/fixed|sticky/.test(own.position) || own.clipPath !== 'none' || own.maskImage !== 'none' || own.transform.startsWith('matrix3d')) return false;
    if (matches(node, OPENED) && WORDS.test(textContent(node))) return false;
  }
  return !animationsOf(element).some(({ playState }) => playState === 'running');
};

/** Whether one shadow within a box fills all of it. */
const isFilledByShadow = (element, style) => {
  const [, spread] = /^[^,]*\([^)]*\) 0px 0px 0px ([\d.]+)px inset$/.exec(style.boxShadow) || [];
  if (spread === undefined) return false;
  const { width, height } = boundingRect(element);
  return 2 * parseFloat(spread) >= Math.min(width, height);
};

/** What of a box its ancestors let through. @param {Facts} facts */
export const uncutBox = (facts, box) => {
  let left = box;
  for (let clip = facts.flow; clip !== null; clip = clip.outer) left = intersection(left, clip.box);
  return left;
};

/**
 * Marks texts behind blank boxes.
 * @param {Element[]} blanks Elements that hold nothing. @param {{bearer: Element, box: DOMRect}[]} texts Texts that show so far. @param {(element: Element, rule: string) => void} hide
 */
export const hideCovered = (scan, blanks, texts, hide) => {
  const shares = new Map();
  let left = MAX_COVERS;
  for (const blank of blanks) {
    const facts = factsOf(scan, blank);
    if (facts.rule !== '' || !isCover(blank, facts)) continue;
    const box = uncutBox(facts, boundingRect(blank));
    if (!((box.right - box.left) * (box.bottom - box.top) >= MIN_COVER) || box.right <= box.left) continue;
    if (--left < 0) return;
    for (const text of texts) {
      const shown = intersection(text.box, box);
      if (shown.right <= shown.left || shown.bottom <= shown.top) continue;
      const share = ((shown.right - shown.left) * (shown.bottom - shown.top)) / (text.box.width * text.box.height);
      if (share <= 0.03) continue;
      if (!paintsOver(blank, text.bearer)) {
        if (share >= COVERED_SHARE && isLostOn(blank, text.bearer)) hide(text.bearer, 'colour');
      } else if (!isOperatedBy(blank, text.bearer)) shares.set(text, (shares.get(text) || 0) + share);
    }
  }
  for (const [text, share] of shares) if (share >= COVERED_SHARE) hide(text.bearer, 'cover');
};

/** Whether a text has the colour of a box that is painted below it, with nothing between. */
const isLostOn = (blank, bearer) => {
  const [ground, ink] = [groundOf(styleOf(blank)), colourParts(styleOf(bearer).webkitTextFillColor)];
  if (ground === undefined || ground === null || ground[3] < 0.95 || ink === null || bearer instanceof SVGElement || !isSameColour(ink, ground)) return false;
  for (let node = bearer; node && nodeType(node) === ELEMENT && !flatContains(node, blank); node = flatParent(node)) {
    if (groundOf(styleOf(node)) !== undefined) return false;
  }
  return styleOf(bearer).textShadow === 'none' && !showsAllTheSame(bearer, contentBox(bearer), ink, ground, () => []);
};

/** Whether what covers is a part of a control that the text is a part of, as a sheen over a button is, or asks something of a person. */
const isOperatedBy = (blank, bearer) => {
  const around = closest(blank, OPERATED);
  return around !== null && !flatContains(around, bearer);
};

/** Whether what sinks below the flow lies under an opaque ancestor. */
export const isSunk = (element) => {
  const box = contentBox(element);
  for (let node = flatParent(element); node && nodeType(node) === ELEMENT; node = flatParent(node)) {
    const style = styleOf(node);
    const stacks = (style.position !== 'static' && style.zIndex !== 'auto') || style.transform !== 'none' || parseFloat(style.opacity) < 1 || style.isolation === 'isolate';
    if (stacks || isPageItself(node)) return false;
    const colour = colourParts(style.backgroundColor);
    if (colour !== null && colour[3] > 0.95 && isWithin(box, boundingRect(node))) return true;
  }
  return false;
};

// === Boxes that a style places before or after the content of an element ===

/** Elements that are asked for such boxes: each takes some microseconds. */
const MAX_PLATED = 300;

/** Marks texts behind, or in the colour of, what `::before` and `::after` paint over their element. */
export const hidePlated = (scan, texts, hide) => {
  if (texts.length === 0 || scan.placed.length === 0) return;
  for (const element of scan.placed.slice(0, MAX_PLATED)) {
    for (const pseudo of ['::before', '::after']) {
      const style = styleOf(element, pseudo);
      if (style.content === 'none' || style.content === 'normal' || style.position !== 'absolute' || WORDS.test(style.content)) continue;
      const colours = style.backgroundImage === 'none' ? [colourParts(style.backgroundColor)] : gradientColours(style.backgroundImage);
      const [high, above, below] = [parseFloat(style.height), parseFloat(style.borderTopWidth), parseFloat(style.borderBottomWidth)];
      // A box that is hardly more than its border.
      if (above + below > high) colours.splice(0, Infinity, colourParts(style.borderTopColor));
      const alpha = parseFloat(style.opacity);
      if (style.visibility !== 'visible' || style.clipPath !== 'none' || style.maskImage !== 'none' || style.transform !== 'none' || colours.length === 0 || !colours.every((colour) => colour !== null && colour[3] * alpha > 0.95)) continue;
      const around = boundingRect(element);
      const [left, top] = [around.left + parseFloat(style.left), around.top + parseFloat(style.top)];
      const box = { left, top, right: left + parseFloat(style.width) + (style.boxSizing === 'border-box' ? 0 : parseFloat(style.borderLeftWidth) + parseFloat(style.borderRightWidth)), bottom: top + (style.boxSizing === 'border-box' ? high : high + above + below) };
      const layer = parseInt(style.zIndex, 10) || 0;
      for (const text of texts) {
        if (!isWithin(text.box, box) || !flatContains(element, text.bearer)) continue;
        const own = layerBelow(text.bearer, element).layer;
        if (own < layer || (own === layer && pseudo === '::after')) hide(text.bearer, 'cover');
        else if (layer < 0 && colours.length === 1 && style.backgroundImage === 'none') {
          const ink = colourParts(styleOf(text.bearer).webkitTextFillColor);
          const isPlain = groundOf(styleOf(text.bearer)) === undefined && styleOf(text.bearer).textShadow === 'none';
          if (ink !== null && isPlain && (element === text.bearer || flatParent(text.bearer) === element) && isSameColour(ink, colours[0])) hide(text.bearer, 'colour');
        }
      }
    }
  }
};

// === Which of two elements is painted later: by the layers of what holds them ===
// below their common ancestor, else by their order. Source: CSS 2.2, appendix E.

/** Whether `cover` is painted after the text of `text`. */
const paintsOver = (cover, text) => {
  if (flatContains(text, cover)) return layerBelow(cover, text).layer >= 0;
  const above = new Set();
  for (let node = cover; node; node = flatParent(node)) above.add(node);
  let meeting = text;
  while (meeting && !above.has(meeting)) meeting = flatParent(meeting);
  if (!meeting) return false;
  const [one, other] = [layerBelow(cover, meeting), layerBelow(text, meeting)];
  // In a 3D context depth decides, which is not followed.
  if (one.isDeep || other.isDeep) return false;
  if (one.layer !== other.layer) return one.layer > other.layer;
  const isLater = (comparePosition(cover, text) & Node.DOCUMENT_POSITION_PRECEDING) !== 0;
  // In the flow all text is painted over all backgrounds, but for those of boxes that are painted as one.
  return isLater && (one.layer >= 0 || one.isAtom);
};

/** What makes a layer of an element that stands in the flow. */
const LAYERING = [
  ['transform', 'none'],
  ['filter', 'none'],
  ['isolation', 'auto'],
  ['clipPath', 'none'],
  ['maskImage', 'none'],
  ['translate', 'none'],
  ['scale', 'none'],
  ['rotate', 'none'],
  ['perspective', 'none'],
  ['mixBlendMode', 'normal'],
  ['backdropFilter', 'none'],
];

/** Properties that make a layer as soon as they are announced. */
const ANNOUNCED = /transform|opacity|filter|perspective|clip-path|mask|isolation|mix-blend|translate|scale|rotate|z-index|position/;

export const makesLayer = (style) => parseFloat(style.opacity) < 1 || LAYERING.some(([property, usual]) => style[property] !== usual) || /paint|layout|strict|content/.test(style.contain) || (style.willChange !== 'auto' && ANNOUNCED.test(style.willChange));

/** Boxes that are painted as one in their place in the flow. */
const ATOM = /^inline-(?:block|flex|grid|table)|^inline flow-root/;

const HOLDS_ITEMS = /flex|grid/;

/**
 * The layer in which the part of `ancestor` that holds `element` is painted:
 * -0.5 for what stands in the flow. `isAtom`: as one box with what it holds.
 */
const layerBelow = (element, ancestor) => {
  const found = { layer: -0.5, isAtom: false, isDeep: false };
  for (let node = element; node && node !== ancestor; node = flatParent(node)) {
    if (nodeType(node) !== ELEMENT) continue;
    const style = styleOf(node);
    const around = flatParent(node);
    const holder = around && nodeType(around) === ELEMENT ? styleOf(around) : null;
    const isItem = holder !== null && HOLDS_ITEMS.test(holder.display);
    const isPlaced = style.position !== 'static' || (isItem && style.zIndex !== 'auto');
    if (holder !== null && holder.transformStyle === 'preserve-3d') found.isDeep = true;
    if (isItem || ATOM.test(style.display)) found.isAtom = true;
    // The outermost decides.
    if (isPlaced || makesLayer(style)) found.layer = isPlaced ? parseInt(style.zIndex, 10) || 0 : 0;
  }
  return found;
};
