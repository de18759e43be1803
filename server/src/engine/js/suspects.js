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
    // Moved away, or out of the plane.
    '(?:^|[; ])(?:left|top|right|bottom|inset[a-z-]*|margin[a-z-]*|translate|transform|text-indent): (?:[^;]*(?:-\\d{2}|-(?:[3-9](?:\\.\\d+)?r?em|[\\d.]+(?:in|cm|mm|pc|v[a-z]+|cq[a-z]+))|\\d{4}|[1-9]\\d\\d(?:%|v[a-z]+)|e\\+)|[^;]*(?:var|calc|min|max|clamp|attr|env)\\()',
    'perspective|skew|translateZ\\(-?0?\\.?[1-9]|translate3d\\([^,]*,[^,]*, -?0?\\.?[1-9]|(?:^|[; ])translate: [^; ]+ [^; ]+ [^;]',
    // Without size.
    '(?:^|[; ])(?:max-)?(?:width|height|block-size|inline-size): (?:0(?:\\.\\d+)?[a-z%]*|[1-3](?:\\.\\d+)?px|0?\\.[0-2]\\d*r?em)(?:;|$| )|line-height: 0(?:[a-z%]*)(?:;|$| )|scale|zoom:|matrix|rotate[XY3]',
    // In letters that are too small, or one on the other.
    '(?:^|[; ])font-size: (?:0(?:;|$| )|[0-2](?:\\.\\d+)?(?:px|pt|q|mm|v[a-z]+|cq[a-z]+)|0?\\.\\d+(?!r?em)[a-z]+|0?\\.[0-5]\\d*r?em|[0-6]?\\d(?:\\.\\d+)?%|[a-z]+\\()',
    '(?:^|[; ])font: (?:[^;]*[ /])?(?:0(?:px)? ?/|(?:[0-2](?:\\.\\d+)?(?:px|pt)|0?\\.\\d+px|0?\\.[0-5]\\d*r?em|[0-6]?\\d%)|(?:var|calc)\\()|font-size-adjust: |text-security: (?!none)',
    '(?:letter|word)-spacing: (?:-(?:0?\\.[2-9]|[1-9]|[\\d.]+(?:in|cm|mm|pc|pt|v[a-z]+|cq[a-z]+))|[a-z]+\\(|\\d\\d|[5-9])',
    // Behind others, or turned round.
    'z-index: -|z-index: [a-z]+\\(|(?:^|[; ])rotate: [^;]* |offset-path|(?:^|[; ])offset: ',
    // Under a mask.
    '(?:^|[; ])(?:-webkit-)?mask(?:-image|-box-image[a-z-]*)?: (?!none)',
  ].join('|'),
);

