// Boxes, and what of an element its clips let through.

import { boundingRect, documentBody, documentById, documentRange, localName, offsetWidth, scrollingElement, styleOf } from './dom.js';
import { isEmptyReference } from './inherited.js';
import { attribute, documentElement, getter } from './primordials.js';
import { flatElements } from './tree.js';

/** @typedef {{left: number, top: number, right: number, bottom: number}} Box */

/** A strip that is narrower shows no letter, in pixels. */
export const MIN_STRIP = 4;

export const clientHeightOf = getter(Element.prototype, 'clientHeight');
export const clientWidthOf = getter(Element.prototype, 'clientWidth');
const offsetHeight = getter(HTMLElement.prototype, 'offsetHeight');

/** @returns {Box & {width: number, height: number}} */
export const boxOf = (left, top, right, bottom) => ({ left, top, right, bottom, width: right - left, height: bottom - top });

/** @param {Box} one @param {Box} other @returns {Box} */
export const intersection = (one, other) => ({ left: Math.max(one.left, other.left), top: Math.max(one.top, other.top), right: Math.min(one.right, other.right), bottom: Math.min(one.bottom, other.bottom) });

export const isStrip = (box) => box.right - box.left < MIN_STRIP || box.bottom - box.top < MIN_STRIP;

export const holdsPoint = (box, x, y) => box.left <= x && x <= box.right && box.top <= y && y <= box.bottom;

export const isWithin = (box, outer) => box.left >= outer.left - 1 && box.right <= outer.right + 1 && box.top >= outer.top - 1 && box.bottom <= outer.bottom + 1;

/** Whether a box with an area lies outside of another. */
export const isPast = (box, outer) => (box.width > 0 || box.height > 0) && (box.right <= outer.left + 1 || box.left >= outer.right - 1 || box.bottom <= outer.top + 1 || box.top >= outer.bottom - 1);

/** Whether a clip leaves less of a box than a letter. */
export const isCutAway = (box, clip) => {
  const width = Math.min(box.right, clip.right) - Math.max(box.left, clip.left);
  const height = Math.min(box.bottom, clip.bottom) - Math.max(box.top, clip.top);
  return width < Math.min(MIN_STRIP, (box.right - box.left) / 2) || height < Math.min(MIN_STRIP, (box.bottom - box.top) / 2);
};

/** Where the contents of a node are rendered. @param {Node} node @returns {DOMRect} */
export const contentBox = (node) => {
  contentRange.selectNodeContents(node);
  return contentRange.getBoundingClientRect();
};

/** To make a range takes as long as to measure it. */
const contentRange = documentRange(document);

export const isPageItself = (element) => element === documentBody(document) || element === documentElement(document);

/** Where the page ends to all sides, in the viewport. @returns {Box} */
export const scrollableBox = () => {
  const scroller = scrollingElement(document) || documentElement(document);
  const { scrollWidth, scrollHeight, clientWidth } = scroller;
  const body = documentBody(document);
  const runsLeft = styleOf(scroller).direction === 'rtl' || (body !== null && styleOf(body).direction === 'rtl');
  const backwards = scrollWidth > clientWidth && runsLeft ? clientWidth - scrollWidth : 0;
  // Beyond the far ends lies what a page forbids to scroll to.
  return { left: backwards - scrollX, top: -scrollY, right: Math.max(scrollWidth, innerWidth) + 1000 - scrollX, bottom: Math.max(scrollHeight, innerHeight) + 1000 - scrollY };
};

/** Whether no scrolling brings a box into view. */
export const isOutside = (box, page) => box.bottom <= page.top || box.right <= page.left || box.left >= page.right || box.top >= page.bottom;

// === Shapes of `clip-path` and `clip` ===

const NOTHING = { left: 0, top: 0, right: 0, bottom: 0 };

/** The box around what a shape lets through, relative to the element. @returns {?Box} Null for shapes that are not checked. */
const shapeBox = (path, width, height) => {
  const [, shape, inner = ''] = /^([a-z-]+)\((.*)\)/.exec(path) || [];
  switch (shape) {
    case 'inset': {
      const [top, right = top, bottom = top, left = right] = partsOfValue(inner.split(' round ')[0]);
      return { left: lengthIn(left, width), top: lengthIn(top, height), right: width - lengthIn(right, width), bottom: height - lengthIn(bottom, height) };
    }
    case 'circle':
    case 'ellipse':
      return roundBox(shape, inner, width, height);
    case 'polygon':
      return polygonBox(inner, width, height);
    case 'path':
    case 'shape': {
      // Where no number is large, nothing is.
      const numbers = (inner.match(/[\d.]+(?:e-?\d+)?(?:%|px)?/g) || []).map((number) => lengthIn(number, Math.max(width, height)));
      return numbers.length > 0 && numbers.every((number) => number < MIN_STRIP) ? NOTHING : null;
    }
  }
  return null;
};

const partsOfValue = (text) => text.trim().match(/(?:[^\s(]|\([^)]*\))+/g) || [];

/** A computed length; a share is one of `whole`. @returns {number} NaN for keywords. */
const lengthIn = (text, whole) => {
  if (/[a-z]{3,}/.test(text.replace('calc', ''))) return NaN;
  let sum = NaN;
  for (const [, sign, number, unit] of text.matchAll(/(-?(?:\s+)?|\+\s+)([\d.]+(?:e-?\d+)?)(%|px)?/g)) {
    const value = (sign.startsWith('-') ? -1 : 1) * parseFloat(number) * (unit === '%' ? whole / 100 : 1);
    sum = Number.isNaN(sum) ? value : sum + value;
  }
  return sum;
};

const SIDES = { left: '0%', top: '0%', center: '50%', right: '100%', bottom: '100%' };

