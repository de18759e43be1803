// Controls that a person sees although a style hides what they are made of: a
// switch whose input is faded under a drawn thumb, a star whose input is clipped,
// a button whose words are moved away from its icon.
//
// One rule for all of them: a control counts as seen when the browser's hit test at
// its place gives the control, its label or what is drawn for it, and something is
// drawn there. Out of view, where there is no hit test, what is drawn decides.

import { hitAt, reaches, targetBoxes } from './aim.js';
import { colourParts, isClear, isSameColour } from './colours.js';
import { uncutBox } from './covers.js';
import { ELEMENT, TEXT, boundingRect, firstChild, labelControl, localName, matches, nextNode, nextSibling, nodeType, parentNode, styleOf, textData, tidy, walkerOver } from './dom.js';
import { MIN_STRIP, boxOf, holdsPoint, intersection, isOutside, isPageItself, isStrip } from './geometry.js';
import { PICTURE_TAGS, colourBehind, colourBelow, isPainted } from './grounds.js';
import { MAX_LABEL, WORDS, isHiddenWhole, isTextHidden, isUnseen, remembered } from './hidden.js';
import { factsOf } from './inherited.js';
import { labelsOf } from './names.js';
import { selectAll, textContent } from './primordials.js';
import { roleOf } from './roles.js';
import { EDITABLE_ROLES, INTERACTIVE, SKIPPED_TAGS } from './tags.js';
import { flatContains, flatElements, flatParent } from './tree.js';
import { isShown } from './visibility.js';
/** @import { Unseen } from './hidden.js' */

const CONTROL_ROLES = [...INTERACTIVE].map((role) => `[role=${role}]`).join(',');

/** What a person operates. */
export const CONTROLS = `:is(a[href],button,input:not([type=hidden]),select,textarea,summary,[contenteditable=""],[contenteditable=true],[onclick],[tabindex="0"],${CONTROL_ROLES}):not([aria-hidden=true])`;

/** How far above a control what is drawn for it may hang in the tree. */
const MOST_LEVELS_AROUND = 3;

/** Elements that are looked at around one control, and in it. */
const MOST_DRAWN_PARTS = 60;

/** What is drawn for a control may be larger than it by this factor. */
const MOST_LARGER = 4;

/** A smaller control stands for what is drawn around it, in pixels. */
const LEAST_CONTROL = 8;

const isPointed = (element) => {
  const parent = flatParent(element);
  return styleOf(element).cursor === 'pointer' && !(parent && nodeType(parent) === ELEMENT && styleOf(parent).cursor === 'pointer');
};

/** The control that an element is a part of, itself included, and the part that names it: the control, or its label. @returns {?{control: Element, named: Element}} */
const controlAround = (element) => {
  for (let node = element; node && nodeType(node) === ELEMENT && !isPageItself(node); node = flatParent(node)) {
    if (matches(node, CONTROLS)) return { control: node, named: node };
    const labelled = node instanceof HTMLLabelElement ? labelControl(node) : null;
    if (labelled) return { control: labelled, named: node };
    if (isPointed(node)) return { control: node, named: node };
  }
  return null;
};

/**
 * What is known of the controls of one look. `seen`: whether a person sees them; `counts`: controls
 * in what holds one; `hitsLeft`: hit tests that are still made.
 * @typedef {{unseen: Unseen, seen: Map<Element, boolean>, counts: Map<Element, number>, hitsLeft: number}} Drawing
 */

/** Hit tests of one look: each layer of a page is asked, so among thousands one takes milliseconds. */
const MOST_HITS = 48;

/** @param {Unseen} unseen @returns {Drawing} */
export const freshDrawing = (unseen) => ({ unseen, seen: new Map(), counts: new Map(), hitsLeft: MOST_HITS });

/** Whether a person sees a control. Asked only about what bears a mark: all else shows. */
export const isDrawn = (unseen, control) => {
  const { drawing } = unseen;
  return remembered(drawing.seen, control, (one) => isDrawnControl(drawing, one));
};

/** Whether nobody sees a control. */
export const isUnseenControl = (unseen, control) => isUnseen(unseen, control) && !isDrawn(unseen, control);

/**
 * Takes back the marks of words that are the name of a control which a person sees, where it
 * shows no others. More than a name stays hidden.
 */
