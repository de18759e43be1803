// What takes clicks without a role that says so, as far as a page shows it:
// attributes, the cursor, and labels of controls that are not shown themselves.
// Listeners that a script added cannot be seen from here: the daemon asks the
// browser for them. Those at the root of a page stay unknown.

import { callContext } from './call-context.js';
import { ELEMENT, TEXT, boundingRect, firstElementChild, hasAttribute, hasAttributes, labelControl, localName, matches, nextElementSibling, nodeType, parentNode, selectFirst, styleOf, textData, tidy } from './dom.js';
import { WORDS, isHiddenWhole, isTextHidden } from './hidden.js';
import { ariaLabel } from './names.js';
import { attribute, inputType, list, selectAll, textContent } from './primordials.js';
import { refFor } from './refs.js';
import { roleOf } from './roles.js';
import { noteHint, push, shorten } from './snapshot.js';
import { checkedState, isDisabled, isFocused, isNativelyDisabled } from './states.js';
import { hasAny } from './dom-cache.js';
import { SKIPPED_TAGS } from './tags.js';
import { PRIVATE_USE, renderedText } from './text.js';
import { eachChild } from './tree.js';
import { isShown, isVisible } from './visibility.js';
import { flushText, isUnseenHere, metRoots } from './walk.js';

/** Attributes by which frameworks bind clicks and that stay in the document. */
const CLICK_BINDINGS = '[ng-click],[data-ng-click],[x-on\\:click],[\\@click],[v-on\\:click],[wire\\:click],[phx-click],[jsaction],[hx-get],[hx-post],[hx-put],[hx-delete],[data-action*="click->"],[data-bs-toggle],[data-toggle]';

export const DRAG_CURSORS = new Set(['grab', 'move', 'all-scroll', '-webkit-grab']);

/** @typedef {{live: boolean, draggable: boolean, bound: boolean, modal: boolean}} Clues What a document has at all, so that most elements need not be asked for it. */

/** @returns {Clues} */
export const readClues = () => ({ live: hasAny('[aria-live]') || metRoots.size > 0, draggable: hasAny('[draggable=true]') || metRoots.size > 0, bound: hasAny(CLICK_BINDINGS) || metRoots.size > 0, modal: hasAny('[aria-modal=true]') });

export const isDraggable = (element) => attribute(element, 'draggable') === 'true';

const isBound = (element) => hasAttribute(element, 'onclick') || (callContext.clues.bound && matches(element, CLICK_BINDINGS));

/** Whether people can tell that it is to be clicked or dragged, although its role does not say so. */
export const isClickable = (element, tag, bare, pointer) => {
  if (tag === 'html' || tag === 'body' || tag === 'option' || tag === 'br') return false;
  if (tag === 'label') return element instanceof HTMLLabelElement && (labelControl(element) === null ? pointer || (!bare && isBound(element)) : !isShown(labelControl(element)) && !isNativelyDisabled(labelControl(element)));
  if (pointer || (knowsListening && listensItself(element))) return true;
  if (bare) return false;
  if (isBound(element) || (callContext.clues.draggable && isDraggable(element))) return true;
  const index = attribute(element, 'tabindex');
  return index !== null && parseInt(index, 10) >= 0;
};

/** Elements that listen for clicks, as the browser says. @type {WeakSet<Element>} */
const listening = new WeakSet();

/** Whether there are any: most documents have none but their controls. */
let knowsListening = false;

/** Takes over which elements listen for clicks. @param {any[]} nodes */
export const learnListening = (nodes) => {
  for (const node of nodes) {
    if (nodeType(node) !== ELEMENT || ['html', 'body'].includes(localName(node))) continue;
    listening.add(node);
    knowsListening = true;
  }
};

/** Characters of an element that is one thing to click and no part of the page that listens for all in it. */
const MOST_LISTENED = 100;

/** Whether a listener is for clicks on this element, and not for those on what is in it. */
const listensItself = (element) => {
  if (!listening.has(element) || selectFirst(element, HOLDS) || attribute(element, 'role') === 'gridcell') return false;
  const words = textContent(element);
  if (tidy(words) === '' ? !selectFirst(element, 'svg,img,i') && styleOf(element).backgroundImage === 'none' : words.length > 2000 || ownText(element).length > MOST_LISTENED) return false;
  return !list(selectAll(element, '*')).some((inner) => listening.has(inner));
};

export const OPERABLE = 'a[href],button,input,select,textarea,summary,[role=button],[role=link],[role=checkbox],[role=tab],[role=menuitem],[role=switch],[role=radio],[role=combobox],[role=textbox],[contenteditable]:not([contenteditable=false])';

