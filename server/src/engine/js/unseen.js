// Text that is rendered and that no person sees: faded, clipped, moved away,
// without size, in tiny letters, in the colour of its ground, behind others,
// past the edge of a box, under a mask, on the back of what is turned.
//
// What is not rendered at all (display, visibility, closed details) is left out
// by whoever reads. Here only suspects are measured, see suspects.js.

// What becomes of an element and what it holds.
const GONE = 1; // Nothing of it is seen.
const MUTED = 2; // Its own text is not seen; what it holds decides for itself.
const AWAITED = 3; // It appears when it is scrolled to: told of, and read.

/** @typedef {{marks: Map<Element, number>, counts: Object<string, number>, top: Element, awaited: Set<Element>}} Unseen `awaited`: what is faded in when it is scrolled to. */

/** @param {Element} top @param {ShadowRoot[]} roots Those known below it. @returns {?Unseen} Null when all is seen. */
const unseenIn = (top, roots) => {
  const unseen = { marks: new Map(), counts: {}, top, awaited: new Set() };
  measurePage();
  // What holds it is told of, and does not hide what was asked for.
  for (let node = top; node && nodeType(node) === ELEMENT; node = flatParent(node)) measure(unseen, node);
  lookForUnseen(unseen, top, document);
  for (const root of roots) lookForUnseen(unseen, root, root);
  return unseen.marks.size > 0 || Object.keys(unseen.counts).length > 0 ? unseen : null;
};

/** @param {Element|ShadowRoot} scope @param {Document|ShadowRoot} root Whose sheets hold there. */
const lookForUnseen = (unseen, scope, root) => {
  const ruling = rulingFor(root);
  const styled = nodeType(scope) === ELEMENT ? steady('styled', scope, () => styledWithin(selectAll(scope, '[style]'))) : styledWithin(shadowSelectAll(scope, '[style]'));
  const suspects = new Set(styled.concealing);
  if (ruling.closed) for (const element of bearersOfText(scope)) suspects.add(element);
  addMatches(suspects, scope, ruling, 'concealing');
  // Of a document all are listed, those in shadow trees too.
  for (const animation of documentAnimations(document)) {
    const target = animation.effect && animation.effect.target;
    if (target && contains(scope, target)) suspects.add(target);
  }
  const drawn = drawnTexts(scope);
  addDrawn(suspects, scope, drawn);
  for (const element of suspects) measure(unseen, element);
  const clips = new Set(styled.clipping);
  addMatches(clips, scope, ruling, 'clipping');
  if (clips.size > 0) for (const [element, mark] of pastEdges(clips, suspects)) if (!isUnseen(unseen, element)) concealOrAwait(unseen, element, mark, 'edge');
  for (const [element, means] of drawnAway(drawn)) if (!isUnseen(unseen, element)) conceal(unseen, element, GONE, means);
  if (ruling.colours || styled.colours || drawn.length > 0 || isColouredByHand()) {
    for (const element of sameColoured(scope, unseen.top)) {
      if (!isUnseen(unseen, element)) conceal(unseen, element, MUTED, 'colour');
    }
  }
  const covers = new Set(styled.covering);
  addMatches(covers, scope, ruling, 'covering');
  if (covers.size > 0) for (const element of coveredBy(covers)) if (!isUnseen(unseen, element[0])) conceal(unseen, element[0], element[1], 'cover');
};