export const keepLabels = (unseen) => {
  const names = [...unseen.parts.keys()].filter((part) => {
    const around = controlAround(part);
    return around !== null && isBareLabel(unseen, around.named) && isDrawn(unseen, around.control);
  });
  for (const part of names) {
    unseen.parts.delete(part);
    unseen.marks.delete(part);
    unseen.awaited.add(part);
  }
};

/** Whether all words of an element are hidden, and few enough for a label. */
const isBareLabel = (unseen, named) => {
  if (tidy(textContent(named)).length > MAX_LABEL) return false;
  const walker = walkerOver(named, NodeFilter.SHOW_TEXT);
  for (let node = nextNode(walker); node; node = nextNode(walker)) {
    const parent = parentNode(node);
    if (WORDS.test(textData(node)) && isShown(parent) && !isUnseen(unseen, parent)) return false;
  }
  return true;
};

/** A control may be drawn at its own place, or where its labels are. */
const isDrawnControl = (drawing, control) => {
  if (!isShown(control)) return false;
  const own = boundingRect(control);
  const labels = labelsOf(control);
  const parts = [control, ...labels];
  const boxes = [own.width * own.height > 4 ? own : targetBoxes(control)[0] || own, ...labels.map(boundingRect)];
  return boxes.some((box) => isDrawnAt(drawing, control, parts, box)) || growsIn(control);
};

const GROWING = /\b(?:width|height|all)\b/;

/** Whether a control without words waits in a box of no size that a transition lets grow: when a person points at what holds it. */
const growsIn = (control) => {
  if (WORDS.test(textContent(control))) return false;
  let node = control;
  for (let level = 0; level < MOST_LEVELS_AROUND && node && nodeType(node) === ELEMENT && isStrip(boundingRect(node)); level++) {
    const style = styleOf(node);
    if (GROWING.test(style.transitionProperty) && /[1-9]/.test(style.transitionDuration)) return true;
    node = flatParent(node);
  }
  return false;
};

/** @param {Element[]} parts The control and its labels. */
const isDrawnAt = (drawing, control, parts, box) => {
  const uncut = uncutBox(factsOf(drawing.unseen.scan, control), box);
  const isCutAway = uncut.right < uncut.left || uncut.bottom < uncut.top;
  const shown = intersection(uncut, { left: 0, top: 0, right: innerWidth, bottom: innerHeight });
  const isInside = shown.right > shown.left && shown.bottom > shown.top;
  const { left, top, right, bottom } = isInside ? shown : isCutAway ? box : uncut;
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  if (isOutside(boxOf(x, y, x, y), drawing.unseen.scan.page)) return false;
  const isTested = isInside && --drawing.hitsLeft >= 0;
  const hit = isTested ? hitAt(x, y) : null;
  if (isTested && hit === null) return false;
  const isOwnHit = hit === null || reaches(hit, control);
  if (isOwnHit && parts.some((part) => paintsWithin(drawing, part))) return true;
  const other = isOwnHit ? null : controlAround(hit);
  return (other === null || flatContains(other.control, control)) && isDrawnAround(drawing, control, isCutAway ? box : uncut, x, y, hit);
};

/** Whether what stands beside a control, or holds it alone, is drawn at its place. */
const isDrawnAround = (drawing, control, { left, top, right, bottom }, x, y, hit) => {
  const isTiny = right - left < LEAST_CONTROL || bottom - top < LEAST_CONTROL;
  // What takes keys stands for what is edited; anything else of no size is not there.
  if (isTiny && !EDITABLE_ROLES.has(roleOf(control))) return false;
  const most = isTiny ? Infinity : MOST_LARGER * (right - left) * (bottom - top);
  const own = matches(control, CONTROLS) ? 1 : 0;
  let around = control;
  for (let level = 0; level < MOST_LEVELS_AROUND; level++) {
    const inner = around;
    around = flatParent(around);
    if (!around || nodeType(around) !== ELEMENT || isPageItself(around) || remembered(drawing.counts, around, countControls) > own) return false;
    const looking = { x, y, most, left: MOST_DRAWN_PARTS, except: inner };
    // What lies over it must be a part of this, too.
    if (paintsAt(drawing, around, looking)) return hit === null || flatContains(around, hit);
  }
  return false;
};

