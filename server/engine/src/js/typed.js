// Typing: whether the keys became text in the field that had the focus, or in those
// that it passed the focus on to.

import { withLabel } from './aim.js';
import { core, hasAdded, holdsOf, isChipped, memoOf, refuseIncomplete, squash, successor } from './typed-text.js';
import { takeChanges } from './changes.js';
import { isConnected } from './dom.js';
import { drawnTextOf, isStandIn, occurrences, settled } from './editing.js';
import { PICKER_TYPES, plainValue } from './fill.js';
import { promise } from './page-changes.js';
import { inputType } from './primordials.js';
import { isFormControl } from './secrets.js';
import { focusedElement } from './states.js';

/**
 * `inputs` are fields that heard of input, `atEnter` what the field held when Enter was
 * pressed: a chat sends it then, and empties the field.
 * @type {?{element: Element, memo: object, standsIn: boolean, before: string, selected: boolean, inputs: Set<Element>, atEnter: string[]}}
 */
export let typing = null;

const MOST_ENTERS = 50;

export const beginTyping = (element) => {
  const standsIn = isStandIn(element);
  typing = { element, memo: memoOf(element), standsIn, before: typedText(element, standsIn), selected: hasSelection(element), inputs: new Set(), atEnter: [] };
  addEventListener('input', hearTyping, true);
  addEventListener('keydown', hearTyping, true);
};

export const endTyping = () => {
  typing = null;
  removeEventListener('input', hearTyping, true);
  removeEventListener('keydown', hearTyping, true);
};

const hearTyping = (event) => {
  if (typing === null || !event.isTrusted) return;
  const field = focusedElement() || event.composedPath()[0];
  if (!(field instanceof Element)) return;
  if (event.type === 'input') typing.inputs.add(field);
  else if (event.key === 'Enter' && typing.atEnter.length < MOST_ENTERS) typing.atEnter.push(typedText(field, typing.standsIn));
};

const typedText = (field, standsIn) => (standsIn ? drawnTextOf(field) : plainValue(field));

/** @param {any} field */
const hasSelection = (field) => {
  if (!isFormControl(field)) return !getSelection().isCollapsed;
  try {
    const range = /** @type {any} */ (field);
    return range.selectionStart !== range.selectionEnd;
  } catch {
    return true;
  }
};

export const reportTyped = async (text) => {
  let verdict = judgeTyped(text);
  if (verdict !== '') {
    await settled();
    if (typing === null) return takeChanges();
    verdict = judgeTyped(text);
  }
  const { element, memo, standsIn } = typing;
  const field = successor(element, memo);
  endTyping();
  const changes = takeChanges();
  if (verdict !== '') withLabel(field || element, () => refuseIncomplete(field || element, verdict));
  if (field !== null && isFormControl(field)) promise(field);
  return { ...changes, holds: field === null || standsIn ? null : holdsOf(field) };
};

/** @returns {string} Empty when the text arrived in some form; else what is wrong. */
const judgeTyped = (text) => {
  const { element, memo, standsIn, before, selected, inputs, atEnter } = typing;
  const form = core(text) === '' ? squash : core;
  const wanted = form(text);
  if (wanted === '') return '';
  const first = successor(element, memo);
  const fields = [...new Set([first, ...inputs])].filter((field) => field !== null && isConnected(field));
  const texts = fields.map((field) => typedText(field, standsIn));
  if (standsIn) return judgeDrawn(text, before, texts[0] || '', atEnter);
  const changed = texts.length > 1 || texts[0] !== before;
  const held = texts.map(form).join('');
  if (first instanceof HTMLInputElement && PICKER_TYPES.has(inputType(first))) return plainValue(first) === '' ? 'part' : '';
  if ((changed || selected) && held.includes(wanted)) return '';
  const arrived = (line, index) => form(line) === '' || held.includes(form(line)) || form(atEnter[index] || '').includes(form(line));
  if (atEnter.length > 0 && text.split(/\r?\n/).every(arrived)) return '';
  if ((texts.length === 0 || squash(texts[0]) === '') && hasAdded(text)) return '';
  if (isChipped(text, texts[0] || '')) return '';
  if (texts.length === 0) return 'gone';
  if (!changed) return before === '' ? 'emptied' : 'old';
  return held.includes(wanted.slice(0, 1)) ? 'cut' : 'other';
};

/** An editor that draws its text elsewhere shows the end of what was typed. */
const judgeDrawn = (text, before, after, atEnter) => {
  const lines = text.split(/\r?\n/).filter((line) => squash(line) !== '');
  const last = lines[lines.length - 1].slice(-20);
  const shown = (drawn) => occurrences(drawn, last) > occurrences(before, last);
  return shown(after) || atEnter.some(shown) ? '' : 'unseen';
};
