// Aiming: is an element ready to be operated, and where is it to be hit?
//
// Everything here is synchronous, so that a background tab (whose animation
// frames stand still) can be operated as well. What is not ready yet is
// refused with the reason; the daemon asks again until its deadline. Movement
// that no animation announces is caught by the guard at the moment of the click.

import { ELEMENT, boundingRect, clientRects, closest, documentBody, documentFromPoint, hasAttribute, isConnected, labelControl, localName, matches, nodeType, scrollIntoView, shadowElementFromPoint, styleOf } from './dom.js';
import { isStandIn, widgetOf } from './editing.js';
import { isEditable } from './fill.js';
import { frameWindow } from './frames.js';
import { arm } from './guard.js';
import { isInView } from './marks.js';
import { labelsOf } from './names.js';
import { attribute, documentElement, list } from './primordials.js';
import { numbers } from './refs.js';
import { Refusal } from './refusal.js';
import { isFormControl } from './secrets.js';
import { isDisabled } from './states.js';
import { findOne, labelOf } from './targets.js';
import { eachChild, flatContains, flatParent, isRendered, shadowOf } from './tree.js';
import { isShown, isVisible } from './visibility.js';
import { beginCall } from './walk.js';
/** @import { Target } from './targets.js' */

/** @param {Element} element @param {{enabled?: boolean, editable?: boolean}} wants */
const requireReady = (element, wants) => {
  if (!isConnected(element)) throw new Refusal('stale');
  if (!isVisible(element) && !isCoveredControl(element)) throw new Refusal('hidden', { why: hiddenBecause(element) });
  if (wants.enabled && isDisabled(element)) throw new Refusal('disabled');
  if (wants.editable && !isEditable(element)) throw new Refusal('not-editable');
};

/** A checkbox without a size whose label shows: a common way to draw one's own. */
export const isCoveredControl = (element) => element instanceof HTMLInputElement && isShown(element) && labelsOf(element).some(isVisible);

export const hiddenBecause = (element) => {
  for (let node = element; node && nodeType(node) === ELEMENT; node = flatParent(node)) {
    const style = styleOf(node);
    if (style.display === 'none') return node === element ? 'display: none' : 'an ancestor has display: none';
    if (node === element && style.visibility !== 'visible') return 'visibility: hidden';
    if (node !== element && localName(node) === 'details' && !hasAttribute(node, 'open')) return 'it is in a closed details element';
  }
  return isShown(element) ? 'it has no size' : 'its content is skipped';
};

/** Whether a finite animation or transition moves the element right now. */
const isMoving = (element) => {
  for (const animation of /** @type {any[]} */ (Document.prototype.getAnimations.call(document))) {
    if (animation.playState !== 'running' || !animation.effect || !animation.effect.target) continue;
    const timing = animation.effect.getComputedTiming();
    if (!Number.isFinite(timing.endTime) || timing.endTime - (timing.localTime || 0) > 3000) continue;
    if (flatContains(animation.effect.target, element) && movesThings(animation)) return true;
  }
  return false;
};

const STILL = /^(?:opacity|color|.*-color|background.*|box-?shadow|text-?shadow|fill|stroke|outline.*|filter|cursor|text-decoration.*|computedOffset|offset|easing|composite)$/i;

export const movesThings = (animation) => {
  if (animation.transitionProperty) return !STILL.test(animation.transitionProperty);
  return animation.effect.getKeyframes().some((frame) => Object.keys(frame).some((property) => !STILL.test(property)));
};

/** The innermost element at a point of the viewport, through shadow trees. @returns {?Element} */
export const hitAt = (x, y) => {
  let hit = documentFromPoint(document, x, y);
  while (hit) {
    const root = shadowOf(hit);
    const inner = root && shadowElementFromPoint(root, x, y);
    if (!inner || inner === hit) break;
    hit = inner;
  }
  return hit;
};

/** What does something by itself when it is clicked: a label around it is not followed. */
const BY_ITSELF = 'a[href],button,input:not([type=hidden]),select,textarea,details,label,audio[controls],video[controls],[role=button],[role=link]';

/**
 * Whether a hit on `hit` operates `element`: itself, its content, or its label.
 * @param {boolean} [directly] Nothing that can be operated by itself lies between.
 */