/** How many controls an element holds: two stand for more. */
const countControls = (element) => {
  let count = 0;
  for (const control of selectAll(element, CONTROLS)) if (isShown(control) && ++count === 2) break;
  return count;
};

/** Whether an element, or something in it, is drawn at a point. */
const paintsAt = (drawing, element, looking) => {
  if (element === looking.except || --looking.left < 0 || SKIPPED_TAGS.has(localName(element)) || isHiddenWhole(drawing.unseen, element) || !isShown(element)) return false;
  const box = boundingRect(element);
  const isThere = holdsPoint(box, looking.x, looking.y);
  if (isThere && box.width * box.height <= looking.most && isPaintedElement(drawing, element)) return true;
  return (isThere || box.width === 0 || box.height === 0 || flatContains(element, looking.except)) && flatElements(element).some((part) => paintsAt(drawing, part, looking));
};

/** Whether an element, or something in it, is drawn at all. */
const paintsWithin = (drawing, element) => {
  let left = MOST_DRAWN_PARTS;
  const look = (part) => {
    if (--left < 0 || SKIPPED_TAGS.has(localName(part)) || isHiddenWhole(drawing.unseen, part) || styleOf(part).display === 'none') return false;
    return (isShown(part) && isPaintedElement(drawing, part)) || flatElements(part).some(look);
  };
  for (let node = flatParent(element); node && nodeType(node) === ELEMENT; node = flatParent(node)) if (isHiddenWhole(drawing.unseen, node)) return false;
  return look(element);
};

/** Whether an element shows anything by itself: text, a picture, a ground, an edge, a part before or after it. */
const isPaintedElement = (drawing, element) => {
  const box = boundingRect(element);
  if (PICTURE_TAGS.has(localName(element))) return box.width >= MIN_STRIP && box.height >= MIN_STRIP && isPainted(element);
  if (!isTextHidden(drawing.unseen, element) && hasOwnText(element) && box.height >= MIN_STRIP) return true;
  const style = styleOf(element);
  const isBox = box.width >= MIN_STRIP && box.height >= MIN_STRIP;
  const behind = () => (flatParent(element) && nodeType(flatParent(element)) === ELEMENT ? colourBehind(flatParent(element)) : colourBelow(window));
  if (isBox && (paintsBox(style, behind) || (style.appearance !== 'none' && NATIVE_TAGS.has(localName(element))))) return true;
  return ['::before', '::after'].some((pseudo) => {
    const part = styleOf(element, pseudo);
    if (part.content === 'none' || part.content === 'normal' || part.display === 'none' || part.visibility !== 'visible' || Number(part.opacity) < 0.1) return false;
    return part.content !== '""' || (!isStrip(boxOf(0, 0, sizeWith(part, 'width', 'Left', 'Right'), sizeWith(part, 'height', 'Top', 'Bottom'))) && paintsBox(part, () => colourBehind(element)));
  });
};

const sizeWith = (style, side, before, after) => parseFloat(style[side]) + parseFloat(style[`border${before}Width`]) + parseFloat(style[`border${after}Width`]);

/** Drawn by the browser itself. */
const NATIVE_TAGS = new Set(['input', 'button', 'select', 'textarea']);

const hasOwnText = (element) => {
  for (let child = firstChild(element); child; child = nextSibling(child)) if (nodeType(child) === TEXT && /\S/.test(textData(child))) return true;
  return false;
};

/** Whether a style paints a box that stands out from what is behind it. @param {() => ?number[]} behind */
const paintsBox = (style, behind) => {
  if (style.backgroundImage !== 'none' && !isClear(style.backgroundImage)) return true;
  if (style.boxShadow !== 'none') return true;
  const standsOut = (colour) => {
    const parts = colourParts(colour);
    if (parts === null) return true;
    const ground = parts[3] < 0.05 ? null : behind();
    return parts[3] >= 0.05 && (ground === null || !isSameColour(parts, ground));
  };
  if (style.backgroundColor !== 'rgba(0, 0, 0, 0)' && standsOut(style.backgroundColor)) return true;
  return ['Top', 'Right', 'Bottom', 'Left'].some((side) => parseFloat(style[`border${side}Width`]) >= 1 && standsOut(style[`border${side}Color`]));
};
