// Grids of cells, each of which takes clicks: a calendar or a sheet is one line
// of a snapshot of what can be operated. A snapshot of the grid shows its cells.

import { OPERABLE } from './clickable.js';
import { ELEMENT, boundingRect, closest, contains, hasAttribute, localName, nodeType, selectFirst, styleOf } from './dom.js';
import { whole } from './markup.js';
import { givenName, nameOf } from './names.js';
import { list, selectAll } from './primordials.js';
import { refFor } from './refs.js';
import { roleOf } from './roles.js';
import { FIELDS, push } from './snapshot.js';
import { flatContains, flatParent } from './tree.js';
import { isShown, isVisible } from './visibility.js';
import { WRAPPERS } from './walk.js';

const GRIDS = '[role=grid],[role=treegrid]';
const CELLS = '[role=gridcell]';

/** Days in a row from which on they are folded, and columns that make it a calendar. */
const LEAST_DAYS = 20;
const WEEK = 7;

export const isCellOfGrid = (element) => closest(element, GRIDS) !== null;

/** Whether a table is one that the keyboard moves through, as a sheet is. */
export const isSheet = (table) => localName(table) === 'table' && !hasAttribute(table, 'role') && closest(table, '[tabindex]:not(body):not([tabindex^="-"])') !== null && selectFirst(table, 'td') !== null;

/** The grid or sheet that an element is or stands in. @returns {?Element} */
export const gridAround = (element) => {
  const grid = closest(element, `${GRIDS},table`);
  return grid !== null && (localName(grid) !== 'table' || hasAttribute(grid, 'role') || isSheet(grid)) ? grid : null;
};

/** Whether nothing in or on a cell says that it takes clicks: it is a line of a snapshot of its grid alone. */
const isPlainCell = (cell) => styleOf(cell).cursor !== 'pointer' && localName(cell) !== 'button' && !selectFirst(cell, OPERABLE) && isShown(cell);

/** Cells that are looked at. */
const MOST_CELLS = 2000;

/** A line for a grid whose cells nothing marks as operable, although a person can go from cell to cell. @returns {boolean} */
export const emitGrid = (walk, element, role, depth) => {
  const isTable = role !== 'grid' && role !== 'treegrid';
  const all = list(selectAll(element, isTable ? 'td' : CELLS)).slice(0, MOST_CELLS);
  const cells = all.filter(isPlainCell);
  if (cells.length === 0 || cells.length * 2 < all.length || !isVisible(element)) return false;
  walk.folds.push([walk.elements.length, `${cells.length === MOST_CELLS ? 'over ' : ''}${cells.length} cells`]);
  push(walk, depth, isTable ? 'table' : role, nameOf(element, role), refFor(element), '', '', element);
  return true;
};

/** Whether an element is a cell that takes clicks, in a snapshot of its grid. */
export const isCell = (walk, element, role, tag) => walk.grid !== null && (role === 'gridcell' || tag === 'td') && isPlainCell(element);

/** Replaces each run of days by one line for what holds them. */
export const foldDays = (walk, scope) => {
  const { nodes, elements } = walk;
  const runs = [];
  let begin = 0;
  for (let index = 1; index <= elements.length; index++) {
    if (index < elements.length && isNextDay(nodes, index)) continue;
    if (index - begin >= LEAST_DAYS) {
      const holder = calendarOf(elements.slice(begin, index));
      if (holder !== null && !contains(holder, scope)) runs.push([begin, index, holder]);
    }
    begin = index;
  }
  // From the end, so that what comes before keeps its place.
  for (const [from, to, holder] of runs.reverse()) foldRun(walk, from, to, holder);
};

/** Whether a line is the day after the one before it. */
const isNextDay = (nodes, index) => {
  const at = index * FIELDS;
  if (nodes[at + 1] !== nodes[at + 1 - FIELDS] || nodes[at] !== nodes[at - FIELDS]) return false;
  const day = nodes[at + 2];
  if (day.length > 60 || day === '') return false;
  const before = nodes[at + 2 - FIELDS].match(/\d+/g);
  const numbers = day.match(/\d+/g);
  if (before === null || numbers === null) return false;
  return numbers.some((number, place) => (Number(number) === Number(before[place]) + 1 && Number(number) <= 31) || (Number(number) === 1 && Number(before[place]) >= 28 && Number(before[place]) <= 31));
};

/** What holds cells that stand in seven columns; null where they do not. @returns {?Element} */
const calendarOf = (cells) => {
  const columns = new Set(cells.map((cell) => Math.round(boundingRect(cell).x)));
  if (columns.size !== WEEK) return null;
  const last = cells[cells.length - 1];
  let holder = flatParent(cells[0]);
  while (holder && nodeType(holder) === ELEMENT && !flatContains(holder, last)) holder = flatParent(holder);
  if (!holder || nodeType(holder) !== ELEMENT) return null;
  return closest(holder, `${GRIDS},table`) || holder;
};

const foldRun = (walk, from, to, holder) => {
  const { nodes, elements } = walk;
  const depth = nodes[from * FIELDS];
  const told = [];
  for (let index = from; index < to; index++) {
    const state = /\b(?:selected|current)\b/.exec(nodes[index * FIELDS + 4]);
    if (state && told.length < 3) told.push(`"${nodes[index * FIELDS + 2]}" ${state[0]}`);
  }
  const role = roleOf(holder);
  const line = [depth, WRAPPERS.has(role) || role === 'none' ? 'group' : role, givenName(holder), refFor(holder), '', ''];
  nodes.splice(from * FIELDS, (to - from) * FIELDS, ...line);
  elements.splice(from, to - from, holder);
  const moved = to - from - 1;
  const shift = (notes) => notes.filter(([index]) => index < from || index >= to).map(([index, text]) => [index >= to ? index - moved : index, text]);
  walk.messages = shift(walk.messages);
  walk.hints = shift(walk.hints);
  walk.folds = [...shift(walk.folds), [from, whole([`${to - from} days`, ...told].join(', '))]];
};