/** What is done to the colours of text, or drawn over it. */
const PAINTING = /(?:^|[; ])(?:(?:-webkit-)?(?:backdrop-)?filter:[^;]*(?:brightness|contrast|invert|grayscale|saturate|blur|url|var)\(|mix-blend-mode: (?!normal)|text-decoration[a-z-]*: [^;]*(?:\d\dpx|\dr?em|%|\d(?:pt|pc|in|cm|mm|q|v[a-z]+|cq[a-z]+)|(?:calc|var|attr)\()|-webkit-text-stroke)/;

/** What may lie over other things: what stays in the flow lies beside them. */
const COVERING = /position: (?:absolute|fixed|sticky|[a-z]+\()|(?:^|[; ])(?:top|left|right|bottom|inset[a-z-]*): (?!0px(?:;|$)|auto)|z-index: -|margin[a-z-]*: [^;]*-\d|grid-area|grid-row|grid-column|translate|\bscale(?!-)|matrix/;

/** Edges that are wide enough to hide text: they lie over what is beside an element. */
const THICKENING = /(?:^|[; ])(?:border|outline|border-(?:top|bottom|left|right)|(?:border|outline)[a-z-]*-width): [^;]*(?:\d\d|[6-9])(?:\.\d+)?px|(?:^|[; ])(?:border|outline)[a-z-]*: [^;]*(?:\d(?:r?em|v[a-z]+|cq[a-z]+|pt|pc|in|cm|mm)|(?:calc|var|min|max|clamp)\()|outline-offset: -\d|box-shadow: (?!none)[^;]*(?:\d\dpx|[6-9]px|\d(?:r?em|v[a-z]+|cq[a-z]+|in|cm|mm)|(?:calc|var)\()/;

/** Of these what may hide text of others without being placed anywhere. */
const OVERHANGING = /(?:^|[; ])outline: (?!none)[^;]*(?:\d\dpx|[6-9]px|\dr?em|v[a-z]+)|(?:^|[; ])outline-width: \d\d|box-shadow: (?!none|inset)(?![^;]*rgba)(?![^;]*inset)[^;]*\d\dpx/;

/** A box that a person scrolls in. */
const SCROLLING = /(?:^|[; ])overflow(?:-[a-z]+)?: [^;]*(?:auto|scroll|overlay)/;

/** What cuts off what overflows it, and is no box to scroll in. */
const CLIPPING = /(?:^|[; ])(?:overflow(?:-[a-z]+)?: [^;]*(?:hidden|clip|\()|contain: [^;]*(?:paint|strict|content))/;

const COLOURING = /(?:^|[; -])(?:color|background|background-color|-webkit-text-fill-color):/;

/** What makes a ground that is none of the usual: shadows within a box, and grounds that show through letters alone. */
const ODD_GROUNDS = /box-shadow:[^;]*inset|background[a-z-]*:[^;]*\btext\b/;

/** A style for what is no element: the first line of one. */
const FIRST_LINE = /::?first-line/;

/** What is drawn before or after the text of an element. */
const PLATED = /::?(?:before|after)\b/;
const PLATING = /position: (?:absolute|fixed|[a-z]+\()/;

/** The content of `details`, which is no element either. */
const FOLDED = /::details-content\b/;

/** The elements that a selector of a part of them is for. */
const withoutPart = (selector) => selector.replace(/(^|[\s,>+~(])::?(?:before|after|first-line|details-content)\b/g, '$1*').replace(/::?(?:before|after|first-line|details-content)\b/g, '');

/**
 * @typedef {{concealing: string[], covering: string[], clipping: string[], skipping: string[], painting: string[], grounds: string[], plates: string[], lines: string[], folds: string[], scrolling: string[], moving: string[], colours: boolean, thick: boolean, masks: boolean, closed: boolean}} Ruling
 *   What a sheet says; `grounds`: what may have one of an odd kind; `plates`: what has parts that a style places over it; `lines`: what has a style for its first line; `folds`: what has one for the content of `details`; `thick`: wide borders, outlines or shadows; `moving`: what is animated; `closed`: it cannot be read.
 */

/** @typedef {{texts: string[], imports: Ruling[]}} Listed Selectors and declarations, one after the other. */

/** @type {WeakMap<CSSStyleSheet, {length: number, until: number, renders: string, ruling: Ruling, listed: Listed}>} */
const knownRulings = new WeakMap();

/** Rules can be changed in place, which nothing tells, so no reading of a sheet is good for long. */
const RULING_LIFE_MS = 1500;

/** @returns {Ruling} */
const rulingOf = (sheet) => {
  let rules;
  try {
    rules = sheet.cssRules;
  } catch {
    return closedRuling(sheet);
  }
  const known = knownRulings.get(sheet);
  const now = performance.now();
  if (known && known.length === rules.length && (now < known.until || (!known.ruling.closed && isAsRendered(known)))) return known.ruling;
  const listed = { texts: [], imports: [] };
  listRules(listed, rules, '');
  // To compare is a third of the work of reading, and the same ruling keeps what it matched.
  const isSame = known && isAlikeList(known.listed.texts, listed.texts) && isAlikeList(known.listed.imports, listed.imports);
  const fresh = isSame ? known : { listed, ruling: rulingOn(listed) };
  knownRulings.set(sheet, { length: rules.length, until: now + RULING_LIFE_MS, renders: rendersNow, listed: fresh.listed, ruling: fresh.ruling });
  return fresh.ruling;
};

const isAlikeList = (one, other) => {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index++) if (one[index] !== other[index]) return false;
  return true;
};

const freshRuling = (closed) => ({ concealing: [], covering: [], clipping: [], skipping: [], painting: [], grounds: [], plates: [], lines: [], folds: [], scrolling: [], moving: [], colours: closed, thick: closed, masks: closed, closed });

/** Stands for the selector of a step of an animation. */
const KEYFRAME = '@';

/** @param {Listed} listed What is added to. */
const listRules = (listed, rules, outer) => {
  const { texts } = listed;
  for (let index = 0; index < rules.length; index++) {
    const rule = rules[index];
    if (rule instanceof CSSStyleRule) {
      const selector = outer === '' ? rule.selectorText : nestedSelector(outer, rule.selectorText);
      texts.push(selector, rule.style.cssText);
      if (rule.cssRules.length > 0) listRules(listed, rule.cssRules, selector);
    } else if (rule.styleSheet) listed.imports.push(rulingOf(rule.styleSheet));
    else if (rule instanceof CSSScopeRule) listRules(listed, rule.cssRules, rule.start === null ? '*' : nestedSelector(outer || ':root', rule.start));
    else if (rule.cssRules) listRules(listed, rule.cssRules, outer);
    else if (rule instanceof CSSKeyframeRule) texts.push(KEYFRAME, rule.style.cssText);
    // Declarations that stand in a nested group rule.
    else if (rule.style && outer !== '') texts.push(outer, rule.style.cssText);
  }
};

/** @param {Listed} listed @returns {Ruling} */
const rulingOn = ({ texts, imports }) => {
  const ruling = freshRuling(false);
  for (const one of imports) mergeRuling(ruling, one);
  for (let index = 0; index < texts.length; index += 2) {
    // What an animation ends with.
    if (texts[index] === KEYFRAME) ruling.colours = ruling.colours || COLOURING.test(texts[index + 1]);
    else noteDeclarations(ruling, texts[index], texts[index + 1]);
  }
  return ruling;
};

/** What stands for the outer selector, and what may hold its letters and does not. */
const NESTING = /\\.|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|&|:scope\b/g;

/** The parts of a list of selectors. @returns {string[]} */
const partsOfList = (selectors) => {
  const parts = [''];
  let depth = 0;
  for (const [piece] of selectors.matchAll(/\\.|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^]/g)) {
    if (piece === '(' || piece === '[') depth += 1;
    else if (piece === ')' || piece === ']') depth -= 1;
    if (piece === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += piece;
  }
  return parts.map((part) => part.trim());
};

/** A selector that matches whatever `inner` does within `outer`, and maybe more: one of a scope is taken to match anywhere. */
const nestedSelector = (outer, inner) => {
  const named = inner.replace(NESTING, (part) => (part === '&' || part === ':scope' ? `:is(${outer})` : part));
  const selector = partsOfList(named).map((part) => (/^[>+~]/.test(part) ? `* ${part}` : part)).join(', ');
  return selector.length > LONGEST_SELECTOR ? '*' : selector;
};

/** Nesting doubles a selector with every step; what is longer may be for any element. */
const LONGEST_SELECTOR = 5000;

const noteDeclarations = (ruling, selector, declarations) => {
  if (CONCEALING.test(declarations)) {
    ruling.concealing.push(selector);
    ruling.masks = ruling.masks || declarations.includes('mask');
  }
  const isThick = THICKENING.test(declarations);
  ruling.thick = ruling.thick || isThick;
  if (COVERING.test(declarations) || (isThick && OVERHANGING.test(declarations))) ruling.covering.push(selector);
  if (CLIPPING.test(declarations)) ruling.clipping.push(selector);
  if (PAINTING.test(declarations)) ruling.painting.push(selector);
  if (ODD_GROUNDS.test(declarations)) ruling.grounds.push(selector);
  if (SCROLLING.test(declarations)) ruling.scrolling.push(selector);
  if (FOLDED.test(selector)) ruling.folds.push(withoutPart(selector));
  if (declarations.includes('content-visibility')) ruling.skipping.push(selector);
  if (declarations.includes('animation')) ruling.moving.push(selector);
  if (PLATED.test(selector) && PLATING.test(declarations)) ruling.plates.push(withoutPart(selector));
  if (FIRST_LINE.test(selector)) ruling.lines.push(withoutPart(selector));
  ruling.colours = ruling.colours || COLOURING.test(declarations);
};

const mergeRuling = (into, from) => {
  for (const [name, part] of Object.entries(from)) {
    if (Array.isArray(part)) for (const selector of part) into[name].push(selector);
    else into[name] = into[name] || part;
  }
};

/** @type {WeakMap<Document|ShadowRoot, {parts: Ruling[], whole: Ruling}>} */
const wholeRulings = new WeakMap();

/** Those of the call that is answered: no sheet changes meanwhile. @type {Map<Document|ShadowRoot, Ruling>} */
const rulingsNow = new Map();

/** What all sheets of a document or shadow root say; the same object as long as that stays. @param {Document|ShadowRoot} root @returns {Ruling} */
const rulingFor = (root) => remembered(rulingsNow, root, readRulings);

const readRulings = (root) => {
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
  if (element instanceof MathMLElement) return mathStyle(element).cssText;
  return element instanceof SVGElement ? svgStyle(element).cssText : attribute(element, 'style') || '';
};

/** Elements with a style of their own, by what it may do. */
const styledWithin = (all) => {
  const styled = { concealing: [], covering: [], clipping: [], scrolling: [], painting: [], grounds: [], colours: false, thick: false, masks: false };
  for (let index = 0; index < all.length; index++) {
    const declarations = ownStyle(all[index]);
    if (CONCEALING.test(declarations)) {
      styled.concealing.push(all[index]);
      styled.masks = styled.masks || declarations.includes('mask');
    }
    const isThick = THICKENING.test(declarations);
    styled.thick = styled.thick || isThick;
    if (COVERING.test(declarations) || (isThick && OVERHANGING.test(declarations))) styled.covering.push(all[index]);
    if (SCROLLING.test(declarations)) styled.scrolling.push(all[index]);
    if (CLIPPING.test(declarations)) styled.clipping.push(all[index]);
    if (PAINTING.test(declarations)) styled.painting.push(all[index]);
    if (ODD_GROUNDS.test(declarations)) styled.grounds.push(all[index]);
    styled.colours = styled.colours || COLOURING.test(declarations);
  }
  return styled;
};

/** What an element in a drawing animates: the browser lists no such animation. @param {Element|ShadowRoot} scope @returns {Element[]} */
const animatedByHand = (scope) => {
  if (documentByTag(document, 'svg').length === 0 && nodeType(scope) === ELEMENT) return [];
  const animations = list((nodeType(scope) === ELEMENT ? selectAll : shadowSelectAll)(scope, 'set,animate,animateMotion,animateTransform'));
  return animations.map((animation) => (animation instanceof SVGAnimationElement ? animation.targetElement : null)).filter(Boolean);
};
