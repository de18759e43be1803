// What tells elements of the same role and name apart: the heading, row, card or
// label that each of them stands in. It is no part of their names.

import { callContext } from './call-context.js';
import { OPERABLE, altWithin, ownText } from './clickable.js';
import { ELEMENT, TEXT, closest, comparePosition, contains, documentSelectAll, labelControl, localName, matches, nodeType, parentNode, selectFirst, textData, tidy } from './dom.js';
import { WORDS, isTextHidden, isUnseen, remembered } from './hidden.js';
import { whole } from './markup.js';
import { givenName, nameOf } from './names.js';
import { ANY_HEADING, NOTICES } from './notices.js';
import { attribute, getter, list, selectAll, textContent } from './primordials.js';
import { roleOf } from './roles.js';
import { FIELDS, shorten } from './snapshot.js';
import { SKIPPED_TAGS } from './tags.js';
import { flatContains, flatParent } from './tree.js';
import { isShown } from './visibility.js';
import { metRoots } from './walk.js';

/** Characters of a context. */
const MOST_CONTEXT = 40;

/** Elements of one call for which a context is looked for; the others are counted only. */
const MOST_CONTEXTS = 600;

const previousSibling = getter(Node.prototype, 'previousSibling');
const elementChildren = getter(Element.prototype, 'children');

/**
 * Index of a line, its context, its number among those that share it, and whether
 * the context is new in this place.
 * @typedef {[number, string, number, boolean]} Context
 */

/** @returns {Context[]} */
export const contextsOfLines = ({ nodes, elements, hints }) => {
  const hinted = new Map(hints);
  const byName = new Map();
  const repeated = new Set();
  for (let index = 0; index < elements.length; index++) {
    const role = nodes[index * FIELDS + 1];
    if (elements[index] === null || role === 'option' || role === 'iframe' || !isActedOn(role, nodes[index * FIELDS + 3])) continue;
    const name = nodes[index * FIELDS + 2] || hinted.get(index) || '';
    const known = byName.get(name);
    if (known === undefined) byName.set(name, index);
    else if (typeof known === 'number') {
      byName.set(name, [known, index]);
      repeated.add(name);
    } else known.push(index);
  }
  const groups = [];
  for (const name of repeated) {
    const byRole = new Map();
    for (const index of byName.get(name)) remembered(byRole, nodes[index * FIELDS + 1], () => []).push(index);
    for (const group of byRole.values()) if (group.length > 1) groups.push([name, group]);
  }
  return groups.length > 0 ? inContext(elements, groups, (index) => nodes[index * FIELDS + 2]) : [];
};

const isActedOn = (role, ref) => ref !== 0 && !NOTICES.has(role);

/** @param {[string, number[]][]} groups A name and the indices of what has it. @returns {Context[]} */
const inContext = (elements, groups, names = null) => {
  const found = [];
  const listed = new Set(elements);
  headingsNow = null;
  let left = MOST_CONTEXTS;
  for (const [name, group] of groups) {
    const places = group.map((index) => destinationOf(elements[index]));
    if (places.every((place) => place === places[0]) || places.every((place) => typeof place === 'string' && place.startsWith('#'))) continue;
    const told = group.map((index, at) => {
      left -= 1;
      if (left < 0) return { card: null, text: '', lead: null };
      const before = neighbour(elements, group, places, at, -1);
      const card = cardOf(elements[index], before, neighbour(elements, group, places, at, 1));
      return { card, text: '', lead: wordsBefore(card, before, listed) };
    });
    const isLed = told.every(({ lead }) => lead === null || lead.leads);
    group.forEach((index, at) => {
      const one = told[at];
      if (one.card !== null) one.text = isLed ? clipped(one.lead.text) : contextIn(elements[index], one.card, name) || clipped(one.lead.text);
    });
    tellApart(elements, group, told, name);
    const counts = new Map();
    group.forEach((index, at) => {
      const key = told[at].text;
      const place = remembered(counts, key, () => new Map());
      const number = remembered(place, places[at], () => place.size + 1);
      found.push([index, whole(key), number, true, told[at].card]);
    });
  }
  found.sort((a, b) => a[0] - b[0]);
  return sayOnce(elements, found, names);
};

/** Where a link leads: links of one name that lead to the same place need not be told apart. @returns {string|Element} */
const destinationOf = (element) => {
  const href = localName(element) === 'a' ? attribute(element, 'href') : null;
  return href !== null && href !== '#' && href !== '' ? href : element;
};

/** The nearest of the group in a direction that is another thing. @returns {?Element} */
const neighbour = (elements, group, places, at, step) => {
  for (let other = at + step; other >= 0 && other < group.length; other += step) if (places[other] !== places[at]) return elements[group[other]];
  return null;
};

