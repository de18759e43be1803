// Which elements a style may keep from being seen, by what the style sheets and
// the style attributes say. A page without such rules costs one look at each
// sheet; only what they match is measured.

/** Declarations, as the browser writes them, by which rendered text can be kept from being seen. */
const CONCEALING = new RegExp(
  [
    // Faded: below a tenth, by itself or with others; or not known before it is computed.
    'opacity: (?:0(?:\\.[0-5]|;|$| )|\\d(?:\\.\\d+)?%|[\\d.]+e-|[a-z]+\\()|(?:^|[; ])filter:[^;]*(?:opacity|var\\()',
    // Clipped.
    'content-visibility: hidden|(?:^|[; ])clip: (?!auto)|clip-path: (?!none)',
    // Moved away.
    '(?:^|[; ])(?:left|top|right|bottom|inset[a-z-]*|margin[a-z-]*|translate|transform|text-indent): (?:[^;]*(?:-\\d{2}|\\d{4}|[1-9]\\d\\d(?:%|v[a-z]+)|e\\+)|[^;]*(?:var|calc|min|max|clamp)\\()',
    // Without size.
    '(?:^|[; ])(?:max-)?(?:width|height|block-size|inline-size): (?:0(?:\\.\\d+)?[a-z%]*|1px)(?:;|$| )|line-height: 0(?:[a-z%]*)(?:;|$| )|scale|zoom:|matrix|rotate[XY3]',
    // In letters that are too small.
    '(?:^|[; ])font-size: (?:0(?:\\.0\\d*)?(?:[a-z%]+|;|$)|0?\\.\\d+px|\\d(?:\\.\\d+)?%|0?\\.[0-2]\\d*r?em|0\\.[0-6]\\d*pt|[a-z]+\\()|(?:^|[; ])font: [^;]*(?:\\b0(?:px)? ?/|(?:^|[ :])0?\\.\\d+px|var\\()',
    // Behind others, or turned round.
    'z-index: -|z-index: [a-z]+\\(|(?:^|[; ])rotate: [^;]* ',
    // Under a mask.
    '(?:^|[; ])mask(?:-image)?: (?!none)',
  ].join('|'),
);

/** What may lie over other things: what stays in the flow lies beside them. */
const COVERING = /position: absolute|position: relative.*(?:top|left|right|bottom|inset)|(?:top|left|right|bottom|inset[a-z-]*): .*position: relative|z-index: -|margin[a-z-]*: [^;]*-\d|grid-area|grid-row|grid-column|translate/;

/** What cuts off what overflows it, and is no box to scroll in. */
const CLIPPING = /(?:^|[; ])(?:overflow(?:-[a-z]+)?: [^;]*(?:hidden|clip)|contain: [^;]*(?:paint|strict|content))/;

const COLOURING = /(?:^|[; -])(?:color|background|background-color|-webkit-text-fill-color):/;

/** @typedef {{concealing: string[], covering: string[], clipping: string[], skipping: string[], colours: boolean, closed: boolean}} Ruling What a sheet says; `closed`: it cannot be read. */

/** @type {WeakMap<CSSStyleSheet, {length: number, until: number, ruling: Ruling}>} */
const knownRulings = new WeakMap();

/** Rules can be changed in place, which nothing tells, so no reading of a sheet is good for long. */
const RULING_LIFE_MS = 1500;

/** @returns {Ruling} */
const rulingOf = (sheet) => {
  let rules;
  try {
    rules = sheet.cssRules;
  } catch {
    return closedRuling(sheet.href);
  }
  const known = knownRulings.get(sheet);
  const now = performance.now();
  if (known && known.length === rules.length && now < known.until) return known.ruling;
  let ruling = freshRuling(false);
  readRules(ruling, rules, '');
  // The same as before stays the same, so that what it matched can be kept.
  if (known && JSON.stringify(known.ruling) === JSON.stringify(ruling)) ruling = known.ruling;
  knownRulings.set(sheet, { length: rules.length, until: now + RULING_LIFE_MS, ruling });
  return ruling;
};

const freshRuling = (closed) => ({ concealing: [], covering: [], clipping: [], skipping: [], colours: closed, closed });

/** What the daemon found out about sheets of other origins, by their address. @type {Map<string, Ruling>} */
const learntRulings = new Map();

const CLOSED = freshRuling(true);

/** Addresses that the daemon is to ask the browser about. @type {Set<string>} */
const wantedSheets = new Set();

const closedRuling = (href) => {
  const learnt = learntRulings.get(href);
  if (learnt) return learnt;
  if (href) wantedSheets.add(href);
  return CLOSED;
};

/** @returns {string[]} Those wanted since the last call. */
const takeWantedSheets = () => {
  const wanted = [...wantedSheets];
  wantedSheets.clear();
  return wanted;
};

/** Takes over the texts of sheets, by their address; null where the browser gives none. */
const learnSheets = (texts) => {
  for (const [href, text] of Object.entries(texts)) {
    let ruling = CLOSED;
    // What it imports would be missing.
    if (text !== null && !/@import/i.test(text)) {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      ruling = freshRuling(false);
      readRules(ruling, sheet.cssRules, '');
    }
    learntRulings.set(href, ruling);
  }
};

