// Whether a text arrived in a field: in whatever form the application gives it, whole
// and once, and without the old text.

import { Refusal } from './refusal.js';
import { addedNodes, watched } from './changes.js';
import { ELEMENT, closest, documentById, documentSelectAll, isConnected, localName, nodeType, parentNode, tidy } from './dom.js';
import { isEditable, plainValue } from './fill.js';
import { attribute, list, textContent } from './primordials.js';
import { isSecret } from './secrets.js';
import { focusedElement } from './states.js';
import { clip } from './targets.js';
import { isVisible } from './visibility.js';

/** Letters and digits, without case and accents: what a mask or format leaves alone. */
export const core = (text) => text.normalize('NFKD').replace(/\p{M}/gu, '').toUpperCase().toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** Characters that editors put in for themselves. */
export const squash = (text) => text.replace(/[\s\u200b-\u200d\u2060\ufeff]/g, '');

/**
 * @param {string} wanted @param {string} before @param {string} after
 * @param {boolean} plain Whether the browser replaced the whole value: what is added to it is the page's doing.
 * @returns {string} Empty when it arrived; else what is wrong.
 */
export const judge = (wanted, before, after, plain) => {
  if (tidy(after) === tidy(wanted)) return '';
  const [w, a, b] = [core(wanted), core(after), core(before)];
  if (squash(wanted) === '') return (plain ? after !== before || squash(after) === '' : squash(after) === '' || (a === '' && after !== before)) ? '' : 'old';
  const symbols = w === '';
  const [text, now, old] = symbols ? [squash(wanted), squash(after), squash(before)] : [w, a, b];
  if (now === text || isSameNumber(wanted, after) || isSameDate(wanted, after)) return '';
  const at = now.indexOf(text);
  if (at < 0) {
    if (after === before || (now === old && old !== '')) return 'old';
    if (squash(after) === '') return 'emptied';
    return now.includes(text.slice(0, Math.ceil(text.length / 2))) || (now !== '' && text.includes(now)) ? 'cut' : 'other';
  }
  const head = now.slice(0, at);
  const tail = now.slice(at + text.length);
  if (after === before && !/^\d{0,3}$/.test(head + tail)) return 'old';
  const again = text.length > 7 ? text.slice(0, Math.ceil(text.length / 2)) : text;
  if (head + tail === text || (text.length > 3 && (head + tail).includes(again))) return 'twice';
  if (isLeftOver(head, old, before, plain, 'head') || isLeftOver(tail, old, before, plain, 'tail')) return 'mixed';
  return '';
};

/** Whether what stands beside the new text is of the old one. A page may put `+49` or `https://` before any text. */
const isLeftOver = (beside, old, before, plain, side) => {
  if (beside === '' || old === '') return false;
  if (!plain) return beside.length > 1 && old.includes(beside);
  const affix = side === 'head' ? /[^\p{L}\p{N}\s]\s*$|^[^\p{L}]*$/u.test(before) : /^\s*[^\p{L}\p{N}\s]/u.test(before);
  return beside === old && !affix;
};