const isAround = (outer, inner) => inner !== null && (contains(outer, inner) || (metRoots.size > 0 && flatContains(outer, inner)));

/** The largest element around it that holds none of the others. */
const cardOf = (element, before, after) => {
  let card = element;
  for (let outer = flatParent(card); outer && nodeType(outer) === ELEMENT; outer = flatParent(outer)) {
    if (isAround(outer, before) || isAround(outer, after)) break;
    card = outer;
  }
  return card;
};

/** Where the same context repeats, the words of the card may still differ; where it says the same of all, it says nothing. */
const tellApart = (elements, group, told, name) => {
  const counts = new Map();
  for (const { text } of told) counts.set(text, (counts.get(text) || 0) + 1);
  told.forEach((one, at) => {
    if (one.card === null || one.text === '' || counts.get(one.text) === 1) return;
    const words = cardWords(one.card, elements[group[at]], name);
    if (words !== '') one.text = words;
  });
  if (told.every(({ text }) => text === told[0].text)) for (const one of told) one.text = '';
};

/** Leaves the context out where the line above it in the same card has said it, and what says nothing. */
const sayOnce = (elements, found, names) => {
  let last = null;
  const told = [];
  for (const [index, text, number, , card] of found) {
    if (text === '' && number === 1) continue;
    const isSaid = last !== null && text === last.text && last.card !== null && isAround(last.card, elements[index]);
    told.push([index, text, number, !isSaid && !isNextToIt(elements, names, index, text, card)]);
    if (text !== '') last = { text, card };
  }
  return told;
};

/** Whether a link stands beside the link in the same card that is its context. */
const isNextToIt = (elements, names, index, text, card) => {
  if (names === null || card === null || localName(elements[index]) !== 'a') return false;
  const start = text.replace(/…$/, '');
  return [index - 1, index + 1].some((other) => elements[other] && localName(elements[other]) === 'a' && names(other).startsWith(start) && isAround(card, elements[other]));
};

const clipped = (text) => shorten(text, MOST_CONTEXT);

/** Letters up to which what an element holds is one thing, and its first words say which. */
const MOST_IN_CARD = 300;

const isSmall = (card) => textContent(card).length <= MOST_IN_CARD;

/** @returns {string} The nearest heading, row, label or words. */
const contextIn = (element, card, name) => {
  const small = isSmall(card);
  const near = landmarkOf(card) || headingIn(card, element, name, small) || rowIn(card, element, name) || labelBetween(element, card) || captionIn(card, element, name);
  if (near) return clipped(near);
  // A link in running text stands under a heading; the words around it are long.
  const inText = localName(element) === 'a' && closest(element, 'p') !== null && labelAbove(element);
  return clipped(inText || (small && (cardWords(card, element, name) || altWithin(card))) || labelAbove(element));
};

const differs = (text, name) => (text !== '' && text !== name ? text : '');

/** The heading of a card: the one around the element, the last one before it, or in a small card the first. */
const headingIn = (card, element, name, small) => {
  if (card === element) return '';
  const around = closest(element, ANY_HEADING);
  if (around !== null && flatContains(card, around)) {
    const text = differs(headingText(around), name);
    if (WORDS.test(text)) return text;
  }
  let nearest = '';
  for (const heading of list(selectAll(card, ANY_HEADING)).slice(0, 20)) {
    if (contains(heading, element) || !isShown(heading)) continue;
    const isBefore = (comparePosition(heading, element) & 4) !== 0;
    if (!isBefore && (nearest !== '' || !small)) break;
    nearest = differs(headingText(heading), name) || nearest;
  }
  return nearest;
};

const LETTERS = /\p{L}{2}/u;

/** The header of a row, or else its first cell that says something else. */
const rowIn = (card, element, name) => {
  const row = closest(element, 'tr,[role=row]');
  if (!row || !flatContains(card, row)) return '';
  const header = selectFirst(row, 'th,[role=rowheader]');
  const cells = header ? [header, ...list(elementChildren(row))] : list(elementChildren(row));
  for (const cell of cells) {
    if (contains(cell, element)) continue;
    const text = differs(ownText(cell, NO_WORDS), name);
    if (LETTERS.test(text)) return text;
  }
  return '';
};

/** What an author called an element around it. */
const labelBetween = (element, card) => {
  for (let outer = flatParent(element); outer && nodeType(outer) === ELEMENT && flatContains(card, outer); outer = flatParent(outer)) {
    const text = givenName(outer);
    if (text !== '') return text;
  }
  return '';
};

