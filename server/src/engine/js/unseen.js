// Text that is rendered and that no person sees: faded, clipped, moved away,
// without size, in tiny letters, in the colour of its ground, painted over,
// behind others, past the edge of a box, under a mask, turned away.
//
// What is not rendered at all (display, visibility, closed details) is left out
// by whoever reads. Here only suspects are measured, see suspects.js.

// What becomes of an element and what it holds.
const GONE = 1; // Nothing of it is seen.
const MUTED = 2; // Its own text is not seen; what it holds decides for itself.
const AWAITED = 3; // It appears when it is scrolled to, or may be seen: told of, and read.

/** What is told of and read all the same is counted by its means and this. */
const SHOWN = ' (shown)';

/**
 * `awaited`: what is read although a style hides it. `means`: what is counted for an element.
 * `drawing`: what is known of controls, see drawn.js. `isTold`: whether a part is longer than a label.
 * @typedef {{marks: Map<Element, number>, counts: Object<string, number>, top: Element, awaited: Set<Element>, means: Map<Element, string[]>, drawing: Drawing, isTold: boolean}} Unseen
 */

/** The look that `unseenIn` keeps. @param {Element} top @param {ShadowRoot[]} roots @returns {?Unseen} */
const lookForAll = (top, roots) => {
  const unseen = freshUnseen(top);
  usesColours = isColouredByHand() || roots.some(givesColours);
  oddGrounds = new Set();
  textsLeft = MOST_TEXTS_ASKED;
  looksLeft = MOST_LOOKS;
  shapesByDrawing = new Map();
  folds = new Map();
  usesThick = false;
  usesMasks = false;
  isExcessive = hasMoreSlots || !knowsSlots();
  measurePage();
  // What holds it is told of, and does not hide what was asked for.
  for (let node = top; node && nodeType(node) === ELEMENT; node = flatParent(node)) {
    usesColours = usesColours || node instanceof HTMLSlotElement;
    measure(unseen, node);
  }
  lookForUnseen(unseen, top, treeOf(top));
  for (const root of roots) lookForUnseen(unseen, root, root);
  keepLabels(unseen);
  if (!unseen.isTold) unseen.counts = Object.fromEntries(Object.entries(unseen.counts).filter(([means]) => means.endsWith(SHOWN)));
  return unseen.marks.size > 0 || Object.keys(unseen.counts).length > 0 ? unseen : null;
};

/** Whether anything gives colours: shadow trees inherit them. */
let usesColours = true;

/** Whether a shadow tree gives colours: to what stands in its slots, too. */
const givesColours = (root) => rulingFor(root).colours || styledWithin(shadowSelectAll(root, '[style]')).colours;

/** Whether something was too much to look at in this reading. */
let isExcessive = false;

const noteExcess = () => {
  isExcessive = true;
};

const freshUnseen = (top) => {
  const unseen = { marks: new Map(), counts: {}, top, awaited: new Set(), means: new Map(), isTold: false, drawing: null };
  unseen.drawing = freshDrawing(unseen);
  return unseen;
};

