// Filling editors: a generator that names the events that the daemon is to send, and
// judges in between what they did.
//
// Editors keep a model of their own. The real ones (ProseMirror, Lexical, Slate, Draft.js,
// CKEditor, CodeMirror, Monaco) were tried: an editing command from a script fires no
// `beforeinput`, so that they undo it or, worse, never learn of it. Text that the browser
// inserts, into a selection that the editor has had the time to learn of, is believed by
// all. A textarea without a size, or an EditContext, stands for an editor that draws its
// text elsewhere; there the editor's own shortcut selects, and its `copy` handler says
// what it holds.

import { core, hasAdded, heldText, holdsOf, judge, memoOf, refuseIncomplete, squash, successor } from './typed-text.js';
import { takeChanges } from './changes.js';
import { areaValue, boundingRect, documentBody, focusElement, hasAttribute, innerText, isConnected, isContentEditable, localName, parentNode, rootNode, styleOf } from './dom.js';
import { isInClosedTree } from './guard.js';
import { promise } from './page-changes.js';
import { attribute, documentElement, getter, list, selectAll, textContent } from './primordials.js';
import { Refusal } from './refusal.js';
import { isEditingHost } from './roles.js';
import { focusedElement, isBodyEditable } from './states.js';
import { labelOf } from './targets.js';
import { flatContains, flatParent } from './tree.js';
import { isShown } from './visibility.js';
import { beginCall } from './walk.js';

/** @type {?{steps: AsyncGenerator, element: Element, ref: number, guard: ?{host: Element, until: number, heard: boolean}}} */
let filling = null;

export const endFilling = () => {
  filling = null;
  for (const type of GUARDED_INPUT) removeEventListener(type, guardInput, true);
  removeEventListener('beforeinput', guardFocus);
};

export const beginFilling = (element, text, standsIn, ref) => {
  filling = { steps: standsIn ? fillStandIn(element, text) : fillEditor(element, text), element, ref, guard: null };
  return fillNext();
};

/** Goes on until the next event is needed: `{step}`, or the facts of the receipt. */
export const fillNext = async () => {
  const now = filling;
  if (now === null) throw new Refusal('incomplete', { why: 'was filled by another call meanwhile' });
  beginCall();
  try {
    const { value, done } = await now.steps.next();
    if (!done) return { step: value };
    endFilling();
    const changes = takeChanges();
    if (value !== null && !isStandIn(now.element)) promise(now.element);
    return { ...changes, focus: isFocusWithin(now.element) ? null : changes.focus, holds: value, ref: now.ref };
  } catch (error) {
    endFilling();
    if (error instanceof Refusal) {
      const [role, name] = labelOf(now.element);
      error.facts = { role, name, ...error.facts };
    }
    throw error;
  }
};

const GUARDED_INPUT = ['beforeinput', 'keydown', 'keypress', 'input'];

/** Until when text that goes elsewhere is stopped: a person may be at the page. */
const GUARD_MS = 3000;

const guardFilling = (host) => {
  filling.guard = { host, until: Date.now() + GUARD_MS, heard: false };
  for (const type of GUARDED_INPUT) addEventListener(type, guardInput, true);
  addEventListener('beforeinput', guardFocus);
};

/** The browser inserts where the focus is once the page has handled `beforeinput`. */
const guardFocus = (event) => {
  const guard = filling && filling.guard;
  if (guard && event.isTrusted && Date.now() <= guard.until && !isFocusWithin(guard.host)) event.preventDefault();
};

/** Nothing that is meant for the editor reaches another field. */
const guardInput = (event) => {
  const guard = filling && filling.guard;
  if (!guard || !event.isTrusted || Date.now() > guard.until) return;
  const path = event.composedPath()[0];
  const inside = path instanceof Node && (flatContains(guard.host, path) || (isInClosedTree(guard.host) && flatContains(path, guard.host)) || (guard.host === documentBody(document) && path === documentElement(document)));
  if (inside) {
    guard.heard ||= event.type === 'input' || event.type === 'beforeinput';
    return;
  }
  if (event.type === 'input') return;
  event.preventDefault();
  event.stopImmediatePropagation();
};

/** Microtasks that follow each other before a page counts as through with an event. */
const MOST_HOPS = 10;

/** When the page's microtasks have run. A task of our own would be later, and costs a fifth of a fill. */
export const afterMicrotasks = async () => {
  for (let hop = 0; hop < MOST_HOPS; hop++) await null;
};

/** Two frames, or 100 ms where there are none. */
export const settled = () =>
  new Promise((/** @type {(value?: any) => void} */ done) => {
    const timer = setTimeout(done, 100);
    let left = 2;
    const frame = () => {
      left -= 1;
      if (left > 0) return requestAnimationFrame(frame);
      clearTimeout(timer);
      done();
    };
    requestAnimationFrame(frame);
  });

/** The innermost element with the keyboard, the body included. */
export const isFocusWithin = (element) => {
  const focus = focusedElement();
  if (focus === null) return element === documentBody(document) && isBodyEditable();
  return focus === element || flatContains(element, focus) || flatContains(focus, element);
};

