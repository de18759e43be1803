// What effects make of text: filters and blending by which it comes out like
// what lies behind it, lines through it, highlights, and faces turned away.

import { colourParts, isSameColour } from './colours.js';
import { makesLayer } from './covers.js';
import { ELEMENT, isConnected, nodeType, parentNode, styleOf } from './dom.js';
import { colourBehind, colourBelow, groundOf } from './grounds.js';
import { factsOf } from './inherited.js';
import { MAX_TEXTS } from './overflow.js';
import { documentElement, textContent } from './primordials.js';
import { flatParent } from './tree.js';

// === Filters and blending ===

const clampColour = (colour) => colour.map((value, index) => (index === 3 ? value : Math.min(255, Math.max(0, value))));

const eachChannel = (make) => ([red, green, blue, alpha]) => [make(red), make(green), make(blue), alpha];

/** What the functions of a filter do to a colour, by their names. Hues are left as they are. */
const FILTERS = {
  brightness: (amount) => eachChannel((value) => value * amount),
  contrast: (amount) => eachChannel((value) => (value - 127.5) * amount + 127.5),
  invert: (amount) => eachChannel((value) => value + (255 - 2 * value) * Math.min(1, amount)),
};

/** @returns {?Function} Null where a function is not known. */
const filterTint = (filter) => {
  const steps = [...filter.matchAll(/([a-z-]+)\(((?:[^()]|\([^()]*\))*)\)/g)].map(([, name, inner]) => ({ name, amount: inner.endsWith('%') ? parseFloat(inner) / 100 : parseFloat(inner) }));
  if (!steps.every(({ name, amount }) => FILTERS[name] && !Number.isNaN(amount))) return null;
  return (colour) => steps.reduce((now, { name, amount }) => clampColour(FILTERS[name](amount)(now)), colour);
};

/** What blending makes of a channel over another, each from 0 to 1. Source: Compositing and Blending Level 1. */
const BLENDS = {
  multiply: (own, below) => own * below,
  screen: (own, below) => own + below - own * below,
  darken: Math.min,
  lighten: Math.max,
  // The light of what is below stays, and it is light that letters are told by.
  hue: (own, below) => below,
  saturation: (own, below) => below,
  color: (own, below) => below,
};

const blended = (mode, own, below) => [0, 1, 2].map((index) => 255 * BLENDS[mode](own[index] / 255, below[index] / 255)).concat(own[3]);

/** Whether a filter or a blend mode of an element makes text in it look like what lies behind it, as far as both are known. */
export const isTintedAway = (bearer, ink) => {
  let ground;
  for (let node = bearer; node && nodeType(node) === ELEMENT; node = flatParent(node)) {
    const style = styleOf(node);
    if (ground === undefined) ground = groundOf(style);
    if (ground === null) return false;
    const [filter, mode] = [style.filter, style.mixBlendMode];
    if (filter !== 'none') {
      const tint = filterTint(filter);
      if (tint === null || node === documentElement(document)) return false;
      ink = tint(ink);
      if (ground !== undefined) ground = tint(ground);
    }
    if (mode !== 'normal') {
      const around = flatParent(node);
      const below = BLENDS[mode] && around && nodeType(around) === ELEMENT ? colourBehind(around) : null;
      if (below === null || isIsolated(around)) return false;
      ink = blended(mode, ink, below);
      if (ground !== undefined) ground = blended(mode, ground, below);
    }
  }
  return isSameColour(ink, ground === undefined ? colourBelow(window) : ground);
};

/** Whether blending does not reach what lies behind an element, or all of the page. */
const isIsolated = (element) => {
  for (let node = element; node && nodeType(node) === ELEMENT && node !== documentElement(document); node = flatParent(node)) {
    const style = styleOf(node);
    if (groundOf(style) !== undefined) return false;
    if (makesLayer(style) || (style.position !== 'static' && style.zIndex !== 'auto')) return true;
  }
  return false;
};

// === Lines ===

/** A line that is thicker, in parts of the size of letters, covers them. */
const MIN_LINE_SHARE = 0.6;

