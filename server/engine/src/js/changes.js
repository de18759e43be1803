// What changed in a document since an action was aimed: the facts of a receipt.
//
// The document is watched until the next action, or for a moment after the last
// question: what a page does later, as when an answer of its server came, is asked
// for again. Each question is about all since the beginning.

import { documentTitle, inputValue, isConnected, labelControl, localName, rootNode, scrollingElement } from './dom.js';
import { isEditable } from './fill.js';
import { frameWindow, ownerNumber } from './frames.js';
import { newsOf, ownValue, shownSince, takeBaseline } from './page-changes.js';
import { list } from './primordials.js';
import { roleOf } from './roles.js';
import { CHECKABLE, checkedState, focusedElement, valueOf } from './states.js';
import { labelOf } from './targets.js';
import { flatContains } from './tree.js';
import { beginTyping, endTyping, reportTyped, typing } from './typed.js';
import { beginCall, knownRoots } from './walk.js';
/** @import { Baseline } from './page-changes.js' */

/** @typedef {{observer: MutationObserver, bump: () => void, wake: () => void, heedInvalid: (event: Event) => void, count: number, records: MutationRecord[], invalid: Element[], focus: ?Element, url: string, title: string, element: ?Element, before: string, scroll: number[], baseline: ?Baseline, changed: ?(() => void), end: number}} Watched */

/** @type {?Watched} */
export let watched = null;

/** Records that are kept of an action; a page may write thousands. */
const MOST_MUTATIONS = 1000;

/** Milliseconds that the document is watched after the last question: longer than the daemon waits. */
const WATCH_ON = 2500;

/** Starts to count. @param {?Element} element The element the action is for. */
export const watchChanges = (element) => {
  if (watched) stopWatching(watched);
  const state = { observer: null, bump: null, wake: null, heedInvalid: null, count: 0, records: [], invalid: [], focus: focusedElement(), url: location.href, title: documentTitle(document), element, before: fieldState(element), scroll: scrollState(), baseline: null, changed: null, end: 0 };
  state.observer = new MutationObserver((records) => keepRecords(state, records));
  state.bump = () => {
    state.count += 1;
    if (state.changed) state.changed();
  };
  state.wake = () => state.changed && state.changed();
  state.heedInvalid = (event) => {
    const field = event.composedPath()[0];
    if (field instanceof Element && state.invalid.length < 50) state.invalid.push(field);
  };
  // What is popped up changes no attribute.
  addEventListener('beforetoggle', state.bump, true);
  addEventListener('invalid', state.heedInvalid, true);
  addEventListener('input', state.wake, true);
  const everything = { subtree: true, childList: true, attributes: true, characterData: true };
  state.observer.observe(document, everything);
  const root = element && rootNode(element);
  if (root instanceof ShadowRoot) state.observer.observe(root, everything);
  for (const known of knownRoots()) if (known !== root) state.observer.observe(known, everything);
  watched = state;
};

const keepRecords = (state, records) => {
  state.count += records.length;
  for (const record of records) {
    if (state.records.length >= MOST_MUTATIONS) break;
    state.records.push(record);
  }
  if (state.changed && records.length > 0) state.changed();
};

/** What was added or rewritten since the action began. @returns {Node[]} */
export const addedNodes = () => {
  keepRecords(watched, watched.observer.takeRecords());
  return watched.records.flatMap((record) => (record.type === 'characterData' ? [record.target] : record.type === 'childList' ? list(record.addedNodes) : []));
};

const stopWatching = (state) => {
  state.observer.disconnect();
  clearTimeout(state.end);
  removeEventListener('beforetoggle', state.bump, true);
  removeEventListener('invalid', state.heedInvalid, true);
  removeEventListener('input', state.wake, true);
  if (watched === state) watched = null;
};

/** A label stands for its field. */
export const ownField = (element) => (element instanceof HTMLLabelElement && labelControl(element) ? labelControl(element) : element);

/** What a person could read off a field: value, check mark, and whether it is open or pressed. */
const fieldState = (element) => {
  if (!element || !isConnected(element)) return '';
  const field = ownField(element);
  const role = roleOf(field);
  return `${checkedState(field, role, localName(field))}\n${field instanceof HTMLInputElement ? inputValue(field) : valueOf(field, role)}`;
};

const scrollState = () => {
  const scroller = scrollingElement(document);
  return scroller ? [Math.round(scroller.scrollLeft), Math.round(scroller.scrollTop)] : [0, 0];
};

export const takeChanges = () => {
  if (!watched) return { url: location.href, mutations: 0 };
  const state = watched;
  keepRecords(state, state.observer.takeRecords());
  clearTimeout(state.end);
  state.end = setTimeout(() => stopWatching(state), WATCH_ON);
  const focus = focusedElement();
  // A button that was clicked has the focus of course, and so has a field that was
  // filled; one that got nothing but the focus is news.
  const own = state.element && focus && (flatContains(state.element, focus) || flatContains(focus, state.element));
  const present = state.element !== null && isConnected(state.element);
  const after = present ? fieldState(state.element) : state.before;
  const field = after !== state.before;
  const moved = focus !== state.focus && focus !== null && (!own || (isEditable(focus) && !field));
  const scroll = scrollState();
  const title = documentTitle(document) !== state.title ? documentTitle(document) : null;
  const news = newsOf(state);
  const plain = news.length === 0 && !field && !moved && title === null && state.url === location.href;
  return {
    mutations: state.count,
    url: location.href,
    title,
    focus: moved ? labelOf(focus) : null,
    field,
    checked: present ? checkedWord(state.element) : null,
    holding: field ? ownValue(ownField(state.element)) : null,
    scrolled: scroll[0] !== state.scroll[0] || scroll[1] !== state.scroll[1] ? scroll : null,
    news,
    shown: plain ? shownSince(state) : null,
  };
};

const checkedWord = (element) => {
  const field = ownField(element);
  const role = roleOf(field);
  return CHECKABLE.has(role) && role !== 'option' && role !== 'treeitem' ? checkedState(field, role, localName(field)) || 'unchecked' : null;
};

/** For actions of the keyboard, which have no target of their own. */
export const watch = ({ typing: types }) => {
  beginCall();
  const focus = focusedElement();
  watchChanges(focus);
  takeBaseline();
  endTyping();
  if (types && focus !== null && isEditable(focus)) beginTyping(focus);
  return { focus: focus ? labelOf(focus) : null, frame: focus && frameWindow(focus) ? ownerNumber(focus) : 0, takes: focus !== null && isEditable(focus) };
};

/** @param {{typed?: string}} argument Text that was typed, to be found in the field. */
export const report = ({ typed } = {}) => {
  beginCall();
  return typed !== undefined && typing !== null ? reportTyped(typed) : takeChanges();
};

/**
 * Looks again, a little later: after two frames, or `wait` milliseconds where a tab
 * has none, when the page did something; and until then when it did nothing yet.
 * @param {number} wait @param {boolean} untilChange Waits for the page to do something.
 * @returns {Promise<string>} What `report` answers.
 */
export const lookAgain = (wait, untilChange) =>
  new Promise((say) => {
    const state = watched;
    let done = false;
    const answer = () => {
      if (done) return;
      done = true;
      if (state) state.changed = null;
      say(JSON.stringify(report()));
    };
    const soon = () => {
      if (state) state.changed = null;
      requestAnimationFrame(() => requestAnimationFrame(answer));
    };
    if (untilChange && state) state.changed = soon;
    else soon();
    setTimeout(answer, wait);
  });
