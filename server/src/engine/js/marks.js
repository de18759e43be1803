// Where elements show: their boxes without what their surroundings cut off.

/** @param {{numbers: number[]}} argument @returns The visible box of each ref, as x, y, width and height; 0 for what does not show. */
const marks = ({ numbers: wanted }) => {
  beginCall();
  const cuts = new Map();
  return { boxes: wanted.map((number) => {
    const element = elementOf(number);
    const box = element && isVisible(element) ? visibleBox(element, cuts) : null;
    return box ? [box.left, box.top, box.right - box.left, box.bottom - box.top] : 0;
  }) };
};

const visibleBox = (element, cuts) => {
  const rect = boundingRect(element);
  const own = rect.width > 0 && rect.height > 0 ? rect : contentRect(element);
  return own && cut(own, cutAround(element, cuts));
};

/** What an element without an area of its own shows: the box around its parts. */
const contentRect = (element) => {
  const range = document.createRange();
  range.selectNodeContents(element);
  const rect = range.getBoundingClientRect();
  return rect.width > 0 && rect.height > 0 ? rect : null;
};

const cut = (box, around) => {
  const left = Math.max(box.left, around.left);
  const top = Math.max(box.top, around.top);
  const right = Math.min(box.right, around.right);
  const bottom = Math.min(box.bottom, around.bottom);
  return right - left > 0.5 && bottom - top > 0.5 ? { left, top, right, bottom } : null;
};

const NO_CUT = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };
const ALL_CUT = { left: 0, top: 0, right: 0, bottom: 0 };

/** What the boxes around an element leave of it. The viewport scrolls for all, so it cuts nothing. */
const cutAround = (element, cuts) => {
  const style = styleOf(element);
  if (style.position === 'fixed') return NO_CUT;
  const parent = flatParent(element);
  if (!parent || nodeType(parent) !== ELEMENT) return NO_CUT;
  return cutBy(parent, style.position === 'absolute', cuts);
};

/** @param {boolean} leaps Whether the inner element is placed by the next positioned box around it. */
const cutBy = (element, leaps, cuts) => {
  if (isTag(element, 'html') || isTag(element, 'body')) return NO_CUT;
  const known = leaps ? undefined : cuts.get(element);
  if (known) return known;
  const style = styleOf(element);
  const skipped = leaps && style.position === 'static' && style.transform === 'none' && style.filter === 'none';
  const parent = flatParent(element);
  const outer = style.position === 'fixed' || !parent || nodeType(parent) !== ELEMENT ? NO_CUT : cutBy(parent, skipped || style.position === 'absolute', cuts);
  const clips = !skipped && style.display !== 'inline' && style.display !== 'contents' && (style.overflowX !== 'visible' || style.overflowY !== 'visible');
  const found = clips ? cut(boundingRect(element), outer) || ALL_CUT : outer;
  if (!leaps) cuts.set(element, found);
  return found;
};

/**
 * Boxes of a child frame as this document shows them, cut at the frame's edge.
 * @param {{owner: number, boxes: ([number, number, number, number] | 0)[]}} argument
 */
const mapMarks = ({ owner, boxes }) => {
  beginCall();
  const element = ownerElement(owner);
  if (!element || !isVisible(element)) return { boxes: boxes.map(() => 0) };
  const around = visibleBox(element, new Map());
  return { boxes: boxes.map((box) => {
    if (box === 0 || !around) return 0;
    const [x, y, width, height] = box;
    const mapped = mapRect({ owner, x, y, width, height });
    const shown = cut({ left: mapped.x, top: mapped.y, right: mapped.x + mapped.width, bottom: mapped.y + mapped.height }, around);
    return shown ? [shown.left, shown.top, shown.right - shown.left, shown.bottom - shown.top] : 0;
  }) };
};

/** How the document lies in its viewport. */
const extent = () => {
  const scroller = scrollingElement(document) || documentElement(document);
  return { x: scrollX, y: scrollY, width: scroller ? scroller.scrollWidth : innerWidth, height: scroller ? scroller.scrollHeight : innerHeight };
};