/** The outermost element of what is edited as one. @returns {Element} */
const editingHost = (element) => {
  let host = element;
  for (let parent = parentNode(host); parent instanceof HTMLElement && isContentEditable(parent) && localName(parent) !== 'html'; parent = parentNode(parent)) host = parent;
  return host;
};

/** Milliseconds that the news of a selection may take. */
const SELECTION_MS = 60;

/** Selects all of it, and waits until the page has heard of that. */
const selectContents = async (element) => {
  const heard = new Promise((done) => {
    document.addEventListener('selectionchange', done, { once: true });
    setTimeout(done, SELECTION_MS);
  });
  getSelection().selectAllChildren(element);
  await heard;
};

/** Whether an editor left all of its text selected. */
const isAllSelected = (element, text) => {
  const root = rootNode(element);
  const own = root instanceof ShadowRoot && 'getSelection' in root ? /** @type {any} */ (root).getSelection() : null;
  const selected = core(`${getSelection()}`) || (own ? core(`${own}`) : '');
  return selected.includes(core(text));
};

const takeFocus = (element, host) => {
  if (!document.hasFocus()) window.focus();
  if (!isFocusWithin(host)) focusElement(host);
  if (!isFocusWithin(host)) focusElement(element);
  if (!isFocusWithin(host)) throw new Refusal('not-editable', { why: 'it does not take the focus' });
};

/**
 * @param {Element} element @param {string} text
 * @yields {string} The event to send.
 * @returns What it holds.
 */
async function* fillEditor(element, text) {
  const host = editingHost(element);
  const memo = memoOf(element);
  const before = editorText(element);
  const around = element === host ? '' : core(editorText(host));
  let verdict = 'old';
  let field = element;
  // The browser's own selection, the editor's shortcut, and keys for each character.
  for (const way of element === host ? ['range', 'shortcut', 'keys'] : ['range']) {
    if (way === 'keys' && (text === '' || /\n/.test(text) || text.length > 500)) break;
    takeFocus(field, host);
    if (way === 'range') {
      await selectContents(field);
      await settled();
      if (!isAllSelected(field, before)) {
        await selectContents(field);
        await settled();
      }
      if (!isAllSelected(field, before) && element === host) continue;
    } else {
      guardFilling(host);
      yield 'select';
      await settled();
    }
    if (!isFocusWithin(host)) throw new Refusal('not-editable', { why: 'it gave the focus away' });
    guardFilling(host);
    yield text === '' ? 'delete' : way === 'keys' ? 'type' : 'insert';
    await settled();
    field = successor(element, memo);
    if (around !== '' && isReplacedWithin(around, core(before), core(text), core(editorText(host)))) return heldText(text);
    if (field === null) {
      if (hasAdded(text)) return null;
      return refuseIncomplete(element, 'gone');
    }
    verdict = judge(text, before, editorText(field), false);
    if (verdict === 'emptied' && hasAdded(text)) verdict = '';
    if (verdict !== 'old') break;
  }
  if (verdict !== '') refuseIncomplete(field, verdict);
  return holdsOf(field);
}

/** Whether a part of an editor was replaced, and nothing around it: by several paragraphs, say. */
const isReplacedWithin = (around, before, text, after) => {
  for (let at = around.indexOf(before); at >= 0; at = around.indexOf(before, at + 1)) {
    if (around.slice(0, at) + text + around.slice(at + before.length) === after) return text !== before;
  }
  return false;
};

/** Textareas that are too small to be written into: an editor reads them, and draws its text elsewhere. */
export const isStandIn = (element) => {
  if (!(element instanceof HTMLElement)) return false;
  if (editContextOf(element) !== null) return isShown(element);
  if (!(element instanceof HTMLTextAreaElement) || !isShown(element)) return false;
  const own = boundingRect(element);
  let { width, height } = own;
  let faint = styleOf(element).opacity === '0';
  let { left, top, right, bottom } = own;
  let above = flatParent(element);
  for (let level = 0; level < 4 && above instanceof HTMLElement; level++, above = flatParent(above)) {
    const style = styleOf(above);
    faint ||= style.opacity === '0';
    if (style.overflow === 'visible') continue;
    const box = boundingRect(above);
    [left, top, right, bottom] = [Math.max(left, box.left), Math.max(top, box.top), Math.min(right, box.right), Math.min(bottom, box.bottom)];
    if (box.width <= 4 || box.height <= 4) [width, height] = [Math.max(0, right - left), Math.max(0, bottom - top)];
  }
  return (width <= 4 || height <= 4 || (faint && width * height < 400)) && widgetOf(element) !== null;
};

/** The smallest element around a stand-in that a person sees. @returns {?Element} */
export const widgetOf = (element) => {
  for (let above = flatParent(element), level = 0; above instanceof HTMLElement && level < 6; above = flatParent(above), level++) {
    if (above === documentBody(document)) return null;
    const box = boundingRect(above);
    if (box.width >= 40 && box.height >= 16) return above;
  }
  return null;
};