/** @param {Element|ShadowRoot} scope @param {Document|ShadowRoot} root Whose sheets hold there. */
const lookForUnseen = (unseen, scope, root) => {
  const ruling = rulingFor(root);
  const findStyled = () => styledWithin((nodeType(scope) === ELEMENT ? selectAll : shadowSelectAll)(scope, '[style]'));
  const styled = isHeard(scope) ? steady('styled', scope, findStyled) : findStyled();
  const suspects = new Set(styled.concealing);
  const bearers = ruling.closed ? bearersOf(scope) : [];
  if (ruling.closed) noteExcess();
  for (const element of bearers) suspects.add(element);
  for (const element of [...styled.grounds, ...bearers]) oddGrounds.add(element);
  addMatches(oddGrounds, scope, ruling, 'grounds');
  usesColours = usesColours || ruling.colours || styled.colours;
  usesThick = usesThick || ruling.thick || styled.thick;
  usesMasks = usesMasks || ruling.masks || styled.masks;
  addMatches(suspects, scope, ruling, 'concealing');
  const moved = [];
  // Of a document all are listed, those in shadow trees too.
  for (const animation of documentAnimations(document)) {
    const target = animation.effect && animation.effect.target;
    if (!target || !contains(scope, target)) continue;
    suspects.add(target);
    moved.push(target);
    usesMasks = true;
  }
  for (const element of animatedByHand(scope)) suspects.add(element);
  const folded = new Set();
  addMatches(folded, scope, ruling, 'folds');
  readFolds(folded, suspects);
  const drawn = drawnTexts(scope);
  addDrawn(suspects, scope, drawn);
  usesMasks = usesMasks || drawn.length > 0;
  for (const element of suspects) measure(unseen, element);
  if (nodeType(scope) !== ELEMENT && isMuted(unseen, shadowHost(scope))) muteWithin(unseen, shadowHost(scope), list(shadowSelectAll(scope, '*')));
  const clips = new Set(styled.clipping);
  addMatches(clips, scope, ruling, 'clipping');
  if (clips.size > 0) for (const [element, mark] of pastEdges(clips, suspects)) if (!isUnseen(unseen, element)) concealOrAwait(unseen, element, mark, 'edge');
  const scrollers = new Set(styled.scrolling);
  addMatches(scrollers, scope, ruling, 'scrolling');
  if (scrollers.size > 0) for (const [element, mark] of beforeOrigins(scrollers, suspects)) if (!isUnseen(unseen, element)) concealOrAwait(unseen, element, mark, 'edge');
  markFolds(unseen);
  if (nodeType(scope) === ELEMENT && documentByTag(document, 'marquee').length > 0) markMarquees(unseen, scope);
  for (const [element, means] of drawnAway(drawn)) if (!isUnseen(unseen, element)) conceal(unseen, element, GONE, means);
  if (usesColours || drawn.length > 0) {
    markColours(unseen, scope);
    if (nodeType(scope) === ELEMENT) markFields(unseen, scope);
  }
  const painted = new Set([...styled.painting, ...moved, ...bearers]);
  addMatches(painted, scope, ruling, 'painting');
  if (painted.size > 0) for (const [element, [mark, means]] of paintedAway(painted, unseen.top)) if (!isUnseen(unseen, element)) concealOrAwait(unseen, element, mark, means);
  const covers = new Set(styled.covering);
  addMatches(covers, scope, ruling, 'covering');
  if (nodeType(scope) === ELEMENT) {
    const open = openOnTop();
    onTop = open.length > 0 ? open[open.length - 1] : null;
    for (const element of open) if (scope === element || contains(scope, element)) covers.add(element);
  }
  if (covers.size > 0) for (const [element, [mark, means]] of coveredBy(covers, unseen.top)) if (!isUnseen(unseen, element)) concealOrAwait(unseen, element, mark, means);
  const plated = new Set();
  addMatches(plated, scope, ruling, 'plates');
  if (plated.size > 0) for (const [element, [mark, means]] of platedAway(plated, unseen.top)) if (!isUnseen(unseen, element)) concealOrAwait(unseen, element, mark, means);
  const lines = new Set();
  addMatches(lines, scope, ruling, 'lines');
  markFirstLines(unseen, lines);
  if (nodeType(scope) === ELEMENT) {
    markRanges(unseen);
    markCurtain(unseen);
  }
  // What was not looked at may be unseen.
  if (isExcessive) unseen.counts[`excess${SHOWN}`] = 1;
};

const markColours = (unseen, scope) => {
  for (const [element, mark] of sameColoured(scope, unseen.top)) if (!isUnseen(unseen, element)) concealOrAwait(unseen, element, mark, 'colour');
};

/** What lies over all others: open dialogs and popovers, and what fills the screen. To ask each element of a page takes as long as all else here. @returns {Element[]} */
const openOnTop = () => {
  if (fullscreenElement(document) !== null) return list(documentSelectAll(document, ON_TOP));
  const able = steady('able', document, () => documentSelectAll(document, 'dialog,[popover]'));
  return able.length === 0 ? [] : list(able).filter((element) => matches(element, ON_TOP));
};

const ON_TOP = ':modal,:popover-open';

/** Whether attributes of old give colours. */
const isColouredByHand = () => {
  const body = documentBody(document);
  if (body !== null && hasAttributes(body) && (hasAttribute(body, 'text') || hasAttribute(body, 'bgcolor'))) return true;
  return documentByTag(document, 'font').length > 0 || documentByTag(document, 'math').length > 0 || (documentByTag(document, 'table').length > 0 && documentSelectFirst(document, '[bgcolor]') !== null);
};