/** `1234.5` and `$1,234.50`. */
const isSameNumber = (wanted, after) => /^\s*[-+]?[\d.,'\s]+\s*$/.test(wanted) && numberOf(wanted) !== null && numberOf(wanted) === numberOf(after);

const numberOf = (text) => {
  const found = /^[^\d.,+-]*([-+]?)[^\d.,+-]*([\d.,'\s\u00a0\u202f]*\d)[^\d]*$/.exec(text);
  if (!found) return null;
  let digits = found[2].replace(/['\s\u00a0\u202f]/g, '');
  const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  const both = digits.includes('.') && digits.includes(',');
  const grouped = /^\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*$/.test(digits);
  if (last >= 0 && (both || !grouped)) digits = `${digits.slice(0, last).replace(/[.,]/g, '')}.${digits.slice(last + 1)}`;
  else if (grouped) digits = digits.replace(/[.,]/g, '');
  const number = Number(found[1] + digits);
  return Number.isNaN(number) ? null : number;
};

/** `2026-11-21` and `21.11.2026` or `Nov 21, 2026`. */
const isSameDate = (wanted, after) => {
  const parts = (text) => (text.match(/\d+/g) || []).map(Number).sort((one, other) => one - other).join();
  if (!/^\s*\d{1,4}([-/. ])\s?\d{1,2}\1\s?\d{1,4}/.test(wanted)) return false;
  if (parts(wanted) === parts(after)) return true;
  const [one, other] = [new Date(wanted), new Date(after)];
  const day = (date) => [date.getFullYear(), date.getMonth(), date.getDate()].join();
  const utc = (date) => [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()].join();
  return !Number.isNaN(one.getTime()) && !Number.isNaN(other.getTime()) && (day(one) === day(other) || utc(one) === day(other));
};

/** Whether the page has put a text beside the field, as it does for a chip. A message about it is none. */
export const hasAdded = (text) => {
  const symbols = core(text) === '';
  const form = symbols ? squash : core;
  if (form(text) === '' || !watched) return false;
  return addedNodes().some((node) => {
    const element = nodeType(node) === ELEMENT ? node : parentNode(node);
    return element instanceof Element && isConnected(node) && form(textContent(node)).includes(form(text)) && closest(element, MESSAGES) === null && isVisible(element);
  });
};

/**
 * Whether a field that turns words into chips took this text: what is not in it
 * any more, up to the last separator, stands beside it.
 */
export const isChipped = (text, held) => {
  const words = text.split(/[,;\n\t]/).map((word) => word.trim()).filter((word) => word !== '');
  if (words.length === 0) return false;
  const rest = squash(held) === '' ? words : words.slice(0, -1);
  return (rest.length === words.length || core(words[words.length - 1]) === core(held)) && rest.length > 0 && rest.every(hasAdded);
};

const MESSAGES = '[role=alert],[role=status],[aria-live]:not([aria-live=off]),[role=listbox],[role=option]';

/** What is wrong, as the end of a sentence whose subject is the field. */
const WRONG = {
  old: 'kept its old text',
  cut: 'took only a part of the text',
  twice: 'has the text twice',
  mixed: 'has old text beside the new one',
  emptied: 'did not keep the text',
  other: 'does not hold the text',
  gone: 'left the page with the text',
  unseen: 'was sent the text and does not show it',
  part: 'needs more than was typed',
};

/** @returns {never} */
export const refuseIncomplete = (field, verdict, text) => {
  const holds = verdict === 'gone' || verdict.startsWith('un') ? null : text === undefined ? holdsOf(field) : { text: text.trim(), secret: false };
  throw new Refusal('incomplete', { why: WRONG[verdict], ...(holds === null || holds.secret ? {} : { value: clip(tidy(holds.text)), empty: holds.text === '' }) });
};

/** A receipt has this much of a value at most. */
const LONGEST_VALUE = 2000;

/** What a field holds, for a receipt; secrets only say whether they hold anything. */
export const holdsOf = (field) => {
  if (isSecret(field)) return { text: '', secret: plainValue(field) !== '' };
  return heldText(plainValue(field));
};

export const heldText = (text) => {
  const kept = text.replace(/[\u200b\ufeff]/g, '').replace(/^\n+|\s+$/g, '');
  const short = kept.length > LONGEST_VALUE ? `${kept.slice(0, LONGEST_VALUE - 1)}…` : kept;
  return { text: short.isWellFormed() ? short : short.toWellFormed(), secret: false };
};

/** How to find a field again that the page puts another one in the place of. */
export const memoOf = (field) => {
  const parent = parentNode(field);
  return { parent, index: parent ? list(parent.childNodes).indexOf(field) : -1, tag: localName(field), id: attribute(field, 'id'), name: attribute(field, 'name') };
};

/** The field, or the one that replaced it. @returns {?Element} */
export const successor = (field, memo) => {
  if (isConnected(field)) return field;
  const same = (other, name) => attribute(other, name) === memo[name];
  const fits = (other) => other instanceof Element && localName(other) === memo.tag && same(other, 'id') && same(other, 'name') && isEditable(other);
  const byId = memo.id ? documentById(document, memo.id) : null;
  if (fits(byId)) return byId;
  if (memo.name) {
    const named = list(documentSelectAll(document, memo.tag)).filter((other) => attribute(other, 'name') === memo.name);
    if (named.length === 1 && fits(named[0])) return named[0];
  }
  if (memo.parent && isConnected(memo.parent)) {
    const placed = memo.parent.childNodes[memo.index];
    if (fits(placed)) return placed;
  }
  const focus = focusedElement();
  return focus && fits(focus) ? focus : null;
};
