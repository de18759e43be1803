// Where no scrolling of a box leads: before its beginning. What is moved there,
// or aligned to the end of a box that it is too large for, nobody gets at. And
// what goes on in columns past the edge, and in a marquee.

/** Parts of such boxes that are looked at. */
const MOST_BEFORE = 1500;

/** The edges at which the content of a box that is scrolled begins, in the viewport. */
const originOf = (scroller) => {
  const style = styleOf(scroller);
  const rect = boundingRect(scroller);
  const runsLeft = style.direction === 'rtl' || /row-reverse/.test(style.flexDirection) || /vertical-rl|sideways-rl/.test(style.writingMode);
  const [wide, high] = [scrollWidthOf(scroller) - clientWidthOf(scroller), scrollHeightOf(scroller) - clientHeightOf(scroller)];
  const runsUp = /column-reverse/.test(style.flexDirection) || /wrap-reverse/.test(style.flexWrap);
  return { left: rect.left - scrollLeftOf(scroller) - (runsLeft ? wide : 0), top: rect.top - scrollTopOf(scroller) - (runsUp ? high : 0) };
};

const isBefore = (box, origin) => (box.width > 0 || box.height > 0) && (box.bottom <= origin.top + 1 || box.right <= origin.left + 1);

const reachesBefore = (box, origin) => box.top < origin.top - LEAST_STRIP || box.left < origin.left - LEAST_STRIP;

const lastElementChild = getter(Element.prototype, 'lastElementChild');

/** @param {Set<Element>} scrollers Elements that a style may let scroll. @param {Set<Element>} moved Those that a style may push out. @returns {Map<Element, number>} Each with its mark. */
const beforeOrigins = (scrollers, moved) => {
  const looking = { found: new Map(), left: MOST_BEFORE };
  for (const scroller of scrollers) {
    const first = firstElementChild(scroller);
    if (first === null || isPageItself(scroller) || !checkVisibility(scroller) || !/auto|scroll/.test(styleOf(scroller).overflow)) continue;
    // What is moved may be anywhere in it; what is aligned moves all of it.
    if (!holdsAny(scroller, moved) && ![first, lastElementChild(scroller)].some((part) => reachesBefore(boundingRect(part), boundingRect(scroller)))) continue;
    lookBefore(looking, scroller, scroller, originOf(scroller));
  }
  if (looking.left <= 0) noteExcess();
  return looking.found;
};

const holdsAny = (holder, elements) => {
  for (const element of elements) if (element !== holder && contains(holder, element)) return true;
  return false;
};

const lookBefore = (looking, holder, scroller, origin) => {
  for (const part of flatElements(holder)) {
    if (--looking.left <= 0) return;
    const box = boundingRect(part);
    if (!reachesBefore(box, origin)) {
      // Without a size of its own, what it holds may lie anywhere.
      if (box.width === 0 || box.height === 0) lookBefore(looking, part, scroller, origin);
      continue;
    }
    if (SKIPPED_TAGS.has(localName(part)) || !checkVisibility(part) || !isCutBy(part, scroller)) continue;
    if (isBefore(box, origin) && isBefore(contentBox(part), origin)) {
      if (saysWords(part, GONE)) looking.found.set(part, GONE);
      continue;
    }
    if (isOwnTextPast(part, { left: origin.left, top: origin.top, right: Infinity, bottom: Infinity })) looking.found.set(part, MUTED);
    lookBefore(looking, part, scroller, origin);
  }
};

/** Whether a style lays text out in columns, which go on to the side. */
const isColumned = (style) => style.columnCount !== 'auto' || style.columnWidth !== 'auto';

/** Marquees show what they hold as it comes by; one that is narrow shows none of it. */
const markMarquees = (unseen, scope) => {
  for (const marquee of list(selectAll(scope, 'marquee'))) {
    if (!checkVisibility(marquee) || isUnseen(unseen, marquee)) continue;
    const box = boundingRect(marquee);
    if (isStrip(box)) conceal(unseen, marquee, GONE, 'size');
    else if (!isWithin(contentBox(marquee), box) || Math.min(box.width, box.height) < parseFloat(styleOf(marquee).fontSize)) concealOrAwait(unseen, marquee, AWAITED, 'edge');
  }
};
