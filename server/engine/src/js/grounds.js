// What lies behind text: the backgrounds of its ancestors, and whatever else is
// painted there. Where that is not known, text counts as shown.

import { SKIPPED_TAGS } from './tags.js';
import { ANY_COLOUR, NIGHT, WHITE, blend, colourParts, evenColour, isClear, isSameColour } from './colours.js';
import { ELEMENT, boundingRect, checkVisibility, comparePosition, documentSelectFirst, localName, nodeType, selectFirst, shadowSelectAll, styleOf } from './dom.js';
import { holdsPoint, isWithin } from './geometry.js';
import { remembered } from './hidden.js';
import { attribute, documentElement, list, selectAll } from './primordials.js';
import { flatContains, flatParent } from './tree.js';
import { knownRoots } from './walk.js';
/** @import { Box } from './geometry.js' */

/**
 * The colour that a document without a background shows: that of its scheme, or
 * in a frame what lies behind the frame. What lies behind one of another origin
 * is taken for white.
 * @param {any} view A window. @returns {?number[]}
 */
export const colourBelow = (view) => {
  const root = documentElement(view.document);
  const own = root === null ? '' : styleOf(root).colorScheme;
  const scheme = own === 'normal' ? schemeOf(view.document) : own;
  const isDark = scheme.includes('dark') && (!scheme.includes('light') || view.matchMedia('(prefers-color-scheme: dark)').matches);
  if (isDark) return NIGHT;
  try {
    const frame = view.parent === view ? null : view.frameElement;
    return frame === null ? WHITE : colourBehind(frame, view.parent);
  } catch {
    return WHITE;
  }
};

/** The schemes that a page declares. */
const schemeOf = (page) => {
  const meta = documentSelectFirst(page, 'meta[name="color-scheme" i]');
  return meta === null ? '' : (attribute(meta, 'content') || '').toLowerCase();
};

/** The colour that a style paints; null for a picture, undefined for nothing. @returns {?number[]|undefined} */
export const groundOf = (style) => {
  const image = style.backgroundImage;
  const isPainted = image !== 'none' && !isClear(image) && !/^0(?:px|%)?(?: |$)/.test(style.backgroundSize);
  if (isPainted && !isEven(style)) return null;
  if (isPainted) return evenColour(image);
  const colour = style.backgroundColor;
  if (colour === 'rgba(0, 0, 0, 0)') return undefined;
  const parts = colourParts(colour);
  return parts !== null && parts[3] < 0.05 ? undefined : parts;
};

/** Whether the images of a background fill all of a box, and are not mixed with its colour. */
const isEven = (style) => !style.backgroundClip.includes('text') && !/[^normal, ]/.test(style.backgroundBlendMode) && (!style.backgroundRepeat.includes('no-repeat') || style.backgroundSize === 'auto') && !/\d/.test(style.backgroundSize);

/** The colour behind what an element holds, with that of what lies behind it. @param {?number[]} outer @returns {?number[]} */
export const groundWithin = (style, outer) => {
  const own = groundOf(style);
  if (own === undefined) return outer;
  return own !== null && own[3] <= 0.9 ? blend(own, outer) : own;
};

/** The colour behind an element, by its ancestors. @returns {?number[]} Null where a picture or a shade makes it unknown. */
export const colourBehind = (element, view = window) => {
  const veils = [];
  for (let node = element; node && nodeType(node) === ELEMENT; node = flatParent(node)) {
    const own = groundOf(styleOf(node));
    if (own === null) return null;
    if (own === undefined) continue;
    veils.push(own);
    if (own[3] > 0.9) break;
  }
  const last = veils.length > 0 && veils[veils.length - 1][3] > 0.9 ? veils.pop() : colourBelow(view);
  return veils.reduceRight((behind, veil) => blend(veil, behind), last);
};

// === Whether text in the colour of its background shows all the same ===

const PICTURES = 'img,video,canvas,svg,iframe,object,embed';
export const PICTURE_TAGS = new Set(PICTURES.split(','));

const PAINTED = { visibilityProperty: true, opacityProperty: true };

/** Whether it paints what a person can see: not what is see-through, or has nothing to show. */
export const isPainted = (element) => checkVisibility(element, PAINTED) && parseFloat(styleOf(element).opacity) > 0.1 && (localName(element) !== 'svg' || selectFirst(element, `${SHAPES},text`) !== null);

/** What matches in an element, and in every shadow tree that is known. */
const selectThrough = (top, selector) => [top, ...knownRoots()].flatMap((root) => list(nodeType(root) === ELEMENT ? selectAll(root, selector) : shadowSelectAll(root, selector)));

/** Elements of a page that are asked for what they paint; of larger ones no text counts as hidden for its colour. */
const MAX_PAINTERS = 12_000;

/** @typedef {{element: Element, box: Box, stays: boolean, ground: ?number[]}} Painter `ground`: null for one that is not known. */

