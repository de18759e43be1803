// What the selectors of style sheets match in a document. A browser tries each
// of a list on every element, and most of what sheets say is for other pages of
// their site: those that name what the document does not have are left out.

/** Selectors whose matches can change while no element does. `:empty` is one: text may become empty. */
const LIVELY = /(?<!:):(?!:|is\(|not\(|where\(|first|last|nth|only|root|has\()/;

/** Adds to `found` what the selectors of a ruling match. @param {'concealing'|'covering'|'clipping'|'scrolling'|'painting'|'grounds'|'plates'|'lines'|'folds'} kind */
const addMatches = (found, scope, ruling, kind) => {
  if (kind === 'concealing' && nodeType(scope) !== ELEMENT) addAcross(found, scope, ruling[kind]);
  if (ruling[kind].length === 0) return;
  if (!isHeard(scope)) return addSelected(found, scope, ruling[kind]);
  const { lively, firm } = partedBy(ruling, kind);
  addSelected(found, scope, matchable(lively));
  const matched = steady(kind, ruling, () => {
    const all = new Set();
    addSelected(all, documentElement(document), matchable(firm));
    return all;
  });
  const isWhole = scope === documentElement(document);
  for (const element of matched) if (isWhole || (element !== scope && contains(scope, element))) found.add(element);
};

/** @type {WeakMap<Ruling, Map<string, {lively: string[], firm: string[]}>>} */
const partedRulings = new WeakMap();

const partedBy = (ruling, kind) =>
  remembered(remembered(partedRulings, ruling, () => new Map()), kind, () => {
    const parted = { lively: [], firm: [] };
    for (const selector of ruling[kind]) parted[LIVELY.test(selector) ? 'lively' : 'firm'].push(selector);
    return parted;
  });

/** Classes and ids in the document, in lower case: in a page of old a selector does not mind it. @returns {Set<string>} */
const namesInDocument = () =>
  steady('names', document, () => {
    const [names, texts] = [new Set(), new Set()];
    const named = documentSelectAll(document, '[class],[id]');
    for (let index = 0; index < named.length; index++) {
      const id = ownAttribute(named[index], null, 'id');
      if (id) names.add(`#${id.toLowerCase()}`);
      // Many have the same.
      texts.add(ownAttribute(named[index], null, 'class') || '');
    }
    for (const text of texts) for (const name of text.toLowerCase().split(/[ \t\n\f\r]+/)) names.add(`.${name}`);
    return names;
  });

/** Of no namespace: selectors look at no other. */
const ownAttribute = method(Element.prototype, 'getAttributeNS');

/** Whether an animation of a drawing gives classes or ids: no attribute has them. */
const namesAreAnimated = () => hasAny('set:is([attributeName="class" i],[attributeName="id" i]),animate:is([attributeName="class" i],[attributeName="id" i])');

/** Where letters that a selector escapes are put while it is taken apart. */
const ESCAPED = 0xe000;

/** What every match of a selector has to be named, for each of its alternatives; null where that is not plain to see. @returns {?string[][]} */
const namesNeeded = (selector) => {
  if (/[\uE000-\uE07F]/.test(selector)) return null;
  const plain = selector
    .replace(/\\([^0-9a-fA-F\n\f\r\x80-\uffff])/g, (_, letter) => String.fromCharCode(ESCAPED + letter.charCodeAt(0)))
    .replace(/\[(?:[^\]"']|"[^"]*"|'[^']*')*\]/g, '');
  // A list that forgives what it does not know may hold half a string.
  if (/["']/.test(plain)) return null;
  // Without what they take, which may also say what is not to match.
  let bare = plain;
  for (let inner = null; inner !== bare; ) [inner, bare] = [bare, bare.replace(/:[\w-]+\([^()]*\)/g, '')];
  if (/[\\()[\]"']/.test(bare)) return null;
  return bare.split(',').map((part) => (part.match(/[.#](?:[\w-]|[^\0-\x7f])+/g) || []).map((name) => name.replace(/[\uE000-\uE07F]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - ESCAPED)).toLowerCase()));
};

/** @type {Map<string, ?string[][]>} */
const knownNeeds = new Map();
const MOST_NEEDS = 20_000;

/** Whether a selector may match in the document. */
const mayMatch = (selector, names) => {
  if (!knownNeeds.has(selector)) {
    if (knownNeeds.size >= MOST_NEEDS) knownNeeds.clear();
    knownNeeds.set(selector, namesNeeded(selector));
  }
  const needs = knownNeeds.get(selector);
  return needs === null || needs.some((alternative) => alternative.every((name) => names.has(name)));
};

/** Those of the selectors that may match in the document. @param {string[]} selectors */
const matchable = (selectors) => {
  if (selectors.length === 0 || namesAreAnimated()) return selectors;
  const names = namesInDocument();
  return selectors.filter((selector) => mayMatch(selector, names));
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