/** Whether a line of the style of `element` covers the letters of a text in it. */
export const isStruckOut = (element, bearer) => {
  const style = styleOf(element);
  const own = styleOf(bearer);
  const [line, size, thickness] = [style.textDecorationLine, parseFloat(own.fontSize), style.textDecorationThickness];
  const high = thickness.endsWith('%') ? (parseFloat(thickness) / 100) * size : parseFloat(thickness);
  const colour = colourParts(style.textDecorationColor);
  if (!(high >= MIN_LINE_SHARE * size) || colour === null || colour[3] < 0.5) return false;
  for (let node = bearer; node && node !== element; node = flatParent(node)) {
    const inner = styleOf(node);
    if (inner.float !== 'none' || inner.position === 'absolute' || inner.position === 'fixed' || inner.display.startsWith('inline-')) return false;
  }
  if (line.includes('line-through')) return true;
  // Other lines lie behind the letters.
  const ink = colourParts(own.webkitTextFillColor);
  return (line.includes('overline') || parseFloat(own.textUnderlineOffset) < -0.2 * size) && ink !== null && isSameColour(ink, colour);
};

// === Highlights and the selection ===

/** Marks texts that a style for a range of them paints in the colour of what lies behind. */
export const hideHighlighted = (scan, hide) => {
  const ranges = [];
  for (const [name, highlight] of CSS.highlights) for (const range of highlight) ranges.push([range, `::highlight(${name})`]);
  const selection = getSelection();
  if (selection !== null && selection.rangeCount > 0 && !selection.isCollapsed) ranges.push([selection.getRangeAt(0), '::selection']);
  for (const [range, pseudo] of ranges.slice(0, MAX_TEXTS)) {
    const start = range.startContainer;
    const bearer = nodeType(start) === ELEMENT ? start : parentNode(start);
    const holdsAll = bearer !== null && nodeType(bearer) === ELEMENT && bearer === (nodeType(range.endContainer) === ELEMENT ? range.endContainer : parentNode(range.endContainer)) && isHighlighted(range, bearer);
    if (!holdsAll || !isConnected(bearer)) continue;
    const style = styleOf(bearer, pseudo);
    const ink = colourParts(style.color);
    const own = colourParts(style.backgroundColor);
    const ground = own !== null && own[3] > 0.95 ? own : own !== null && own[3] > 0.05 ? null : factsOf(scan, bearer).ground;
    if (ink !== null && ground !== null && isSameColour(ink, ground) && style.color !== styleOf(bearer).color) hide(bearer, 'colour');
  }
};

/** Whether a range holds all the text of an element. */
const isHighlighted = (range, element) => {
  const text = textContent(element);
  return range instanceof Range ? range.toString() === text : range.startOffset === 0 && (nodeType(range.endContainer) === ELEMENT ? range.endOffset >= element.childNodes.length : range.endOffset >= text.length);
};

// === Faces turned away ===

/** Whether an element whose back is not painted is turned round. */
export const isTurnedAway = (element) => {
  let matrix = new DOMMatrix();
  for (let node = element; node && nodeType(node) === ELEMENT; node = flatParent(node)) {
    const style = styleOf(node);
    const own = new DOMMatrix(style.transform === 'none' ? '' : style.transform);
    matrix = rotationOf(style).multiply(own).multiply(matrix);
    const around = flatParent(node);
    if (!around || nodeType(around) !== ELEMENT || styleOf(around).transformStyle !== 'preserve-3d') break;
  }
  return matrix.m33 < 0;
};

/** What `rotate` makes, which has an axis or turns in the plane. */
const rotationOf = (style) => {
  const [, axis, x, y, z, angle] = /^(?:([xyz]) |([-\d.e]+) ([-\d.e]+) ([-\d.e]+) )?([-\d.e]+)deg$/.exec(style.rotate) || [];
  if (angle === undefined) return new DOMMatrix();
  const [across, down, deep] = axis ? ['x', 'y', 'z'].map((one) => (one === axis ? 1 : 0)) : x === undefined ? [0, 0, 1] : [x, y, z].map(Number);
  return new DOMMatrix().rotateAxisAngle(across, down, deep, Number(angle));
};