/** What is one of several things to click in an element that listens for all of them. */
const HOLDS = `${OPERABLE},[draggable=true],li,tr`;

/** Whether the pointer cursor of a container is for its items: a click on it means one of them. */
export const holdsItems = (element) => {
  const first = firstElementChild(element);
  if (first === null || isBound(element) || hasAttribute(element, 'tabindex')) return false;
  const tag = localName(first);
  const alike = attribute(first, 'class');
  if (tag !== 'li' && tag !== 'tr' && !(tag === 'div' && alike)) return false;
  let count = 0;
  for (let child = first; child; child = nextElementSibling(child)) {
    if (localName(child) !== tag || (tag === 'div' && attribute(child, 'class') !== alike) || ownText(child) === '') return false;
    count += 1;
  }
  return count > 1;
};

export const emitClickable = (walk, element, role, tag, depth, flags, grab) => {
  if (!isVisible(element) || isDisabled(element)) return false;
  if (isUnseenHere(element, flags)) return false;
  const drag = (callContext.clues.draggable && isDraggable(element)) || grab;
  const strong = isBound(element) || hasAttribute(element, 'tabindex') || (drag && !grab);
  const text = ownText(element);
  const name = ariaLabel(element) || text || tidy(attribute(element, 'title') || '') || altWithin(element);
  const isBare = strong ? !WORDS.test(name) && !isBound(element) && !drag : text === '';
  if (isBare && selectFirst(element, OPERABLE)) return false;
  if (!strong && name === '' && !looksLikeIcon(element)) return false;
  const states = drag ? ['draggable'] : [];
  if (tag === 'label' && labelControl(element) !== null) states.push(...statesOfHiddenControl(labelControl(element)));
  for (const state of selectedStates(element)) states.push(state);
  if (name === '') noteHint(walk, element);
  if (isFocused(element)) states.push('focused');
  flushText(walk, depth);
  push(walk, depth, role === 'gridcell' ? role : 'clickable', shorten(name, 80), refFor(element), states.join('|'), '', element);
  return true;
};

/** What a label stands for, of whose control nothing shows. */
const statesOfHiddenControl = (control) => {
  const type = control instanceof HTMLInputElement ? inputType(control) : localName(control);
  const role = roleOf(control);
  return [type, checkedState(control, role, localName(control))].filter(Boolean);
};

/** Of what has no role of its own: whether it is the chosen one. */
const selectedStates = (element) => {
  const states = [];
  if (!hasAttributes(element)) return states;
  if (attribute(element, 'aria-selected') === 'true') states.push('selected');
  const current = attribute(element, 'aria-current');
  if (current && current !== 'false') states.push('current');
  return states;
};

/** Its text outside of elements that are listed themselves, as far as it is seen. */
export const ownText = (element, leaveOut = OPERABLE) => {
  let text = '';
  const collect = (node) =>
    eachChild(node, (child) => {
      if (text.length > 400) return;
      const holder = nodeType(parentNode(child)) === ELEMENT ? parentNode(child) : node;
      if (nodeType(child) === TEXT) {
        if (callContext.hidden === null || !isTextHidden(callContext.hidden, holder)) text += renderedText(textData(child), holder);
      } else if (nodeType(child) === ELEMENT && !SKIPPED_TAGS.has(localName(child)) && !matches(child, leaveOut) && !(child instanceof HTMLLabelElement && labelControl(child) !== null) && !(callContext.hidden !== null && isHiddenWhole(callContext.hidden, child))) {
        const style = styleOf(child);
        if (style.display === 'none' || style.visibility !== 'visible') return;
        const block = style.display !== 'inline';
        if (block) text += ' ';
        collect(child);
        if (block) text += ' ';
      }
    });
  collect(element);
  return tidy(text.replace(PRIVATE_USE, ''));
};

export const altWithin = (element) => {
  const image = selectFirst(element, 'img[alt]:not([alt=""]),svg[aria-label],[aria-label]');
  return image ? tidy(attribute(image, 'alt') || attribute(image, 'aria-label') || '') : '';
};

const looksLikeIcon = (element) => {
  const box = boundingRect(element);
  return box.width >= 8 && box.height >= 8 && box.width * box.height <= 40000;
};

/** Pixels below which a canvas is no drawing that anybody could point at. */
const LEAST_DRAWING = 16;

/** Whether a canvas shows something that may be operated. */
export const isDrawing = (canvas) => {
  const box = boundingRect(canvas);
  return box.width >= LEAST_DRAWING && box.height >= LEAST_DRAWING && isShown(canvas);
};
