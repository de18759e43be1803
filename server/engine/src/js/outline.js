// The structure of a part of the page: what is left of it when the words, the
// looks and the number of records change.

import { SKIPPED_TAGS } from './tags.js';
import { ELEMENT, TEXT, closest, documentBody, firstChild, firstElementChild, localName, nextElementSibling, nextSibling, nodeType, optionLabel, optionValue, parentNode, selectFirst, selectOptions, textData, tidy } from './dom.js';
import { fieldOf } from './fill.js';
import { kindOf } from './selector-generator.js';
import { whole } from './markup.js';
import { attribute, list, selectAll, textContent } from './primordials.js';
import { isDisabled } from './states.js';
import { clip, findAll, findOne } from './targets.js';
import { isVisible } from './visibility.js';
import { beginCall } from './walk.js';
/** @import { Target } from './targets.js' */

/** Elements that say what a text in them is. Others are wrappers. */
const MEANINGFUL = new Set(['a', 'button', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'time', 'label', 'img', 'input', 'select', 'textarea', 'video', 'audio']);

const MOST_RECORDS = 200;
const MOST_GROUPS = 400;

/** Digits without a word: a price, a count, a date in figures. */
const FIGURES = /^[^\p{L}]*\p{N}[^\p{L}]*(?:\b(?:EUR|USD|GBP|CHF|kr|zł|Kč)\b[^\p{L}]*)?$/u;

/**
 * @param {{targets: Target[], regions: ?Target[]}} argument A region without a
 *   target is the page.
 */
export const outline = ({ targets, regions }) => {
  beginCall();
  return { targets: targets.map(standing), regions: regions.map(outlineOf) };
};

/** Whether a target still finds its element, and what that is now. */
const standing = (target) => {
  let found;
  try {
    found = findAll(target);
  } catch {
    return { count: 0 };
  }
  const seen = found.slice(0, 200).filter(isVisible);
  const element = found.length === 1 ? found[0] : seen.length === 1 ? seen[0] : null;
  if (!element) return { count: found.length, visible: seen.length };
  const field = fieldOf(element);
  const options = field instanceof HTMLSelectElement ? list(selectOptions(field)).slice(0, 500).flatMap((option) => [whole(optionValue(option)), whole(tidy(optionLabel(option)))]) : [];
  return { count: 1, visible: seen.length, ...kindOf(element), idle: isDisabled(field), options, demands: demandsOf(field) };
};

/** The fields that the form around a field wants filled. */
const demandsOf = (field) => {
  const form = closest(field, 'form');
  if (!form) return [];
  const wanted = list(selectAll(form, 'input[required],select[required],textarea[required],input[type=password]'));
  return wanted.map((one) => whole(clip(attribute(one, 'name') || attribute(one, 'id') || attribute(one, 'type') || localName(one))));
};

const outlineOf = (target) => {
  const top = target ? regionTop(target) : documentBody(document);
  if (!top) return { found: false };
  const tables = [...(localName(top) === 'table' ? [top] : []), ...list(selectAll(top, 'table'))].slice(0, 50).map(headersOf).filter((headers) => headers.length > 1);
  return { found: true, tables, groups: groupsIn(top) };
};

const regionTop = (target) => {
  try {
    return findOne(target);
  } catch {
    return null;
  }
};

/** The words over the columns of a table. */
const headersOf = (table) => {
  const row = list(selectAll(table, 'tr')).find((one) => selectFirst(one, 'th') && list(selectAll(one, 'th')).length > 1);
  return row ? list(selectAll(row, 'th,td')).map((cell) => whole(clip(tidy(textContent(cell)).toLowerCase()))) : [];
};

/** Records: children of one parent that are of the same kind. Each kind of fact that a record has, with the share of records that have it. */
const groupsIn = (top) => {
  const groups = [];
  const visit = (parent) => {
    const byTag = new Map();
    for (let child = firstElementChild(parent); child; child = nextElementSibling(child)) {
      const tag = localName(child);
      if (SKIPPED_TAGS.has(tag)) continue;
      if (!byTag.has(tag)) byTag.set(tag, []);
      byTag.get(tag).push(child);
    }
    for (const records of byTag.values()) {
      if (records.length > 1 && groups.length < MOST_GROUPS) groups.push(groupOfRecords(records));
      records.forEach(visit);
    }
  };
  visit(top);
  return groups.filter((group) => Object.keys(group.slots).length > 0);
};

const groupOfRecords = (records) => {
  const counts = {};
  const told = records.slice(0, MOST_RECORDS).map(slotsOf).filter((slots) => slots.size > 0);
  for (const slots of told) for (const slot of slots) counts[slot] = (counts[slot] || 0) + 1;
  for (const slot of Object.keys(counts)) counts[slot] = Math.round((counts[slot] / told.length) * 100) / 100;
  return { size: told.length, slots: counts };
};

/** The kinds of facts of one record. */
const slotsOf = (record) => {
  const slots = new Set();
  const visit = (node, kind) => {
    const tag = localName(node);
    if (SKIPPED_TAGS.has(tag)) return;
    const own = tag === 'td' || tag === 'th' ? `column ${columnOf(node)}` : MEANINGFUL.has(tag) ? (/^h[1-6]$/.test(tag) ? 'heading' : tag === 'a' ? 'link' : tag) : kind;
    if (tag === 'img' || tag === 'input' || tag === 'select' || tag === 'textarea') slots.add(own);
    let words = '';
    for (let child = firstChild(node); child; child = nextSibling(child)) {
      if (nodeType(child) === TEXT) words += textData(child);
      else if (nodeType(child) === ELEMENT) visit(child, own);
    }
    words = tidy(words);
    if (/[\p{L}\p{N}]/u.test(words)) slots.add(`${own} ${FIGURES.test(words) ? 'figures' : 'words'}`);
  };
  visit(record, 'text');
  return slots;
};

const columnOf = (cell) => {
  let column = 1;
  for (let child = firstElementChild(parentNode(cell)); child && child !== cell; child = nextElementSibling(child)) column += 1;
  return column;
};