/** The text that a stand-in's editor draws, and what it keeps of it for the browser. */
export const drawnTextOf = (element) => {
  const context = editContextOf(element);
  const widget = widgetOf(element) || (context ? element : null);
  return `${widget instanceof HTMLElement ? innerText(widget) : ''}\n${context ? context.text : element instanceof HTMLTextAreaElement ? areaValue(element) : ''}`;
};

/** What a copy would give: the editor's own answer, or what the browser has selected. Nothing goes to the clipboard. @returns {?string} */
const copied = (element) => {
  const clipboardData = new DataTransfer();
  const event = new ClipboardEvent('copy', { clipboardData, bubbles: true, cancelable: true, composed: true });
  const handled = !element.dispatchEvent(event);
  const own = clipboardData.getData('text/plain');
  if (handled && own !== '') return own;
  if (element instanceof HTMLTextAreaElement && element.selectionEnd > element.selectionStart) return areaValue(element).slice(element.selectionStart, element.selectionEnd);
  const context = editContextOf(element);
  if (context && context.text !== '' && Math.min(context.selectionStart, context.selectionEnd) === 0 && Math.max(context.selectionStart, context.selectionEnd) === context.text.length) return context.text;
  return handled ? '' : null;
};

/** @yields {string} @returns What it holds, null where that cannot be read. */
async function* fillStandIn(element, text) {
  const drawn = drawnTextOf(element);
  takeFocus(element, element);
  // It takes lines, and has nothing that could be replaced: a terminal.
  if (element instanceof HTMLTextAreaElement && attribute(element, 'aria-multiline') === 'false') {
    if (text === '' || /\n/.test(text)) throw new Refusal('rejected', { why: 'it takes lines to run, not a text to hold: use `type` and `press`' });
    guardFilling(element);
    yield 'insert';
    await settled();
    if (occurrences(drawnTextOf(element), text) <= occurrences(drawn, text)) refuseIncomplete(element, 'unseen');
    return null;
  }
  guardFilling(element);
  yield 'select';
  await settled();
  let before = copied(element);
  const context = editContextOf(element);
  if (before === null && context && context.text !== '') {
    context.updateSelection(0, context.text.length);
    before = context.text;
  }
  if (!isFocusWithin(element)) throw new Refusal('not-editable', { why: 'it gave the focus away' });
  guardFilling(element);
  yield text === '' ? 'delete' : 'insert';
  await settled();
  if (!isConnected(element)) refuseIncomplete(element, 'gone');
  if (context && before !== null && context.text === before && before !== text && drawnTextOf(element) === drawn) refuseIncomplete(element, 'old', before);
  guardFilling(element);
  yield 'select';
  await settled();
  let after = copied(element);
  if (after === null && context) after = context.text;
  yield 'end';
  await settled();
  if (after === null && text === '') after = '';
  if (after === null) {
    if (occurrences(drawnTextOf(element), text) <= occurrences(drawn, text)) refuseIncomplete(element, 'unseen');
    return null;
  }
  const verdict = judge(text, before || '', after, false);
  if (verdict !== '') refuseIncomplete(element, verdict, after);
  return heldText(after);
}

/** How often a text is drawn. */
export const occurrences = (drawn, text) => {
  const wanted = core(text) || squash(text);
  return wanted === '' ? 0 : (core(text) === '' ? squash : core)(drawn).split(wanted).length - 1;
};

// === Regions of text that a person can edit and that are no form controls: what is ===
// `contenteditable`, what has an EditContext, and a document in design mode.

const htmlEditContext = 'editContext' in HTMLElement.prototype ? getter(HTMLElement.prototype, 'editContext') : () => null;
export const editContextOf = (element) => (element instanceof HTMLElement ? htmlEditContext(element) : null);
const editContextText = 'EditContext' in globalThis ? getter(/** @type {any} */ (globalThis).EditContext.prototype, 'text') : () => '';
const designMode = getter(Document.prototype, 'designMode');

/** Whether the outermost element of such a region. */
export const isEditor = (element, tag) => {
  if (!(element instanceof HTMLElement)) return false;
  if (tag === 'body' && designMode(document) === 'on') return true;
  if (hasAttribute(element, 'contenteditable') && isEditingHost(element)) {
    const parent = flatParent(element);
    return isContentEditable(element) && !(parent instanceof HTMLElement && isContentEditable(parent));
  }
  return editContextOf(element) !== null;
};

/** The text of an editable element, without what only lies in it, such as a placeholder. */
export const editorText = (element) => {
  const context = editContextOf(element);
  if (context !== null) return editContextText(context);
  if (!(element instanceof HTMLElement)) return textContent(element);
  let text = innerText(element);
  for (const part of list(selectAll(element, '[contenteditable="false"]'))) {
    const style = styleOf(part);
    if (!(part instanceof HTMLElement) || (style.userSelect !== 'none' && style.pointerEvents !== 'none' && attribute(part, 'aria-hidden') !== 'true')) continue;
    const own = innerText(part);
    if (own !== '') text = text.replace(own, () => '');
  }
  for (const image of list(selectAll(element, 'img[alt]'))) text += attribute(image, 'alt');
  return text.replace(/\n$/, '');
};