export const reaches = (hit, element, directly) => {
  let between = false;
  for (let node = hit; node; node = flatParent(node)) {
    if (node === element) return !(directly && between);
    if (node instanceof HTMLLabelElement && labelControl(node) === element && !between) return true;
    between ||= node instanceof Element && matches(node, BY_ITSELF);
  }
  return false;
};

/** Boxes to aim at: its own, or those of its labels when it has none. @returns {DOMRect[]} */
export const targetBoxes = (element) => {
  const own = list(clientRects(element)).filter((box) => box.width > 0 && box.height > 0);
  if (own.length > 0 && !(element instanceof HTMLInputElement && own[0].width * own[0].height <= 4)) return own;
  const others = element instanceof HTMLInputElement ? labelsOf(element) : renderedChildren(element);
  return [...others.flatMap((other) => list(clientRects(other))).filter((box) => box.width > 0 && box.height > 0), ...own];
};

/** Elements that stand in for a box: of `display: contents`, or of children that overflow an empty one. */
const renderedChildren = (element) => {
  const found = [];
  eachChild(element, (child) => {
    if (nodeType(child) === ELEMENT) found.push(...(isRendered(child) && clientRects(child).length > 0 ? [child] : renderedChildren(child)));
  });
  return found;
};

/** Points of a box in the order in which they are tried. */
const pointsOf = (box) => {
  const left = Math.max(box.left, 0);
  const top = Math.max(box.top, 0);
  const right = Math.min(box.right, innerWidth);
  const bottom = Math.min(box.bottom, innerHeight);
  if (right - left < 1 || bottom - top < 1) return [];
  const at = (across, down) => [left + (right - left) * across, top + (bottom - top) * down];
  return [at(0.5, 0.5), at(0.25, 0.5), at(0.75, 0.5), at(0.5, 0.25), at(0.5, 0.75), at(0.1, 0.1), at(0.9, 0.9)];
};

/** @returns {{x: number, y: number}} A point where the element itself is hit; scrolls when it must. */
const pointOn = (element, through) => {
  const first = tryPoints(element, through);
  if (first.point) return first.point;
  scrollIntoView(element, { block: 'center', inline: 'center', behavior: 'instant' });
  const second = tryPoints(element, through);
  if (second.point) return second.point;
  scrollIntoView(element, { block: 'start', inline: 'nearest', behavior: 'instant' });
  const third = tryPoints(element, through);
  if (third.point) return third.point;
  if (third.frame) throw new Refusal('holds-frame');
  if (!third.cover && !second.cover) throw new Refusal('hidden', { why: 'it cannot be scrolled into view' });
  throw new Refusal('covered', { cover: describeCover(second.cover || third.cover) });
};

/** What does something itself, and not only by what lies in it. */
const DOES_SOMETHING = `${BY_ITSELF},summary,[tabindex],[onclick]`;

/**
 * Of what does something itself a point of its own comes first; then one of something
 * in it that can be operated by itself. A mere box is hit in its middle. What is shown in
 * a frame is of another document.
 * @param {boolean} through Whether a frame will do.
 */
const tryPoints = (element, through) => {
  let cover = null;
  let nested = null;
  let frame = false;
  const own = matches(element, DOES_SOMETHING);
  for (const box of targetBoxes(element)) {
    for (const [x, y] of pointsOf(box)) {
      const hit = hitAt(x, y);
      if (!hit || !reaches(hit, element)) cover = cover || hit;
      else if (!through && frameWindow(hit)) frame = true;
      else if (!own || reaches(hit, element, true)) return { point: { x, y }, cover: null };
      else nested = nested || { x, y };
    }
  }
  return { point: nested, cover, frame };
};

/** What covers: the outermost element that is not an ancestor of the target, by role, name and a selector. */
export const describeCover = (cover) => {
  const [role, name] = labelOf(cover);
  return { role, name, selector: selectorOf(cover) };
};

const selectorOf = (element) => {
  const id = attribute(element, 'id');
  if (id && /^[A-Za-z][\w-]{0,60}$/.test(id)) return `#${id}`;
  const names = (attribute(element, 'class') || '').split(/\s+/).filter((name) => /^[A-Za-z][\w-]{0,40}$/.test(name));
  return localName(element) + names.slice(0, 2).map((name) => `.${name}`).join('');
};

/** Ancestors that may take the clicks of an element. */
const MOST_HOLDERS = 3;

