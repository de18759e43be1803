// What the selectors of style sheets match in a document. A browser tries each
// of a list on every element, and most of what sheets say is for other pages of
// their site: those that name what the document does not have are left out.

/** Selectors whose matches can change while no element does. `:empty` is one: text may become empty. */
const LIVELY = /(?<!:):(?!:|is\(|not\(|where\(|first|last|nth|only|root|has\()/;

/** @typedef {'concealing'|'covering'|'clipping'|'scrolling'|'painting'|'grounds'|'plates'|'lines'|'folds'} Kind */

/** Adds to `found` what the selectors of a ruling match. @param {Kind} kind */
const addMatches = (found, scope, ruling, kind) => {
  if (kind === 'concealing' && nodeType(scope) !== ELEMENT) addAcross(found, scope, ruling[kind]);
  if (ruling[kind].length === 0) return;
  if (!isHeard(scope)) return addSelected(found, scope, ruling[kind]);
  const { lively, firm } = partedBy(ruling, kind);
  addSelected(found, scope, matchable(lively));
  const matched = steady(kind, ruling, () => allSelected(matchable(firm)));
  const isWhole = scope === documentElement(document);
  for (const element of matched) if (isWhole || (element !== scope && contains(scope, element))) found.add(element);
};

/** @type {WeakMap<Ruling, Map<Kind, {lively: string[], firm: string[]}>>} */
const partedRulings = new WeakMap();

const partedBy = (ruling, kind) =>
  remembered(remembered(partedRulings, ruling, () => new Map()), kind, () => {
    const parted = { lively: [], firm: [] };
    for (const selector of ruling[kind]) parted[LIVELY.test(selector) ? 'lively' : 'firm'].push(selector);
    return parted;
  });

/** Elements of the document by their classes (`.name`) and ids (`#name`), in lower case: in a page of old a selector does not mind it. Lists of elements, as many share the text of theirs. @returns {Map<string, Element[][]>} */
const namedInDocument = () =>
  steady('names', document, () => {
    const alike = new Map();
    const named = documentSelectAll(document, '[class],[id]');
    for (let index = 0; index < named.length; index++) {
      const id = attribute(named[index], 'id');
      if (id) remembered(alike, `#${id}`, emptyList).push(named[index]);
      const classes = attribute(named[index], 'class');
      if (classes) remembered(alike, classes, emptyList).push(named[index]);
    }
    if (knownNames.size + alike.size > MOST_NAMES) knownNames.clear();
    const byName = new Map();
    for (const [text, elements] of alike) for (const name of remembered(knownNames, text, namesIn)) remembered(byName, name, emptyList).push(elements);
    return byName;
  });

const emptyList = () => [];

/** @type {Map<string, string[]>} */
const knownNames = new Map();
const MOST_NAMES = 20_000;

/** The names in the text of a class attribute, or behind the sign of an id. */
const namesIn = (text) => {
  const classes = text.toLowerCase().split(/[ \t\n\f\r]+/).filter(Boolean).map((name) => `.${name}`);
  return text.startsWith('#') ? [text.toLowerCase(), ...classes] : classes;
};

/** Elements that are tried one by one for a selector; the browser goes through more of them faster. */
const MOST_TRIED = 100;

/** Elements that are put in order after they were found one by one. */
const MOST_ORDERED = 300;

/** What the selectors match in the document, from above to below: who holds others comes first. @param {string[]} selectors @returns {Set<Element>} */
const allSelected = (selectors) => {
  const found = new Set();
  const others = addNamed(found, selectors);
  addSelected(found, documentElement(document), others);
  if (others.length === selectors.length) return found;
  if (found.size <= MOST_ORDERED) return new Set([...found].sort(byPlace));
  found.clear();
  addSelected(found, documentElement(document), selectors);
  return found;
};

const byPlace = (one, other) => (comparePosition(one, other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1);

/** Adds what selectors match whose last part has a name. @param {string[]} selectors @returns {string[]} The others. */
const addNamed = (found, selectors) => {
  const byName = namedInDocument();
  const top = documentElement(document);
  return selectors.filter((selector) => {
    const needs = needsOf(selector);
    if (needs === null || needs.some(({ last }) => last === null)) return true;
    const tried = needs.flatMap(({ last }) => byName.get(last) || []);
    if (tried.reduce((sum, { length }) => sum + length, 0) > MOST_TRIED) return true;
    try {
      for (const elements of tried) for (const element of elements) if (element !== top && matches(element, selector)) found.add(element);
    } catch {
      return true;
    }
    return false;
  });
};

/** Where letters that a selector escapes are put while it is taken apart. */
const ESCAPED = 0xe000;

/** What every match of an alternative has to be named, itself or what it lies in, and one of its own names. @typedef {{names: string[], last: ?string}} Needs */

/** Those of each of its alternatives; null where that is not plain to see. @returns {?Needs[]} */
const namesNeeded = (selector) => {
  if (/[\uE000-\uE07F]/.test(selector)) return null;
  const plain = selector
    .replace(/\\([^0-9a-fA-F\n\f\r\x80-\uffff])/g, (_, letter) => String.fromCharCode(ESCAPED + letter.charCodeAt(0)))
    .replace(/\[(?:[^\]"']|"[^"]*"|'[^']*')*\]/g, '');
  // Without what they take, which may also say what is not to match.
  let bare = plain;
  for (let inner = null; inner !== bare; ) [inner, bare] = [bare, bare.replace(/:[\w-]+\([^()]*\)/g, '')];
  if (/[\\()[\]"']/.test(bare)) return null;
  return bare.split(',').map((part) => {
    const names = namesOf(part);
    const [last = null] = namesOf(part.trim().split(/[\s>+~]+/).pop());
    return { names, last };
  });
};

const namesOf = (part) => (part.match(/[.#](?:[\w-]|[^\0-\x7f])+/g) || []).map((name) => name.replace(/[\uE000-\uE07F]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - ESCAPED)).toLowerCase());

/** @type {Map<string, ?Needs[]>} */
const knownNeeds = new Map();
const MOST_NEEDS = 20_000;

const needsOf = (selector) => {
  if (knownNeeds.size >= MOST_NEEDS) knownNeeds.clear();
  return remembered(knownNeeds, selector, namesNeeded);
};

/** Those of the selectors that may match in the document. @param {string[]} selectors */
const matchable = (selectors) => {
  if (selectors.length === 0) return selectors;
  const byName = namedInDocument();
  return selectors.filter((selector) => {
    const needs = needsOf(selector);
    return needs === null || needs.some(({ names }) => names.every((name) => byName.has(name)));
  });
};

/** Stands for a part of a selector that is not looked at. */
const WHATEVER = '\uE0FF';

/** Prefixes of namespaces are known to their sheet alone: what may match in any of them, whatever else is asked of it. */
const addOfAnySpace = (add, selector) => {
  let bare = selector.replace(/\[(?:[^\]"']|"[^"]*"|'[^']*')*\]/g, WHATEVER);
  for (let inner = null; inner !== bare; ) [inner, bare] = [bare, bare.replace(/:[\w-]+\([^()]*\)/g, WHATEVER)];
  bare = bare.replace(/(^|[\s>+~,])(?:[\w-]|[^\0-\x7f]|\\.)+\|(?!\|)/g, '$1*|');
  try {
    add(bare.replaceAll(WHATEVER, ':is(*)'));
  } catch {
    noteExcess();
  }
};

/** Adds what the selectors match; one that cannot be read here matches what is asked one by one. */
const addSelected = (found, scope, selectors) => {
  const select = nodeType(scope) === ELEMENT ? selectAll : shadowSelectAll;
  const add = (selector) => {
    const all = select(scope, selector);
    for (let index = 0; index < all.length; index++) found.add(all[index]);
  };
  if (selectors.length === 0) return;
  try {
    add(selectors.join(','));
  } catch {
    for (const selector of selectors) {
      try {
        add(selector);
      } catch {
        addOfAnySpace(add, selector);
      }
    }
  }
};