/** Borders that are wider may lie behind text, in pixels. */
const MIN_BORDER = 6;

/** All that may lie behind the text of others. @returns {?Painter[]} Null when there is too much of it. */
export const paintersWithin = (top) => {
  const all = selectThrough(top, '*');
  if (all.length > MAX_PAINTERS) return null;
  return all.flatMap((element) => {
    const style = styleOf(element);
    const isPicture = PICTURE_TAGS.has(localName(element));
    const reach = reachOf(style);
    const ground = isPicture || reach > 0 ? null : groundOf(style);
    if (ground === undefined || SKIPPED_TAGS.has(localName(element)) || !isPainted(element)) return [];
    const { left, top: above, right, bottom } = boundingRect(element);
    return [{ element, box: { left: left - reach, top: above - reach, right: right + reach, bottom: bottom + reach }, stays: staysInView(element), ground }];
  });
};

/** How far an element paints around its box by a shadow or a border image, or within it by a wide border. */
const reachOf = (style) => {
  const image = style.borderImageSource === 'none' ? 0 : Math.max(MIN_BORDER, ...(style.borderImageOutset.match(/[\d.]+/g) || []).map(Number));
  const shadow = style.boxShadow === 'none' ? 0 : Math.max(...(style.boxShadow.match(/-?[\d.]+px/g) || ['0']).map((length) => Math.abs(parseFloat(length)))) * 2;
  const border = ['Top', 'Right', 'Bottom', 'Left'].some((side) => parseFloat(style[`border${side}Width`]) >= MIN_BORDER) ? 1 : 0;
  return Math.max(shadow, border, image);
};

/** Whether it stays where it is while the page is scrolled, and so may come to lie behind anything. */
const staysInView = (element) => {
  for (let node = element; node && nodeType(node) === ELEMENT; node = flatParent(node)) if (/fixed|sticky/.test(styleOf(node).position)) return true;
  return false;
};

/** What stays in view comes to lie there if it is as high as the text. */
const liesAt = ({ box, stays }, x, y, text) => (stays ? box.left <= x && x <= box.right && box.bottom - box.top >= text.bottom - text.top : holdsPoint(box, x, y));

/** A thinner outline is none, in pixels. */
const MIN_OUTLINE = 0.2;

/**
 * Whether text in the colour of its background is shown by something else: an
 * effect on it, or what is painted behind it.
 * @param {Element} bearer @param {Box} box Of the text. @param {number[]} ink @param {?number[]} ground Null for what effects make of it. @param {() => ?Painter[]} painters
 */
export const showsAllTheSame = (bearer, box, ink, ground, painters) => {
  const style = styleOf(bearer);
  const isTinted = ground === null;
  const standsOut = (colour) => isTinted || colour === null || (colour[3] >= 0.1 && !isSameColour(colour, ground));
  if (style.textShadow !== 'none' && castShadows(style.textShadow).some((colour) => standsOut(colourParts(colour)))) return true;
  if (parseFloat(style.webkitTextStrokeWidth) >= MIN_OUTLINE && standsOut(colourParts(style.webkitTextStrokeColor))) return true;
  const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  if (!isTinted && hasFirstLine(bearer, standsOut)) return true;
  for (let node = bearer; node && nodeType(node) === ELEMENT; node = flatParent(node)) {
    if (node instanceof SVGForeignObjectElement || (!isTinted && hasEffect(styleOf(node), standsOut)) || paintsAround(node, styleOf(node), x, y)) return true;
    for (const pseudo of ['::before', '::after']) {
      const part = styleOf(node, pseudo);
      if (part.content === 'none' || part.content === 'normal') continue;
      const own = groundOf(part);
      if (own === null || (own !== undefined && !isSameColour(ink, own))) return true;
    }
  }
  const all = painters();
  return all === null || all.some((one) => !flatContains(one.element, bearer) && liesAt(one, x, y, box) && mayLieBehind(one, bearer, box) && (one.ground === null || !isSameColour(ink, one.ground)));
};

/** Whether the first line of the block around a text has a colour of its own. */
const hasFirstLine = (bearer, standsOut) => {
  let block = bearer;
  while (styleOf(block).display === 'inline' && flatParent(block) && nodeType(flatParent(block)) === ELEMENT) block = flatParent(block);
  const first = styleOf(block, '::first-line').webkitTextFillColor;
  return first !== styleOf(block).webkitTextFillColor && standsOut(colourParts(first));
};

/** The colours of shadows that lie beside the letters, and near them. @returns {string[]} */
const castShadows = (shadows) =>
  [...shadows.matchAll(/((?:rgba?|color|lab|lch|oklab|oklch)\([^()]*\)) (-?[\d.]+)px (-?[\d.]+)px (-?[\d.]+)px/g)].flatMap(([, colour, ...lengths]) => {
    const [right, down, blur] = lengths.map(Number);
    return Math.abs(right) + Math.abs(down) + blur >= 0.5 && Math.hypot(right, down) < 500 ? [colour] : [];
  });

