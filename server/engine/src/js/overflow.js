// Text past the edge of a box that cuts off what overflows it. Slides of a
// carousel and the folded end of an article lie past an edge, too, and a person
// gets at them: what goes on from what shows, or is of the same kind, is kept.

import { DOCUMENT } from './details.js';
import { ELEMENT, TEXT, animationsOf, boundingRect, documentSheets, firstChild, localName, matches, nextElementSibling, nextNode, nextSibling, nodeType, selectFirst, styleOf, textData, walkerOver } from './dom.js';
import { contentBox, isPast } from './geometry.js';
import { WORDS } from './hidden.js';
import { attribute } from './primordials.js';
import { eachChild, flatParent, treeOf } from './tree.js';
import { isVisible } from './visibility.js';

/** Texts of one element that are asked for. */
export const MAX_TEXTS = 40;

/** A part of a text that goes on begins this near to what is before it, in pixels. */
const NEAR = 60;

/** What a person operates, and so closes or unfolds with. */
export const OPERATED = 'button,a[href],input,select,textarea,summary,[role=button],[tabindex],[onclick]';

const SLIDING = /\b(?:transform|translate|all)\b/;

/** Whether text past the edge of a clip is text that nobody gets at. @param {Element} bearer What the text stands in. */
export const isLostPast = (bearer, clip, box) => {
  if (bearer === clip) return isOwnTextPast(clip, box);
  let part = bearer;
  for (let node = flatParent(part); node && node !== clip && nodeType(node) === ELEMENT && isPast(contentBox(node), box); node = flatParent(node)) part = node;
  for (let node = part; node && nodeType(node) === ELEMENT; node = flatParent(node)) {
    const style = styleOf(node);
    // Columns go on to the side.
    if (style.columnCount !== 'auto' || style.columnWidth !== 'auto') return false;
    if (node === clip) break;
    if (appears(node, style, SLIDING)) return false;
  }
  return !goesOn(part, box) && !travels(part, clip) && !isFolded(clip, box);
};

/** Whether an element has text of its own, and none of it is let through. */
const isOwnTextPast = (clip, box) => {
  let count = 0;
  for (let child = firstChild(clip); child; child = nextSibling(child)) {
    if (nodeType(child) !== TEXT || !WORDS.test(textData(child))) continue;
    count += 1;
    if (count > MAX_TEXTS || !isPast(contentBox(child), box)) return false;
  }
  return count > 0;
};

/** Whether a part goes on from what shows before it, or is one of several of which some show. */
const goesOn = (part, box) => {
  const holder = flatParent(part);
  if (!holder || nodeType(holder) !== ELEMENT) return false;
  const style = styleOf(part);
  if (style.position === 'static' && style.display.startsWith('inline') && showsWords(holder, box)) return true;
  const flows = style.position === 'static' || style.position === 'relative' || style.position === 'sticky';
  let before = null;
  let verdict = null;
  eachChild(holder, (child) => {
    if (verdict !== null) return;
    if (child === part) {
      if (flows && before !== null && isNear(before, contentBox(part)) && showsWords(holder, box)) verdict = true;
    } else if (nodeType(child) === ELEMENT) {
      const own = boundingRect(child);
      if (own.width === 0 || own.height === 0) return;
      before = own;
      if (isAlike(part, child) && !isPast(own, box)) verdict = true;
    } else if (nodeType(child) === TEXT && WORDS.test(textData(child))) before = contentBox(child);
  });
  return verdict === true;
};

/** Below it, or beside it on its line. */
const isNear = (one, other) => Math.abs(other.top - one.bottom) < NEAR || (other.top < one.bottom && Math.abs(other.left - one.right) < NEAR);

/** Whether some text of an element lies within a clip. */
const showsWords = (element, box) => {
  const walker = walkerOver(element, NodeFilter.SHOW_TEXT);
  let count = 0;
  for (let node = nextNode(walker); node && count < MAX_TEXTS; node = nextNode(walker)) {
    if (!WORDS.test(textData(node))) continue;
    count += 1;
    const own = contentBox(node);
    if (own.width > 0 && !isPast(own, box)) return true;
  }
  return false;
};

