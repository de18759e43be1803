// Drafts: what was typed or chosen in a page and not sent, taken from one document
// and put into another one of the same address.

import { ELEMENT, areaValue, documentSelectAll, documentSelectFirst, firstChild, innerText, inputChecked, inputFiles, inputValue, isContentEditable, localName, nextSibling, nodeType, openShadowRoot, optionSelected, optionValue, parentNode, selectOptions, shadowHost, shadowSelectAll } from './dom.js';
import { fire, setAreaValue, setInputValue, setOptionSelected } from './fill.js';
import { attribute, inputType, list, method } from './primordials.js';
import { isDisabled } from './states.js';
import { shadowRootsWithin } from './tree.js';
import { beginCall } from './walk.js';

/** Fields and characters that are taken at most. */
const MAX_DRAFTS = 1000;
const MAX_DRAFT_CHARACTERS = 200_000;

const setInputChecked = method(HTMLElement.prototype, 'click');
const UNDRAFTED_TYPES = new Set(['button', 'submit', 'reset', 'image', 'hidden', 'file']);

/** @returns {string[]} Selectors from the document inwards, one for each shadow tree on the way. */
const pathOf = (element) => {
  const steps = [];
  let selector = '';
  for (let node = element; ; ) {
    const parent = parentNode(node);
    let index = 1;
    for (let before = parent && firstChild(parent); before && before !== node; before = nextSibling(before)) if (nodeType(before) === ELEMENT) index += 1;
    selector = `${CSS.escape(localName(node))}:nth-child(${index})${selector && ' > '}${selector}`;
    if (!parent || nodeType(parent) !== ELEMENT) {
      steps.unshift(selector);
      if (!(parent instanceof ShadowRoot)) return steps;
      selector = '';
      node = shadowHost(parent);
    } else node = parent;
  }
};

const draftOf = (element) => {
  const about = { path: pathOf(element), tag: localName(element), name: attribute(element, 'name') || attribute(element, 'id') || '' };
  if (element instanceof HTMLInputElement) {
    const type = inputType(element);
    if (type === 'file') return inputFiles(element).length > 0 ? { ...about, kind: 'file' } : null;
    if (UNDRAFTED_TYPES.has(type)) return null;
    // Of a group of radio buttons the chosen one says it all.
    if (type === 'radio' && !inputChecked(element)) return null;
    if (type === 'checkbox' || type === 'radio') return { ...about, kind: 'check', checked: inputChecked(element) };
    return { ...about, kind: 'text', text: inputValue(element) };
  }
  if (element instanceof HTMLTextAreaElement) return { ...about, kind: 'text', text: areaValue(element) };
  if (element instanceof HTMLSelectElement) return { ...about, kind: 'select', chosen: list(selectOptions(element)).filter((option) => optionSelected(option)).map((option) => optionValue(option)) };
  const editable = element instanceof HTMLElement && isContentEditable(element);
  const parent = parentNode(element);
  if (!editable || (parent instanceof HTMLElement && isContentEditable(parent))) return null;
  const text = innerText(element);
  return text.trim() === '' ? null : { ...about, kind: 'editor', text };
};

/** What the fields of this document hold. @returns {{drafts: object[]}} */
export const drafts = () => {
  beginCall();
  const found = [];
  let left = MAX_DRAFT_CHARACTERS;
  const selector = 'input,textarea,select,[contenteditable]';
  for (const root of [document, ...shadowRootsWithin(document)]) {
    for (const element of list(root === document ? documentSelectAll(document, selector) : shadowSelectAll(root, selector))) {
      const draft = /** @type {any} */ (draftOf(element));
      left -= draft && draft.text ? draft.text.length : 0;
      if (draft !== null && left > 0 && found.length < MAX_DRAFTS) found.push(draft);
    }
  }
  return { drafts: found };
};

const elementAt = (path) => {
  let root = document;
  let element = null;
  for (const selector of path) {
    if (root === null) return null;
    element = root === document ? documentSelectFirst(document, selector) : list(shadowSelectAll(root, selector))[0] || null;
    root = element && (openShadowRoot(element) || null);
  }
  return element;
};

const isSameField = (element, draft) => element !== null && localName(element) === draft.tag && (attribute(element, 'name') || attribute(element, 'id') || '') === draft.name;

/** Whether two drafts of one field hold the same. */
const isSameDraft = (one, other) => one !== null && one.text === other.text && one.checked === other.checked && (one.chosen || []).join('\n') === (other.chosen || []).join('\n');

/** Puts a draft into its field. @returns {'done' | 'absent' | 'refused' | 'editor'} */
const restoreDraft = (draft) => {
  const element = elementAt(draft.path);
  if (!isSameField(element, draft)) return 'absent';
  if (draft.kind === 'file') return 'refused';
  if (isSameDraft(draftOf(element), draft)) return 'done';
  if (draft.kind === 'editor') return 'editor';
  if (isDisabled(element)) return 'refused';
  if (draft.kind === 'check') setInputChecked(element);
  else {
    if (draft.kind === 'select') for (const option of list(selectOptions(element))) setOptionSelected(option, draft.chosen.includes(optionValue(option)));
    else if (element instanceof HTMLInputElement) setInputValue(element, draft.text);
    else setAreaValue(element, draft.text);
    fire(element, 'input');
    fire(element, 'change');
  }
  return isSameDraft(draftOf(element), draft) ? 'done' : 'refused';
};

/** @param {{drafts: object[]}} argument @returns {{outcomes: string[]}} What became of each. */
export const restoreDrafts = ({ drafts: given }) => {
  beginCall();
  return { outcomes: given.map(restoreDraft) };
};