/** A filter that fades, or casts a shadow that does not stand out. */
const isMildFilter = (filter, standsOut) => filter.startsWith('opacity(') || (/^drop-shadow\([^)]*\)[^)]*\)$/.test(filter) && !(filter.match(ANY_COLOUR) || []).some((colour) => standsOut(colourParts(colour))));

/** Effects that make other colours of text or of what lies behind it. */
const hasEffect = (style, standsOut) => (style.filter !== 'none' && !isMildFilter(style.filter, standsOut)) || style.mixBlendMode !== 'normal' || (style.backdropFilter || 'none') !== 'none' || style.boxShadow.includes('inset') || style.backgroundClip.includes('text');

/** Whether an ancestor paints by its border or its shadow where its text is: not within its own box, but for border images that fill it. */
const paintsAround = (element, style, x, y) => {
  const isFilled = style.borderImageSource !== 'none' && style.borderImageSlice.includes('fill');
  if (isFilled) return true;
  if (reachOf(style) === 0) return false;
  const { left, top, right, bottom } = boundingRect(element);
  const [above, after, below, before] = ['Top', 'Right', 'Bottom', 'Left'].map((side) => parseFloat(style[`border${side}Width`]));
  return x < left + before || x > right - after || y < top + above || y > bottom - below;
};

/** Whether what paints may lie behind a text: it is beside it, or a part that is laid under all of it. @param {Painter} painter */
const mayLieBehind = ({ element, box: own }, bearer, box) => {
  if (!flatContains(bearer, element)) return true;
  return isWithin(box, own) && styleOf(element).position !== 'static';
};

// === Drawings ===

const outerDrawing = (element) => {
  let drawing = null;
  for (let node = element; node && nodeType(node) === ELEMENT; node = flatParent(node)) {
    if (localName(node) === 'svg') drawing = node;
    else if (node instanceof HTMLElement && drawing !== null) break;
  }
  return drawing;
};

/** What a text of a drawing is painted with; null when that cannot be told. @returns {?number[]} */
export const drawnInk = (style) => {
  if (style.stroke !== 'none' && parseFloat(style.strokeWidth) > 0 && parseFloat(style.strokeOpacity) > 0.1) return null;
  if (style.fill === 'none') return [0, 0, 0, 0];
  const parts = colourParts(style.fill);
  return parts === null ? null : [parts[0], parts[1], parts[2], parts[3] * parseFloat(style.fillOpacity)];
};

const SHAPES = 'rect,circle,ellipse,path,polygon,polyline,line,image,use,foreignObject';

/** Shapes that are asked for; in richer drawings no text counts as hidden for its colour. */
const MAX_SHAPES = 500;

/** @returns {?{element: Element, box: Box, ground: ?number[]}[]} What a drawing paints; null for too much of it. */
const shapesOf = (drawing) => {
  const all = selectAll(drawing, SHAPES);
  if (all.length > MAX_SHAPES) return null;
  return list(all).flatMap((element) => {
    const style = styleOf(element);
    const fill = style.fill === 'none' ? [0, 0, 0, 0] : colourParts(style.fill);
    const isThin = style.stroke === 'none' || parseFloat(style.strokeWidth) < 4;
    const alpha = fill === null ? 1 : fill[3] * parseFloat(style.fillOpacity) * parseFloat(style.opacity);
    if (alpha < 0.05 && isThin && element instanceof SVGGeometryElement) return [];
    // Of a rectangle alone it is known where it paints.
    const isSure = localName(element) === 'rect' && isThin && alpha > 0.9;
    const { left, top, right, bottom } = boundingRect(element);
    // Half of a wide line lies without, in units of the drawing.
    const line = isThin ? 0 : Math.max(right - left, bottom - top);
    return [{ element, box: { left: left - line, top: top - line, right: right + line, bottom: bottom + line }, ground: isSure ? fill : null }];
  });
};

/** What becomes of a text in a drawing by what is drawn before and after it. @param {?number[]} ground That of the drawing. */
export const drawnRule = (text, box, ink, ground, shapesKnown) => {
  const drawing = outerDrawing(text);
  const shapes = drawing === null ? null : remembered(shapesKnown, drawing, shapesOf);
  if (shapes === null) return '';
  const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  let behind = ground;
  for (const shape of shapes) {
    if (!holdsPoint(shape.box, x, y)) continue;
    if ((comparePosition(shape.element, text) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0) behind = shape.ground;
    else if (shape.ground && isWithin(box, shape.box) && isPainted(shape.element)) return 'cover';
  }
  return ink !== null && behind !== null && isSameColour(ink, behind) ? 'colour' : '';
};
