// The snapshot of one document, as one string: the cheapest way out of a page.

import { callContext } from './call-context.js';
import { OPERABLE, isDraggable } from './clickable.js';
import { contextsOfLines } from './contexts.js';
import { boundingRect, clientRects, documentTitle, hasAttribute, localName, selectFirst, styleOf } from './dom.js';
import { editorText } from './editing.js';
import { newOwners } from './frames.js';
import { foldDays, isCell, isCellOfGrid } from './grids.js';
import { hiddenWithin } from './hidden-cache.js';
import { whole } from './markup.js';
import { descriptionOf, givenName, nameOf } from './names.js';
import { errorText } from './notices.js';
import { attribute, documentElement, inputType, list, selectAll } from './primordials.js';
import { beginRefs, pending, refFor } from './refs.js';
import { holdsSecret, statesOf, valueOf } from './states.js';
import { INTERACTIVE } from './tags.js';
import { findOne } from './targets.js';
import { isAsked, isSuspect, shadowOf, shadowRootsWithin } from './tree.js';
import { hasVisibleContent } from './visibility.js';
import { NAMED_ONLY, beginCall, flushText, isDropdownOption, isUnseenHere, walkFrom } from './walk.js';
/** @import { Target } from './targets.js' */

/**
 * @param {{interactive?: boolean, cursor?: boolean, detail?: boolean, seen?: boolean, target?: Target}} options
 * @returns {string} JSON: serial, number of new refs, url, title, nodes, and with `detail` descriptions and boxes.
 */
export const snapshot = (options) => {
  beginRefs();
  beginCall();
  const scope = options.target ? findOne(options.target) : documentElement(document);
  if (!scope) return JSON.stringify({ serial: pending.serial, fresh: 0, url: location.href, title: '', suspects: 0, owners: 0, nodes: [] });
  callContext.hidden = options.seen ? hiddenWithin(scope, shadowRootsWithin(scope)) : null;
  callContext.spokenByStyle = 0;
  const walk = walkFrom(scope, { interactive: !!options.interactive, cursor: !!options.cursor, detail: !!options.detail, seen: !!options.seen });
  if (options.interactive) foldDays(walk, scope);
  callContext.closedRootCandidates = walk.suspects;
  const answer = {
    serial: pending.serial,
    fresh: pending.elements.length,
    url: location.href,
    title: documentTitle(document),
    suspects: walk.suspects.length,
    owners: newOwners.length,
    nodes: walk.nodes,
  };
  if (options.interactive) {
    answer.contexts = contextsOfLines(walk);
    answer.fading = fadingFor();
  }
  if (walk.messages.length > 0) answer.messages = walk.messages;
  if (walk.hints.length > 0) answer.hints = walk.hints;
  if (walk.folds.length > 0) answer.folds = walk.folds;
  // Hidden text is no part of what can be operated, and a control has its mark.
  if (callContext.hidden !== null && !options.interactive) answer.unseen = callContext.hidden.counts;
  if (options.seen && callContext.spokenByStyle > 0) answer.unseen = { ...answer.unseen, 'css content': callContext.spokenByStyle };
  if (options.detail) Object.assign(answer, detailsOf(walk));
  callContext.hidden = null;
  lastElements = walk.elements;
  return JSON.stringify(answer);
};

/** Milliseconds of a transition that are waited for. */
const LONGEST_FADE = 400;

/**
 * How long something with controls in it is still coming or going: a dialog that
 * fades out hides the page behind it until it is gone, for assistive technology.
 * @returns {number} Milliseconds; 0 where nothing is.
 */
const fadingFor = () => {
  let longest = 0;
  for (const { playState, effect } of /** @type {any[]} */ (Document.prototype.getAnimations.call(document))) {
    if (playState !== 'running' || !effect || !effect.target) continue;
    const { endTime, localTime } = effect.getComputedTiming();
    const left = endTime - (localTime || 0);
    if (!(left > longest && left <= LONGEST_FADE)) continue;
    const frames = effect.getKeyframes();
    const last = frames[frames.length - 1];
    const isFading = last && last.opacity !== undefined && (Number(last.opacity) < 0.1 || Number(styleOf(effect.target).opacity) < 0.1);
    if (isFading && selectFirst(effect.target, OPERABLE) !== null) longest = left;
  }
  return Math.ceil(longest);
};

/** The elements of the latest snapshot by line; the agreement check reads them. @type {Element[]} */
export let lastElements = [];

export const takeSuspects = () => {
  const found = callContext.closedRootCandidates;
  callContext.closedRootCandidates = [];
  return found;
};

const detailsOf = (walk) => {
  const descriptions = [];
  const boxes = [];
  walk.elements.forEach((element, index) => {
    descriptions.push(element ? descriptionOf(element, walk.nodes[index * FIELDS + 2]) : '');
    const box = element && boundingRect(element);
    boxes.push(box ? [round(box.x), round(box.y), round(box.width), round(box.height)] : 0);
  });
  return { descriptions, boxes };
};

export const round = (value) => Math.round(value * 10) / 10;

// === Lines of a snapshot: what is emitted, and with which ref ===
//
// Nodes leave the page as one flat array, six fields each:
//   depth, role, name, ref, states (joined with |), value
// ref is 0 for none, a number of the tab that was committed before, or
// -(index + 1) for the index-th new element of this snapshot. The value of an
// iframe is the number of its owner element (see frames.js).

export const FIELDS = 6;