const roundBox = (shape, inner, width, height) => {
  const [radii, place = '50% 50%'] = inner.split(/(?:^| )at /);
  const [x, y] = partsOfValue(place).map((word, index) => lengthIn(SIDES[word] || word, index === 0 ? width : height));
  const words = partsOfValue(radii);
  if (words.length === 0) return null;
  const across = lengthIn(words[0], shape === 'circle' ? Math.hypot(width, height) / Math.SQRT2 : width);
  const down = shape === 'circle' ? across : lengthIn(words[1] || words[0], height);
  return { left: x - across, top: y - down, right: x + across, bottom: y + down };
};

/** A polygon without an area lets nothing through, however far it reaches. */
const polygonBox = (inner, width, height) => {
  const points = inner.replace(/^(?:evenodd|nonzero),/, '').split(',').map((pair) => partsOfValue(pair).map((word, index) => lengthIn(word, index === 0 ? width : height)));
  const [across, down] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const around = { left: Math.min(...across), top: Math.min(...down), right: Math.max(...across), bottom: Math.max(...down) };
  const twice = points.reduce((sum, [x, y], index) => sum + x * down[(index + 1) % points.length] - across[(index + 1) % points.length] * y, 0);
  const longest = Math.max(around.right - around.left, around.bottom - around.top);
  return Math.abs(twice) / 2 / Math.max(1, longest) < MIN_STRIP / 2 ? NOTHING : around;
};

const clipRect = (clip) => {
  const [top, right, bottom, left] = (/^rect\((.*)\)$/.exec(clip) || ['', ''])[1].split(/,? /).map((side) => (side === 'auto' ? NaN : parseFloat(side)));
  return { left: left || 0, top: top || 0, right: Number.isNaN(right) ? Infinity : right, bottom: Number.isNaN(bottom) ? Infinity : bottom };
};

/** What `clip-path` or `clip` lets through of an element, in the viewport. @returns {?{rule: string, box: Box, path: ?{path: Path2D, left: number, top: number}}} Null for all of it, and for what is not checked. */
export const ownClip = (element, style) => {
  const isPlaced = style.position === 'absolute' || style.position === 'fixed';
  const path = style.clipPath;
  const hasClip = isPlaced && style.clip !== 'auto';
  if (path === 'none' && !hasClip) return null;
  const rect = boundingRect(element);
  const isBox = element instanceof HTMLElement && offsetWidth(element) > 0;
  const [width, height] = isBox ? [offsetWidth(element), offsetHeight(element)] : [rect.width, rect.height];
  const found = hasClip ? clipRect(style.clip) : path.startsWith('url(') ? referencedBox(path, width, height) : shapeBox(path, width, height);
  const outline = hasClip ? null : clipOutline(path, width, height);
  const shape = found === null && outline !== null ? { left: 0, top: 0, right: width, bottom: height } : found;
  if (shape === null || Object.values(shape).some(Number.isNaN)) return null;
  const rule = hasClip ? 'clip' : 'clip-path';
  if (isStrip(shape)) return { rule, path: null, box: { left: rect.left, top: rect.top, right: rect.left, bottom: rect.top } };
  // What a transform turns is not followed.
  if (isBox && (Math.abs(rect.width - width) > 1 || Math.abs(rect.height - height) > 1)) return null;
  return { rule, path: outline && { path: outline, left: rect.left, top: rect.top }, box: { left: rect.left + shape.left, top: rect.top + shape.top, right: rect.left + shape.right, bottom: rect.top + shape.bottom } };
};

/** The box around the shapes of a `<clipPath>` of the document. @returns {?Box} Null where it is not checked. */
const referencedBox = (path, width, height) => {
  if (isEmptyReference(path, 'clipPath')) return NOTHING;
  const [, id] = /^url\("[^"#]*#([^"]+)"\)$/.exec(path) || [];
  const clip = id ? documentById(document, id) : null;
  if (clip === null || localName(clip) !== 'clipPath' || attribute(clip, 'clipPathUnits') === 'objectBoundingBox') return null;
  const parts = flatElements(clip);
  if (!parts.every((part) => part instanceof SVGGeometryElement && styleOf(part).transform === 'none')) return null;
  return parts.every((/** @type {any} */ part) => {
    const { x, y, width: wide, height: high } = part.getBBox();
    return x >= width || y >= height || x + wide <= 0 || y + high <= 0;
  })
    ? NOTHING
    : null;
};

/** The outline of a path or a polygon. @returns {?Path2D} */
const clipOutline = (path, width, height) => {
  const [, drawn] = /^path\((?:evenodd, ?)?"([^"]*)"\)$/.exec(path) || [];
  if (drawn !== undefined) return new Path2D(drawn);
  const [, points] = /^polygon\((?:evenodd, ?|nonzero, ?)?(.*)\)/.exec(path) || [];
  if (points === undefined) return null;
  const corners = points.split(',').map((pair) => partsOfValue(pair).map((word, index) => lengthIn(word, index === 0 ? width : height)));
  return corners.flat().some(Number.isNaN) ? null : new Path2D(`M${corners.map((corner) => corner.join(' ')).join('L')}Z`);
};

let sketch = null;

/** Whether an outline holds no part of a box, by points in it. */
export const isCutOut = (box, { path: { path, left, top } }) => {
  sketch = sketch || new OffscreenCanvas(1, 1).getContext('2d');
  return [0.1, 0.3, 0.5, 0.7, 0.9].every((across) => [0.25, 0.5, 0.75].every((down) => !sketch.isPointInPath(path, box.left + (box.right - box.left) * across - left, box.top + (box.bottom - box.top) * down - top)));
};