/** Whether attributes of old give colours. */
const isColouredByHand = () => {
  const body = documentBody(document);
  if (body !== null && hasAttributes(body) && (hasAttribute(body, 'text') || hasAttribute(body, 'bgcolor'))) return true;
  return documentByTag(document, 'font').length > 0 || (documentByTag(document, 'table').length > 0 && documentSelectFirst(document, '[bgcolor]') !== null);
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

/** Whether an ancestor, or the element, is known to be unseen. */
const isUnseen = (unseen, element) => {
  for (let node = element; node; node = flatParent(node)) if (unseen.marks.get(node) === GONE) return true;
  return unseen.marks.get(element) === MUTED;
};

const conceal = (unseen, element, mark, means, says = saysWords(element, mark)) => {
  if (says) unseen.counts[means] = (unseen.counts[means] || 0) + 1;
  // A page that is faded as a whole is about to appear.
  if (contains(element, unseen.top) || element === documentBody(document)) return;
  unseen.marks.set(element, mark);
};

const WORDS = /[\p{L}\p{N}]/u;

/** Whether there are words in what is not seen of an element. */
const saysWords = (element, mark) => {
  if (mark === GONE) return FRAME_TAGS.has(localName(element)) || WORDS.test(textContent(element));
  for (let child = firstChild(element); child; child = nextSibling(child)) if (nodeType(child) === TEXT && WORDS.test(textData(child))) return true;
  return false;
};

/** Measures one suspect. */
const measure = (unseen, element) => {
  const tag = localName(element);
  if (SKIPPED_TAGS.has(tag) || unseen.marks.has(element) || !checkVisibility(element)) return;
  const style = styleOf(element);
  const means = style.display === 'contents' ? '' : concealedBy(element, style);
  if (means !== '') {
    if (isUnseen(unseen, element)) return;
    concealOrAwait(unseen, element, means === 'opacity' && appears(element, style, FADING) ? AWAITED : GONE, means);
    return;
  }
  for (const part of turnedWithin(element, style)) if (!isUnseen(unseen, part)) conceal(unseen, part, GONE, 'back');
  const muted = mutedBy(element, style);
  if (muted === '') return;
  // What it holds has its style, or one of its own.
  const inner = list(selectAll(element, '*')).filter((part) => !unseen.marks.has(part) && mutedBy(part, styleOf(part)) !== '');
  for (const part of inner) unseen.marks.set(part, MUTED);
  conceal(unseen, element, MUTED, muted, [element, ...inner].some((part) => saysWords(part, MUTED)));
};

const concealOrAwait = (unseen, element, mark, means) => {
  if (mark !== AWAITED) return conceal(unseen, element, mark, means);
  unseen.awaited.add(element);
  if (saysWords(element, GONE)) unseen.counts[means] = (unseen.counts[means] || 0) + 1;
};

const FADING = /\b(?:opacity|all)\b/;
const SLIDING = /\b(?:transform|translate|all)\b/;

/** Whether an element outside the view waits to appear by a change of these properties. */
const appears = (element, style, properties) => {
  const box = boundingRect(element);
  if (properties === FADING && fadesIn(element)) return true;
  if (box.bottom > 0 && box.top < innerHeight) return false;
  return (properties.test(style.transitionProperty) && /[1-9]/.test(style.transitionDuration)) || properties.test(style.willChange) || (properties === FADING && isSetOff(element, style));
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
const concealedBy = (element, style) => {
  if (style.opacity < 0.1 || (style.opacity < 0.6 && opacityThrough(element) < 0.1)) return 'opacity';
  if (style.contentVisibility === 'hidden') return 'clip';
  const box = boundingRect(element);
  if (box.width <= 1 || box.height <= 1) {
    if ((box.width <= 1 && style.overflowX !== 'visible') || (box.height <= 1 && style.overflowY !== 'visible')) return clippedBy(style, box) || 'size';
    if (isTiny(element, style, box)) return 'size';
  }
  const clipped = clippedBy(style, box);
  if (clipped !== '') return clipped;
  const filter = style.filter;
  if (filter !== 'none' && /opacity\((?:0(?:\.0\d*)?|\d(?:\.\d+)?%)\)/.test(filter)) return 'opacity';
  if (isMasked(style)) return 'mask';
  if (isTurnedAway(element, style)) return 'back';
  if ((isOutside(box) || parseFloat(style.marginLeft) < -500) && isOutside(contentBox(element)) && !isScrolledOut(element, box)) return 'off-screen';
  // What is fixed does not come when a page is scrolled.
  if ((box.left >= innerWidth || box.top >= innerHeight) && style.position === 'fixed') return 'off-screen';
  // A person scrolls down, and not for screens to the side.
  if (box.left + scrollX > 2 * innerWidth + 2000 && style.position === 'absolute' && !isScrolledOut(element, box)) return 'off-screen';
  // Scaled down, its letters are smaller than their size says.
  return box.width < offsetWidthOf(element) * 0.1 && isTiny(element, style, box) ? 'size' : '';
};

const clippedBy = (style, box) => {
  const clip = style.clip;
  if (clip !== 'auto' && (style.position === 'absolute' || style.position === 'fixed') && isEmptyClip(clip, box)) return 'clip';
  const path = style.clipPath;
  return path !== 'none' && isEmptyPath(path, box) ? 'clip-path' : '';
};

const offsetWidthOf = (element) => (element instanceof HTMLElement ? offsetWidth(element) : 0);

/** Whether a transform leaves nothing of the letters. */
const isTiny = (element, style, box) => {
  if (box.width >= 1 && box.height >= 1 && parseFloat(style.fontSize) * (box.width / Math.max(1, offsetWidthOf(element))) >= 1) return false;
  const content = contentBox(element);
  if (content.width === 0 && content.height === 0) return (style.transform !== 'none' || style.scale !== 'none') && /\S/.test(textContent(element));
  return content.width < 1 || content.height < 1 || (box.width >= 1 && box.height >= 1);
};

/** @returns {string} What keeps its own text from being seen. */
const mutedBy = (element, style) => {
  // A drawing has units of its own.
  if (parseFloat(style.fontSize) < 1 && !(element instanceof SVGElement)) return 'font';
  const indent = style.textIndent;
  return indent !== '0px' && parseFloat(indent) < -500 ? 'off-screen' : '';
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

/** `rect(top, right, bottom, left)` with nothing of the box between. */
const isEmptyClip = (clip, box) => {
  const [top, right, bottom, left] = (/^rect\((.*)\)$/.exec(clip) || ['', ''])[1].split(/,? /).map(parseFloat);
  return bottom - top <= 1 || right - left <= 1 || top >= box.height || left >= box.width || bottom <= 0 || right <= 0;
};

const isEmptyPath = (path, box) => {
  const [, shape, inner] = /^(\w+)\((.*)\)/.exec(path) || [];
  const numbers = ((inner || '').match(/-?[\d.]+(?:%|px)?/g) || []).map((number) => [parseFloat(number), number.endsWith('%')]);
  switch (shape) {
    case 'inset': {
      const [top, right = top, bottom = top, left = right] = inner.split(' round ')[0].split(' ');
      const part = (side, size) => (side.endsWith('%') ? parseFloat(side) : (parseFloat(side) / Math.max(1, size)) * 100) || 0;
      return part(top, box.height) + part(bottom, box.height) >= 99 || part(left, box.width) + part(right, box.width) >= 99;
    }
    case 'circle':
    case 'ellipse':
      return numbers.length > 0 && numbers.slice(0, shape === 'circle' ? 1 : 2).some(([value, isShare]) => value <= (isShare ? 0.5 : 2));
    case 'polygon': {
      const at = (axis) => numbers.filter((_, index) => index % 2 === axis).map(([value]) => value);
      const [across, down] = [at(0), at(1)];
      const isShare = (axis) => numbers.every(([value, share], index) => index % 2 !== axis || share || value === 0);
      const isBeside = (values, axis) => isShare(axis) && (Math.min(...values) >= 100 || Math.max(...values) <= 0);
      return Math.max(...across) - Math.min(...across) <= 1 || Math.max(...down) - Math.min(...down) <= 1 || isBeside(across, 0) || isBeside(down, 1);
    }
    case 'rect':
    case 'xywh':
      return numbers.length > 0 && numbers.every(([value]) => value <= 1);
  }
  return false;
};