/** What is known for the length of one snapshot. @type {?Unseen} */
let unseenNow = null;

const isGone = (unseen, element) => unseen !== null && unseen.marks.get(element) === GONE;

const isMuted = (unseen, element) => unseen !== null && unseen.marks.get(element) === MUTED;

/** Whether an element is read although it is faded: it appears when it is scrolled to. */
const isAwaited = (unseen, element) => unseen !== null && unseen.awaited.has(element);

/** All elements with this mark. @returns {Element[]} */
const markedAs = (unseen, mark) => {
  const found = [];
  if (unseen !== null) for (const [element, known] of unseen.marks) if (known === mark) found.push(element);
  return found;
};

/** Text that shows in an element, as the browser lays it out. */
const seenText = (unseen, element) => {
  if (unseen === null) return element instanceof HTMLElement ? innerText(element) : textContent(element);
  return readText(element, surveyText(element), new Set(markedAs(unseen, GONE)), unseen);
};

/** Elements with text, and all that hold them. */
const bearersOfText = (scope) => {
  const bearers = new Set();
  const walker = walkerOver(scope, NodeFilter.SHOW_TEXT);
  for (let node = nextNode(walker); node; node = nextNode(walker)) {
    if (!/\S/.test(textData(node))) continue;
    for (let element = parentNode(node); element && element !== scope && nodeType(element) === ELEMENT && !bearers.has(element); element = parentNode(element)) bearers.add(element);
  }
  return bearers;
};

/** What says something without text below it. */
const WORDLESS = 'iframe,frame,input,textarea,select,img,svg,video,object,embed';

/** Whatever a sheet that cannot be read may hide. */
const bearersOf = (scope) => {
  const bearers = bearersOfText(scope);
  const select = nodeType(scope) === ELEMENT ? selectAll : shadowSelectAll;
  for (const element of list(select(scope, WORDLESS))) bearers.add(element);
  return bearers;
};

/** Whether an ancestor, or the element, is known to be unseen. */
const isUnseen = (unseen, element) => {
  for (let node = element; node; node = flatParent(node)) if (unseen.marks.get(node) === GONE) return true;
  return unseen.marks.get(element) === MUTED;
};

const conceal = (unseen, element, mark, means, says = saysWords(element, mark)) => {
  // A page that is faded as a whole is about to appear.
  const isPage = contains(element, unseen.top) || element === documentBody(document);
  if (says) countPart(unseen, element, isPage ? means + SHOWN : means);
  if (says && !unseen.isTold) unseen.isTold = isLongerThanLabel(element, mark);
  if (!isPage) unseen.marks.set(element, mark);
};

/** Measures one suspect. */
const measure = (unseen, element) => {
  const tag = localName(element);
  if (SKIPPED_TAGS.has(tag) || unseen.marks.has(element) || !checkVisibility(element)) return;
  const style = styleOf(element);
  const clipped = style.display === 'contents' ? null : clippedBy(element, style);
  const means = style.display === 'contents' ? '' : concealedBy(element, style, clipped);
  if (means !== '') {
    if (isUnseen(unseen, element)) return;
    concealOrAwait(unseen, element, means === 'opacity' && appears(element, style, FADING) ? AWAITED : GONE, means);
    return;
  }
  for (const part of turnedWithin(element, style)) if (!isUnseen(unseen, part)) conceal(unseen, part, GONE, 'back');
  for (const part of shrunkWithin(element, style)) if (!isUnseen(unseen, part)) conceal(unseen, part, MUTED, 'font');
  for (const part of startedOutside(element)) if (!isUnseen(unseen, part)) concealOrAwait(unseen, part, AWAITED, 'off-screen');
  if (clipped !== null) for (const part of clipped.parts) if (!isUnseen(unseen, part)) concealOrAwait(unseen, part, clipped.mark, clipped.means);
  for (const [part, mark] of maskedWithin(element, style)) if (!isUnseen(unseen, part)) concealOrAwait(unseen, part, mark, 'mask');
  if (mutedBy(element, style) !== '') muteWithin(unseen, element, list(selectAll(element, '*')));
};

