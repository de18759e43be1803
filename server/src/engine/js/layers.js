// Which of two elements is painted later: by the layers of what holds them
// below their common ancestor, else by their order.

const PAINTS_BELOW = 0;
const PAINTS_MAYBE = 1;
const PAINTS_OVER = 2;

/** What the browser shows above all layers: a dialog, or what pops up. Set by `lookForUnseen`. @type {?Element} */
let onTop = null;

/** Whether `cover` is painted after `text`; outlines are so in the flow, too. */
const paintsOver = (cover, text, isOutline = false) => {
  if (onTop !== null && flatContains(onTop, cover) && !flatContains(onTop, text)) return PAINTS_OVER;
  if (flatContains(text, cover)) return layerBelow(cover, text).layer >= 0 ? PAINTS_OVER : PAINTS_BELOW;
  const above = new Set();
  for (let node = cover; node; node = flatParent(node)) above.add(node);
  let meeting = text;
  while (meeting && !above.has(meeting)) meeting = flatParent(meeting);
  if (!meeting) return PAINTS_BELOW;
  const [one, other] = [layerBelow(cover, meeting), layerBelow(text, meeting)];
  const isLater = (comparePosition(cover, text) & Node.DOCUMENT_POSITION_PRECEDING) !== 0;
  if (one.isDeep || other.isDeep) return isLater || one.layer > other.layer ? PAINTS_MAYBE : PAINTS_BELOW;
  if (one.layer !== other.layer) return one.layer > other.layer ? PAINTS_OVER : PAINTS_BELOW;
  if (isOutline && !other.isAtom) return PAINTS_OVER;
  // In the flow all text is painted over all grounds, but for those of boxes that are painted as one.
  return isLater && (one.layer >= 0 || one.isAtom) ? PAINTS_OVER : PAINTS_BELOW;
};

/** What makes a layer of its own of an element that stands in the flow. */
const LAYERING = [
  ['transform', 'none'],
  ['filter', 'none'],
  ['isolation', 'auto'],
  ['clipPath', 'none'],
  ['maskImage', 'none'],
  ['translate', 'none'],
  ['scale', 'none'],
  ['rotate', 'none'],
  ['perspective', 'none'],
  ['mixBlendMode', 'normal'],
  ['backdropFilter', 'none'],
];

/** Properties that make a layer as soon as they are announced. */
const ANNOUNCED = /transform|opacity|filter|perspective|clip-path|mask|isolation|mix-blend|translate|scale|rotate|z-index|position/;

const isRaised = (style) => parseFloat(style.opacity) < 1 || LAYERING.some(([property, usual]) => style[property] !== usual) || /paint|layout|strict|content/.test(style.contain) || (style.willChange !== 'auto' && ANNOUNCED.test(style.willChange));

/** Boxes that are painted as one in their place in the flow. */
const ATOM = /^inline-(?:block|flex|grid|table)|^inline flow-root/;

const HOLDS_ITEMS = /flex|grid/;

/**
 * The layer in which the part of `ancestor` that holds `element` is painted:
 * -0.5 for what stands in the flow. `isAtom`: as one box with what it holds;
 * `isDeep`: depth decides, which is not followed.
 */
const layerBelow = (element, ancestor) => {
  const found = { layer: -0.5, isAtom: false, isDeep: false };
  for (let node = element; node && node !== ancestor; node = flatParent(node)) {
    if (nodeType(node) !== ELEMENT) continue;
    const style = styleOf(node);
    const around = flatParent(node);
    const holder = around && nodeType(around) === ELEMENT ? styleOf(around) : null;
    const isItem = holder !== null && HOLDS_ITEMS.test(holder.display);
    const isPlaced = style.position !== 'static' || (isItem && style.zIndex !== 'auto');
    if (holder !== null && holder.transformStyle === 'preserve-3d') found.isDeep = true;
    if (isItem || ATOM.test(style.display)) found.isAtom = true;
    // The outermost decides.
    if (isPlaced || isRaised(style)) found.layer = isPlaced ? parseInt(style.zIndex, 10) || 0 : 0;
  }
  return found;
};

/** Whether what sinks below the flow lies under an opaque ancestor, or under what is painted at its middle. */
const liesUnder = (element) => {
  const box = contentBox(element);
  for (let node = flatParent(element); node && nodeType(node) === ELEMENT; node = flatParent(node)) {
    const style = styleOf(node);
    const stacks = (style.position !== 'static' && style.zIndex !== 'auto') || style.transform !== 'none' || parseFloat(style.opacity) < 1 || style.isolation === 'isolate';
    if (stacks || node === documentBody(document) || node === documentElement(document)) break;
    const around = boundingRect(node);
    if (isOpaque(style) && around.left <= box.left && around.right >= box.right && around.top <= box.top && around.bottom >= box.bottom) return true;
  }
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  for (const hit of documentElementsFromPoint(document, x, y)) {
    if (flatContains(element, hit)) return false;
    if (!flatContains(hit, element) && isOpaque(styleOf(hit))) return true;
  }
  return false;
};

const isOpaque = (style) => {
  const parts = colourParts(style.backgroundColor);
  return parts !== null && parts[3] > 0.95;
};