/**
 * Where to click what takes no clicks itself. For a field its widget takes them; anything
 * else has to take them once the pointer is there, as buttons do that show under it only.
 * @returns {?{taker: Element, point: {x: number, y: number}}}
 */
const clickedThrough = (element) => {
  const isField = isFormControl(element) && localName(element) !== 'button';
  const style = styleOf(element);
  if (style.pointerEvents !== 'none' && !(isField && (style.opacity === '0' || Number(style.zIndex) < 0))) return null;
  let holder = flatParent(element);
  for (let level = 0; level < MOST_HOLDERS && holder instanceof HTMLElement; level++, holder = flatParent(holder)) {
    if (holder === documentBody(document) || holder === documentElement(document)) return null;
    const point = styleOf(holder).pointerEvents === 'none' ? null : pointWithin(element, holder);
    if (point !== null) return { taker: isField ? holder : element, point };
  }
  return null;
};

/** A point of the element where the holder is hit, or what is in it, does nothing itself and lies over nothing else. @returns {?{x: number, y: number}} */
const pointWithin = (element, holder) => {
  for (const box of targetBoxes(element)) {
    for (const [x, y] of pointsOf(box)) {
      const hit = hitAt(x, y);
      if (hit === null || !flatContains(holder, hit)) continue;
      const other = hit === holder ? null : closest(hit, DOES_SOMETHING);
      if (other === null || !flatContains(holder, other) || other === holder) return { x, y };
    }
  }
  return null;
};

/** A point of the element by its offset from the top left corner; scrolls when it must. @param {Element} element @param {number[]} offset */
const pointAt = (element, [across, down]) => {
  const size = boundingRect(element);
  if (across < 0 || down < 0 || across > size.width || down > size.height) {
    throw new Refusal('outside', { value: `${across},${down}`, why: `it is ${Math.round(size.width)} wide and ${Math.round(size.height)} high` });
  }
  const find = () => {
    const box = boundingRect(element);
    return { x: box.left + across, y: box.top + down };
  };
  let point = find();
  if (!isInView(point)) {
    scrollIntoView(element, { block: 'nearest', inline: 'nearest', behavior: 'instant' });
    point = find();
  }
  if (!isInView(point)) {
    scrollBy({ left: point.x - innerWidth / 2, top: point.y - innerHeight / 2, behavior: 'instant' });
    point = find();
  }
  if (!isInView(point)) throw new Refusal('hidden', { why: 'it cannot be scrolled into view' });
  const hit = hitAt(point.x, point.y);
  if (!hit || !reaches(hit, element)) throw new Refusal('covered', { cover: hit ? describeCover(hit) : null });
  return point;
};

/** A point on the element as it lies now, or a refusal: nothing is scrolled. */
const pointNow = (element) => {
  const { point } = tryPoints(element, true);
  if (!point) throw new Refusal('hidden', { why: 'it is not in view' });
  return point;
};

/**
 * @param {{target: Target, enabled: boolean, guard?: number, life?: number, offset?: number[], still?: boolean}} wants
 * @returns Point, role and name; the element is remembered by the guard.
 */
export const aim = ({ target, enabled, guard, life, offset, still }) => {
  beginCall();
  const element = findOne(target);
  return withLabel(element, () => {
    // A person clicks what the editor draws.
    let place = (isStandIn(element) && widgetOf(element)) || element;
    requireReady(place, { enabled });
    if (!still && isMoving(place)) throw new Refusal('moving');
    const find = (on) => (offset ? pointAt(on, offset) : still ? pointNow(on) : pointOn(on, !enabled));
    let point;
    try {
      point = find(place);
    } catch (error) {
      const through = error instanceof Refusal && error.facts.error === 'covered' && !offset ? clickedThrough(place) : null;
      if (through === null) throw error;
      ({ taker: place, point } = through);
    }
    const { x, y } = point;
    if (guard) arm(guard, life, place);
    return { x, y, ref: numbers.get(element) || 0 };
  });
};

/** Adds role and name to whatever is answered about an element. */
export const withLabel = (element, act) => {
  const [role, name] = labelOf(element);
  const fail = (error) => {
    if (error instanceof Refusal) error.facts = { role, name, ...error.facts };
    throw error;
  };
  try {
    const answer = act();
    if (answer instanceof Promise) return answer.then((late) => ({ role, name, ...late }), fail);
    return { role, name, ...answer };
  } catch (error) {
    return fail(error);
  }
};
