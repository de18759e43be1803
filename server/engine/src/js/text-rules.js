// The rules by which a text is out of sight, or cannot be read where it is.

import { WHITE, colourParts, evenColour, isSameColour } from './colours.js';
import { ELEMENT, documentRange, hasAttribute, nodeType, styleOf, textData, tidy } from './dom.js';
import { isStruckOut, isTintedAway } from './effects.js';
import { isCutAway, isCutOut, isOutside } from './geometry.js';
import { drawnInk, drawnRule, showsAllTheSame } from './grounds.js';
import { MIN_OPACITY, factsOf, foldAround, isFoldClosed } from './inherited.js';
import { isLostPast } from './overflow.js';
import { attribute, textContent } from './primordials.js';
import { flatParent } from './tree.js';
/** @import { Facts, Scan } from './inherited.js' */

/** @param {Scan} scan @param {Facts} facts @returns {string} The rule by which a box is out of sight. */
export const boxRule = (scan, bearer, facts, box) => {
  for (let clip = facts.shapes; clip !== null; clip = clip.outer) if (isCutAway(box, clip.box) || (clip.path !== null && isCutOut(box, clip))) return clip.rule;
  for (let clip = facts.flow; clip !== null; clip = clip.outer) {
    if (isCutAway(box, clip.box)) return clip.isSoft && !isLostPast(bearer, clip.element, clip.box) ? '' : clip.rule;
  }
  const place = facts.scroller || box;
  if (facts.isFixed) return isOutside(place, { left: 0, top: 0, right: innerWidth, bottom: innerHeight }) ? 'off-screen' : '';
  // A person scrolls down, and not for screens to the side.
  const isFarAside = place.left + scrollX > 2 * innerWidth + 2000;
  return isOutside(place, scan.page) || isFarAside ? 'off-screen' : '';
};

/** Letters lower than this nobody reads, in pixels; a line is a little higher than its letters. */
const MIN_LINE = 3.4;

/** The area of a letter in a line of that height, in square pixels, with some more. */
const MIN_LETTER_AREA = 8;

/** Letters nearer to each other than this, in parts of their size, lie one on the other; farther, they are no words. */
const MIN_SPACING = -0.3;
const MAX_SPACING = 5;

/** Whether letters are drawn one on the other, by a length that is given for all of them. */
const isSqueezed = (text) => hasAttribute(text, 'textLength') && parseFloat(attribute(text, 'textLength')) < 0.2 * parseFloat(styleOf(text).fontSize) * tidy(textContent(text)).length;

/** @returns {string} The rule by which letters cannot be read. */
const letterRule = (text, style, size, box) => {
  if (box.height < MIN_LINE) return size < MIN_LINE ? 'font' : 'size';
  if (box.width < 1) return style.letterSpacing === 'normal' ? 'size' : 'spacing';
  const letters = textData(text).length;
  const isWide = box.width > MAX_SPACING * size * letters && box.height < 3 * size;
  if (!isWide && box.width * box.height >= MIN_LETTER_AREA * letters) return '';
  if (isWide) return [style.letterSpacing, style.wordSpacing].some((spacing) => parseFloat(spacing) > MAX_SPACING * size) ? 'spacing' : box.width > 20 * size * letters ? 'size' : '';
  const range = documentRange(document);
  range.selectNodeContents(text);
  const lines = range.getClientRects();
  if (lines.length === 0) return '';
  if (lines[0].height < MIN_LINE) return 'font';
  const count = tidy(textData(text)).length;
  if (parseFloat(style.letterSpacing) / size <= MIN_SPACING) return 'spacing';
  // Squeezed by a transform.
  return lines.length === 1 && box.width < 0.1 * box.height * count && count > 2 && style.writingMode === 'horizontal-tb' ? 'size' : '';
};

/** @param {Scan} scan @param {Facts} facts @returns {string} The rule by which a text cannot be seen; empty where it can. */
export const textRule = (scan, text, bearer, facts, box) => {
  if (facts.rule !== '') return facts.rule;
  const style = styleOf(bearer);
  const isDrawn = bearer instanceof SVGElement;
  const letters = letterRule(text, style, parseFloat(style.fontSize), box);
  if (letters !== '') return letters;
  const rule = boxRule(scan, bearer, facts, box);
  if (rule !== '') return rule;
  if (/** @type {any} */ (style).webkitTextSecurity !== 'none') return 'font';
  if (scan.hasDetails) {
    const fold = foldAround(text);
    if (fold !== null && Number(fold.opacity) < MIN_OPACITY) return 'opacity';
    if (fold !== null && isFoldClosed(fold)) return 'size';
  }
  if (isDrawn) {
    if (isSqueezed(bearer)) return 'spacing';
    const ink = drawnInk(style);
    const drawn = drawnRule(bearer, box, ink, facts.ground, scan.shapes);
    return drawn === 'colour' && showsAllTheSame(bearer, box, ink, facts.ground || WHITE, () => []) ? '' : drawn;
  }
  const ink = inkOf(style);
  if (ink !== null && facts.tinter !== null && isTintedAway(bearer, ink) && !showsAllTheSame(bearer, box, ink, null, scan.painters)) return facts.tinter;
  if (facts.liner !== null && isStruckOut(facts.liner, bearer)) return 'line';
  if (ink !== null && ink[3] < 0.1 && style.backgroundClip.includes('text')) {
    const outer = flatParent(bearer);
    const letters = evenColour(style.backgroundImage);
    const behind = letters !== null && outer && nodeType(outer) === ELEMENT ? factsOf(scan, outer).ground : null;
    return behind !== null && isSameColour(letters, behind) ? 'colour' : '';
  }
  if (facts.ground === null) return '';
  return ink !== null && isSameColour(ink, facts.ground) && !showsAllTheSame(bearer, box, ink, facts.ground, scan.painters) ? 'colour' : '';
};

/** The colour that is seen of letters: that of a stroke as wide as most of their stems. */
const inkOf = (style) => {
  const isStroked = parseFloat(style.webkitTextStrokeWidth) >= MIN_STROKE * parseFloat(style.fontSize) && !style.paintOrder.startsWith('stroke');
  return colourParts(isStroked ? style.webkitTextStrokeColor : style.webkitTextFillColor);
};

const MIN_STROKE = 0.08;