/** Mutes an element and what it holds, as far as that has its style and none of its own. */
const muteWithin = (unseen, element, within) => {
  const means = mutedBy(element, styleOf(element));
  const inner = within.filter((part) => !unseen.marks.has(part) && mutedBy(part, styleOf(part)) !== '');
  for (const part of inner) unseen.marks.set(part, MUTED);
  if (means === '') return;
  const parts = [element, ...inner].filter((part) => saysWords(part, MUTED));
  conceal(unseen, element, MUTED, means, parts.length > 0);
  unseen.isTold = unseen.isTold || parts.some((part) => isLongerThanLabel(part, MUTED));
};

const concealOrAwait = (unseen, element, mark, means) => {
  if (mark !== AWAITED) return conceal(unseen, element, mark, means);
  unseen.awaited.add(element);
  if (saysWords(element, GONE)) countPart(unseen, element, means + SHOWN);
};

/** What is counted when all of it is read after all. */
const allShown = (counts) => Object.fromEntries(Object.entries(counts).map(([means, times]) => [means.endsWith(SHOWN) ? means : means + SHOWN, times]));

/** What was taken for unseen is read, and told of. */
const showAgain = (unseen, element, means) => {
  unseen.marks.delete(element);
  concealOrAwait(unseen, element, AWAITED, means);
};

const FADING = /\b(?:opacity|all)\b/;
const SLIDING = /\b(?:transform|translate|all)\b/;

/** Whether an element outside the view waits to appear by a change of these properties. */
const appears = (element, style, properties) => {
  const box = boundingRect(element);
  if (properties === FADING && fadesIn(element)) return true;
  if (box.bottom > 0 && box.top < innerHeight) return false;
  if ((properties.test(style.transitionProperty) && /[1-9]/.test(style.transitionDuration)) || properties.test(style.willChange)) return true;
  return properties === FADING && (isSetOff(element, style) || waitsForClass(element));
};

/** Whether a class more would animate an element: libraries add one when it comes into view. */
const waitsForClass = (element) => {
  const known = wholeRulings.get(rootNode(element));
  const names = (attribute(element, 'class') || '').split(/\s+/).filter(Boolean);
  if (!known || names.length === 0 || known.whole.moving.length === 0) return false;
  const byClass = remembered(movingByClass, known.whole, listByClass);
  return names.some((name) => (byClass.get(CSS.escape(name)) || []).slice(0, MOST_MOVING).some((selector) => !matchesSafely(element, selector)));
};

/** Selectors of one class that are tried. */
const MOST_MOVING = 20;

/** @type {WeakMap<Ruling, Map<string, string[]>>} */
const movingByClass = new WeakMap();

/** The selectors of what is animated, by the classes in them. */
const listByClass = ({ moving }) => {
  const byClass = new Map();
  for (const selector of moving) for (const [, name] of selector.matchAll(/\.((?:[\w-]|[^\0-\x7f]|\\.)+)/g)) remembered(byClass, name, () => []).push(selector);
  return byClass;
};

const matchesSafely = (element, selector) => {
  try {
    return matches(element, selector);
  } catch {
    return true;
  }
};

/** Whether a script holds a faded element off its place, from where it slides in: libraries of animation write both into the style attribute. */
const isSetOff = (element, style) => style.transform !== 'none' && /opacity: 0;.*transform:|transform:.*opacity: 0;/.test(ownStyle(element));

/** The opacity of an element with what all that holds it takes away. */
const opacityThrough = (element) => {
  let opacity = 1;
  for (let node = element; node && nodeType(node) === ELEMENT; node = flatParent(node)) opacity *= styleOf(node).opacity;
  return opacity;
};

/** Whether an animation that runs, or that scrolling moves, ends with an element that is seen. */
const fadesIn = (element) =>
  element.getAnimations().some((animation) => {
    const frames = animation.playState === 'running' && animation.effect instanceof KeyframeEffect ? animation.effect.getKeyframes() : [];
    return frames.length > 0 && parseFloat(frames[frames.length - 1].opacity) >= 0.5;
  });