const readRules = (ruling, rules, outer) => {
  for (let index = 0; index < rules.length; index++) {
    const rule = rules[index];
    if (rule instanceof CSSStyleRule) {
      const selector = outer === '' ? rule.selectorText : nestedSelector(outer, rule.selectorText);
      noteDeclarations(ruling, selector, rule.style.cssText);
      if (rule.cssRules.length > 0) readRules(ruling, rule.cssRules, selector);
    } else if (rule.styleSheet) mergeRuling(ruling, rulingOf(rule.styleSheet));
    else if (rule.cssRules) readRules(ruling, rule.cssRules, outer);
    // What an animation ends with.
    else if (rule instanceof CSSKeyframeRule) ruling.colours = ruling.colours || COLOURING.test(rule.style.cssText);
    // Declarations that stand in a nested group rule.
    else if (rule.style && outer !== '') noteDeclarations(ruling, outer, rule.style.cssText);
  }
};

const nestedSelector = (outer, inner) => (inner.includes('&') ? inner.replace(/&/g, `:is(${outer})`) : `:is(${outer}) :is(${inner})`);

const noteDeclarations = (ruling, selector, declarations) => {
  if (CONCEALING.test(declarations)) ruling.concealing.push(selector);
  if (COVERING.test(declarations)) ruling.covering.push(selector);
  if (CLIPPING.test(declarations)) ruling.clipping.push(selector);
  if (declarations.includes('content-visibility')) ruling.skipping.push(selector);
  ruling.colours = ruling.colours || COLOURING.test(declarations);
};

const mergeRuling = (into, from) => {
  into.concealing.push(...from.concealing);
  into.covering.push(...from.covering);
  into.clipping.push(...from.clipping);
  into.skipping.push(...from.skipping);
  into.colours = into.colours || from.colours;
  into.closed = into.closed || from.closed;
};

/** @type {WeakMap<Document|ShadowRoot, {parts: Ruling[], whole: Ruling}>} */
const wholeRulings = new WeakMap();

/** What all sheets of a document or shadow root say; the same object as long as that stays. @param {Document|ShadowRoot} root @returns {Ruling} */
const rulingFor = (root) => {
  const parts = [];
  const isDocument = nodeType(root) === DOCUMENT;
  for (const sheets of [isDocument ? documentSheets(root) : root.styleSheets, isDocument ? adoptedSheets(root) : root.adoptedStyleSheets]) {
    for (let index = 0; index < sheets.length; index++) if (!sheets[index].disabled) parts.push(rulingOf(sheets[index]));
  }
  const known = wholeRulings.get(root);
  if (known && known.parts.length === parts.length && parts.every((part, index) => part === known.parts[index])) return known.whole;
  const whole = freshRuling(false);
  for (const part of parts) mergeRuling(whole, part);
  wholeRulings.set(root, { parts, whole });
  return whole;
};

const DOCUMENT = 9;

const ownStyle = (element) => {
  if (element instanceof HTMLElement) return htmlStyle(element).cssText;
  return element instanceof SVGElement ? svgStyle(element).cssText : attribute(element, 'style') || '';
};

/** Elements with a style of their own, by what it may do. */
const styledWithin = (all) => {
  const styled = { concealing: [], covering: [], clipping: [], colours: false };
  for (let index = 0; index < all.length; index++) {
    const declarations = ownStyle(all[index]);
    if (CONCEALING.test(declarations)) styled.concealing.push(all[index]);
    if (COVERING.test(declarations)) styled.covering.push(all[index]);
    if (CLIPPING.test(declarations)) styled.clipping.push(all[index]);
    styled.colours = styled.colours || COLOURING.test(declarations);
  }
  return styled;
};

/** Selectors whose matches can change while no element does. `:empty` is one: text may become empty. */
const LIVELY = /(?<!:):(?!:|is\(|not\(|where\(|first|last|nth|only|root|has\()/;

/** Adds to `found` what the selectors of a ruling match. @param {'concealing'|'covering'|'clipping'} kind */
const addMatches = (found, scope, ruling, kind) => {
  if (kind === 'concealing' && nodeType(scope) !== ELEMENT) addAcross(found, scope, ruling[kind]);
  if (ruling[kind].length === 0) return;
  const lively = ruling[kind].filter((selector) => LIVELY.test(selector));
  addSelected(found, scope, lively);
  const firm = ruling[kind].filter((selector) => !LIVELY.test(selector));
  if (nodeType(scope) !== ELEMENT) return addSelected(found, scope, firm);
  const matched = steady(kind, ruling, () => {
    const all = new Set();
    addSelected(all, documentElement(document), firm);
    return all;
  });
  const isWhole = scope === documentElement(document);
  for (const element of matched) if (isWhole || (element !== scope && contains(scope, element))) found.add(element);
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
        // A selector of a nested rule that only makes sense in its place.
      }
    }
  }
};