const captionIn = (card, element, name) => {
  if (card === element) return '';
  const caption = selectFirst(card, 'legend,caption,figcaption,dt,label');
  return caption && !contains(caption, element) ? differs(ownText(caption, NO_WORDS), name) : '';
};

/** Text that is of a control and not of what it belongs to. */
const NO_WORDS = 'button,input,select,textarea,[role=button],[role=checkbox],[role=switch],[role=combobox],[role=textbox],[contenteditable]:not([contenteditable=false])';

/** What holds text of its own that is no word about anything else. */
const FIELDS_ALONE = 'input,select,textarea,[contenteditable]:not([contenteditable=false])';

/** The first words of a card, its links included. */
const cardWords = (card, element, name) => {
  if (card === element) return '';
  for (const leaveOut of [NO_WORDS, FIELDS_ALONE]) {
    const text = ownText(card, leaveOut);
    const rest = name !== '' && text.startsWith(name) ? tidy(text.slice(name.length)) : text;
    if (WORDS.test(rest)) return clipped(rest);
  }
  return '';
};

/** What introduces what comes after it. */
const LEADS = `${ANY_HEADING},dt,th,tr,label,legend,summary,header,strong,b`;

/** What stands right before a card, is no other card and nothing else that is listed. @returns {{text: string, leads: boolean}} `leads` for what introduces it. */
const wordsBefore = (card, before, listed) => {
  let steps = 0;
  for (let node = previousSibling(card); node && steps < 4; node = previousSibling(node)) {
    if (nodeType(node) === TEXT) {
      const text = tidy(textData(node));
      if (LETTERS.test(text)) return { text: callContext.hidden !== null && isTextHidden(callContext.hidden, parentNode(node)) ? '' : text, leads: false };
    } else if (nodeType(node) === ELEMENT) {
      steps += 1;
      if (isAround(node, before)) break;
      if (SKIPPED_TAGS.has(localName(node)) || matches(node, OPERABLE) || listed.has(node) || (node instanceof HTMLLabelElement && labelControl(node) !== null) || !isShown(node) || (callContext.hidden !== null && isUnseen(callContext.hidden, node))) continue;
      const text = ownText(node, NO_WORDS).replace(/^\d+[.)]\s*/, '');
      if (LETTERS.test(text)) return { text, leads: matches(node, LEADS) };
    }
  }
  return { text: '', leads: false };
};

/** A card that is a part of the page known by its role alone. */
const landmarkOf = (card) => {
  const role = roleOf(card);
  return role === 'banner' || role === 'contentinfo' || role === 'navigation' ? givenName(card) || role : '';
};

const LANDMARKS = new Set(['banner', 'navigation', 'main', 'complementary', 'contentinfo', 'search', 'dialog', 'alertdialog']);

/** The nearest name, heading or landmark around an element. */
const labelAbove = (element) => {
  const heading = headingBefore(element);
  for (let outer = flatParent(element); outer && nodeType(outer) === ELEMENT; outer = flatParent(outer)) {
    const text = givenName(outer) || (heading !== null && contains(outer, heading) ? headingText(heading) : '');
    if (text !== '') return text;
    const role = roleOf(outer);
    if (LANDMARKS.has(role)) return role;
  }
  return '';
};

/** The words of a heading without those of the controls in it. */
const headingText = (heading) => {
  const text = ownText(heading, OPERABLE).replace(/[\s[\](){}|,;:·•]+$/u, '');
  return WORDS.test(text) ? text : nameOf(heading, 'heading');
};

/** The headings of the document that show, for the length of one call. @type {?Element[]} */
let headingsNow = null;

/** The last heading that stands before an element. @returns {?Element} */
const headingBefore = (element) => {
  headingsNow ??= list(documentSelectAll(document, ANY_HEADING)).filter(isShown);
  let [low, high] = [0, headingsNow.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (comparePosition(headingsNow[middle], element) & 4) low = middle + 1;
    else high = middle;
  }
  // One around the element comes before it as well.
  for (let index = low - 1; index >= 0; index--) if (!contains(headingsNow[index], element)) return headingsNow[index];
  return null;
};

/** What tells some elements apart whose roles and names are given. @param {[string, string][]} labels @returns {string[]} */
export const contextsOf = (elements, labels) => {
  const byLabel = new Map();
  elements.forEach((_, index) => remembered(byLabel, labels[index].join('\n'), () => []).push(index));
  /** @type {any[]} */
  const groups = [...byLabel.values()].filter((group) => group.length > 1).map((group) => [labels[group[0]][1], group]);
  const texts = elements.map(() => '');
  for (const [index, text, number] of inContext(elements, groups)) texts[index] = (text === '' ? '' : ` in "${text}"`) + (number > 1 ? ` #${number}` : '');
  return texts;
};