/** What a field says is wrong with it, for the line that comes next. */
const noteMessage = (walk, message) => {
  if (message !== '') walk.messages.push([walk.elements.length, whole(shorten(message, MOST_MESSAGE))]);
};

const MOST_MESSAGE = 160;

/** What its author calls something that has no name, for the line that comes next. */
export const noteHint = (walk, element) => {
  const hint = walk.options.interactive ? hintFor(element) : '';
  if (hint !== '') walk.hints.push([walk.elements.length, hint]);
};

/** Ids and classes that say what something is, and not how it is laid out or that a tool made them up. */
const TELLING = /^(?=.*[a-z]{3})[a-z][a-z0-9]*(?:[-_]{1,2}[a-z][a-z0-9]*)*$/i;
const MOST_HINT = 40;

/** Words that say nothing of what something is for, and names that tools make. */
const UNTELLING = /^(?:css|sc|jsx|jss|svelte|emotion|styled|tw|ng|v)-|^(?:image|img|icon|icons|svg|svg-icon|link|button|btn|wrapper|container|item|inner|outer|active|clickable|pointer|cursor-pointer|flex|relative|absolute|block|inline-block)$/i;

/** @returns {string} A word such as `trash` or `prev-month`, of letters, digits and dashes alone. */
const hintFor = (element) => {
  const within = list(selectAll(element, 'svg,use,i,span,img,path')).slice(0, 6);
  for (const one of [element, ...within]) {
    const href = localName(one) === 'use' ? (attribute(one, 'href') || attribute(one, 'xlink:href') || '').split('#').pop() : '';
    const source = localName(one) === 'img' ? (attribute(one, 'src') || '').split(/[?#]/)[0].split('/').pop().replace(/\.\w+$/, '') : '';
    const words = [attribute(one, 'data-testid'), attribute(one, 'data-icon'), attribute(one, 'name'), href, source, attribute(one, 'id'), ...(attribute(one, 'class') || '').split(/\s+/).reverse()];
    const telling = words.find((word) => word && word.length <= MOST_HINT && TELLING.test(word) && !UNTELLING.test(word));
    if (telling) return telling;
  }
  return '';
};

/** A text of at most `limit` characters. */
export const shorten = (text, limit) => (text.length > limit ? `${text.slice(0, limit - 1).trimEnd()}…` : text);

export const push = (walk, depth, role, name, ref, states, value, element) => {
  walk.nodes.push(depth, role, name.isWellFormed() ? name : name.toWellFormed(), ref, states, value);
  walk.elements.push(element);
};

/** @param {boolean} editor Whether a text begins here that a person can edit. @returns {boolean} Whether a line was made. */
export const emit = (walk, element, role, tag, depth, flags, editor) => {
  const drawn = role === 'canvas';
  const operable = INTERACTIVE.has(role) || editor || drawn || isCell(walk, element, role, tag) || (role === 'gridcell' && isCellOfGrid(element));
  const dropdown = tag === 'option' && isDropdownOption(element);
  const name = CONTENT_BELOW.has(role) && !walk.options.interactive ? givenName(element) : nameOf(element, role);
  if (name === '') {
    if (operable && !dropdown && tag !== 'input' && tag !== 'textarea' && role !== 'gridcell' && !hasArea(element)) return false;
    if (!operable && NAMED_ONLY.has(role) && role !== 'article' && role !== 'form' && role !== 'separator') return false;
  }
  flushText(walk, depth);
  const ref = (operable && !dropdown) || (name !== '' && !dropdown) ? refFor(element) : 0;
  const states = statesOf(element, role);
  const type = tag === 'input' ? inputType(element) : '';
  if (FORMATTED_INPUTS.has(type)) states.push(`type=${type}`);
  if (editor && !INTERACTIVE.has(role)) states.push('editable');
  if (callContext.clues.draggable && isDraggable(element)) states.push('draggable');
  if (isUnseenHere(element, flags)) states.push('unseen');
  // The text of an editor stands below it in the whole tree.
  let value = editor ? (walk.options.interactive || hasAttribute(element, 'role') ? editorText(element) : '') : HAS_VALUE.has(role) ? valueOf(element, role) : '';
  if (value === '' && HAS_VALUE.has(role) && holdsSecret(element)) states.push('filled');
  if (value === name && role !== 'textbox') value = '';
  if (name === '' && operable && value === '' && !editor && !dropdown) noteHint(walk, element);
  if (states.includes('invalid')) noteMessage(walk, errorText(element));
  push(walk, depth, role, name, ref, states.length > 0 ? states.join('|') : '', value.isWellFormed() ? value : value.toWellFormed(), element);
  return true;
};

/** Roles whose content stands below them, so that their name is only what their author gave. */
const CONTENT_BELOW = new Set(['row', 'cell', 'gridcell', 'columnheader', 'rowheader']);

const HAS_VALUE = new Set(['textbox', 'searchbox', 'combobox', 'listbox', 'slider', 'spinbutton', 'scrollbar', 'progressbar', 'meter']);

/** Inputs that take their text in a format of their own. */
const FORMATTED_INPUTS = new Set(['date', 'month', 'week', 'datetime-local', 'time', 'color', 'password', 'file']);

const hasArea = (element) => {
  for (const box of clientRects(element)) if (box.width > 0 && box.height > 0) return true;
  return hasVisibleContent(element);
};

/** Elements the daemon should ask about, because they may hold a closed shadow root. */
export const noteSuspect = (walk, element) => {
  if (!shadowOf(element) && !isAsked(element) && isSuspect(element)) walk.suspects.push(element);
};