/** Whether two elements are of one kind, as slides of a carousel are. */
const isAlike = (one, other) => {
  if (localName(one) !== localName(other)) return false;
  const [mine, theirs] = [one, other].map((element) => (attribute(element, 'class') || '').split(/\s+/).filter(Boolean));
  return mine.length === 0 ? theirs.length === 0 : mine.some((name) => theirs.includes(name));
};

/** Whether something of a box shows, and a control comes right after it, as one that unfolds it does. */
const isFolded = (clip, box) => {
  const after = nextElementSibling(clip);
  return after !== null && box.bottom - box.top > NEAR / 2 && (matches(after, OPERATED) || selectFirst(after, OPERATED) !== null) && isVisible(after) && isNear(boundingRect(clip), boundingRect(after));
};

/** Whether an animation without end moves a part, or what holds it: the news of a ticker come by. */
const travels = (part, clip) => {
  for (let node = part; node && node !== clip && nodeType(node) === ELEMENT; node = flatParent(node)) {
    for (const { playState, effect } of animationsOf(node)) {
      if (playState !== 'running' || !(effect instanceof KeyframeEffect) || effect.getTiming().iterations !== Infinity) continue;
      if (effect.getKeyframes().some((frame) => 'transform' in frame || 'translate' in frame || 'left' in frame || 'marginLeft' in frame)) return true;
    }
  }
  return false;
};

// === What a style hides until it comes into view ===

export const FADING = /\b(?:opacity|all)\b/;

/** Whether an element outside the view waits to appear by a change of these properties. */
export const appears = (element, style, properties) => {
  if (properties === FADING && fadesIn(element)) return true;
  if ((properties.test(style.transitionProperty) && /[1-9]/.test(style.transitionDuration)) || properties.test(style.willChange) || (properties === FADING && (isSetOff(element, style) || waitsForClass(element)))) {
    const box = boundingRect(element);
    return box.bottom <= 0 || box.top >= innerHeight;
  }
  return false;
};

/** Whether a script holds a faded element off its place, from where it slides in: animation libraries write both into the style attribute. */
const isSetOff = (element, style) => style.transform !== 'none' && /opacity:\s*0;?.*transform:|transform:.*opacity:\s*0/.test(attribute(element, 'style') || '');

/** Whether an animation that runs, or that scrolling moves, ends with an element that is seen. */
const fadesIn = (element) =>
  animationsOf(element).some((animation) => {
    const frames = animation.playState === 'running' && animation.effect instanceof KeyframeEffect ? animation.effect.getKeyframes() : [];
    return frames.length > 0 && parseFloat(frames[frames.length - 1].opacity) >= 0.5;
  });

/** Whether a class more would animate an element: libraries add one when it comes into view. */
const waitsForClass = (element) => {
  const names = (attribute(element, 'class') || '').split(/\s+/).filter(Boolean).map((name) => `.${CSS.escape(name)}`);
  return names.length > 0 && animatedSelectors(treeOf(element)).some((selector) => names.some((name) => selector.includes(name)) && !matchesSafely(element, selector));
};

const matchesSafely = (element, selector) => {
  try {
    return matches(element, selector);
  } catch {
    return true;
  }
};

/** Selectors of rules that animate, as far as sheets can be read. Asked only where something faded is out of view. */
const animatedSelectors = (root) => {
  const found = [];
  const search = (rules) => {
    for (let index = 0; index < rules.length; index++) {
      const rule = rules[index];
      if (rule instanceof CSSStyleRule && rule.style.animationName !== '' && rule.style.animationName !== 'none') found.push(rule.selectorText);
      else if (rule.cssRules && rule.cssRules.length > 0) search(rule.cssRules);
    }
  };
  for (const sheet of nodeType(root) === DOCUMENT ? documentSheets(root) : root.styleSheets) {
    try {
      search(sheet.cssRules);
    } catch {
      // Of another origin.
    }
  }
  return found;
};