/** @returns {string} What keeps all of an element from being seen. The order is by what is cheap to ask. */
const concealedBy = (element, style, clipped) => {
  if (style.opacity < 0.1 || (style.opacity < 0.6 && opacityThrough(element) < 0.1)) return 'opacity';
  if (style.contentVisibility === 'hidden') return 'clip';
  if (clipped !== null && clipped.mark === GONE) return clipped.means;
  const box = boundingRect(element);
  if (box.width < LEAST_STRIP || box.height < LEAST_STRIP) {
    if ((box.width < LEAST_STRIP && style.overflowX !== 'visible') || (box.height < LEAST_STRIP && style.overflowY !== 'visible')) return 'size';
    if ((box.width <= 1 || box.height <= 1) && isTiny(element, style, box)) return 'size';
  }
  const filter = style.filter;
  if (filter !== 'none' && filter.includes('opacity') && tintOf(filter)(BLACK)[3] < 0.1) return 'opacity';
  if (isMasked(style)) return 'mask';
  if (isTurnedAway(element, style)) return 'back';
  if ((isOutside(box) || parseFloat(style.marginLeft) < -500) && isOutside(contentBox(element)) && !isScrolledOut(element, box)) return 'off-screen';
  // What is fixed does not come when a page is scrolled.
  if ((box.left >= innerWidth || box.top >= innerHeight) && style.position === 'fixed') return 'off-screen';
  // A person scrolls down, and not for screens to the side.
  if (box.left + scrollX > 2 * innerWidth + 2000 && style.position === 'absolute' && !isScrolledOut(element, box)) return 'off-screen';
  return isTurned(element, style) && mayVanish(style) && scaleThrough(element) < LEAST_SCALE ? 'size' : '';
};

/** Scaled down by more, the largest letters of a page are none. */
const LEAST_SCALE = 0.02;

const offsetWidthOf = (element) => (element instanceof HTMLElement ? offsetWidth(element) : 0);

/** Whether a transform leaves nothing of the letters. */
const isTiny = (element, style, box) => {
  if (box.width >= 1 && box.height >= 1 && parseFloat(style.fontSize) * (box.width / Math.max(1, offsetWidthOf(element))) >= 1) return false;
  const content = contentBox(element);
  if (content.width === 0 && content.height === 0) return (style.transform !== 'none' || style.scale !== 'none') && /\S/.test(textContent(element));
  return content.width < 1 || content.height < 1 || (box.width >= 1 && box.height >= 1);
};

const contentBox = (element) => {
  const range = documentRange(document);
  range.selectNodeContents(element);
  return range.getBoundingClientRect();
};

/** Where the page ends to all sides, in the viewport; set by `unseenIn`. */
let pageEdges = { left: 0, top: 0, right: 0, bottom: 0 };

const measurePage = () => {
  const scroller = scrollingElement(document) || documentElement(document);
  const { scrollWidth, scrollHeight, clientWidth } = scroller;
  const body = documentBody(document);
  const runsLeft = styleOf(scroller).direction === 'rtl' || (body !== null && styleOf(body).direction === 'rtl');
  const backwards = scrollWidth > clientWidth && runsLeft ? clientWidth - scrollWidth : 0;
  // Beyond the far ends lies what a page forbids to scroll to.
  pageEdges = { left: backwards - scrollX, top: -scrollY, right: Math.max(scrollWidth, innerWidth) + 1000 - scrollX, bottom: Math.max(scrollHeight, innerHeight) + 1000 - scrollY };
};

/** Texts of a box that begins where no scrolling leads, as far as they end there too. @returns {Element[]} */
const startedOutside = (element) => {
  const box = boundingRect(element);
  if (box.left >= pageEdges.left - LEAST_STRIP && box.top >= pageEdges.top - LEAST_STRIP) return [];
  return firstTexts(element, MOST_CLIPPED).filter((text) => isOutside(contentBox(text)) && !isScrolledOut(text, boundingRect(text)));
};

/** Whether a box that is scrolled by itself holds an element, out of its view for now. */
const isScrolledOut = (element, box) => {
  for (let node = flatParent(element); node && nodeType(node) === ELEMENT && node !== documentElement(document); node = flatParent(node)) {
    const [left, top] = [scrollLeftOf(node), scrollTopOf(node)];
    if (left === 0 && top === 0 && !/auto|scroll/.test(styleOf(node).overflow)) continue;
    const rect = boundingRect(node);
    // Text that runs to the left begins at the other side.
    const start = Math.min(rect.left - left, rect.right - scrollWidthOf(node) - left);
    return box.right > start && box.bottom > rect.top - top;
  }
  return false;
};

/** Whether no scrolling brings a box into view. */
const isOutside = (box) => box.bottom <= pageEdges.top || box.right <= pageEdges.left || box.left >= pageEdges.right || box.top >= pageEdges.bottom;
