// Text that lies behind another element and moves with it, so that no
// scrolling brings it out.

/** Covers that are looked at, and texts for each: a page of boxes costs no more. */
const MOST_COVERS = 60;
const MOST_COVERED = 400;

/** What a person opens over a page, and closes. */
const OPENED = 'dialog,[role=dialog],[role=alertdialog],[aria-modal=true],[role=menu],[role=listbox],[role=tooltip],[popover]';

/**
 * @param {Set<Element>} suspects Elements that a style may put over others.
 * @param {Element} top
 * @returns {Map<Element, [number, string]>} What they hide, with its mark and means.
 */
const coveredBy = (suspects, top) => {
  const covered = new Map();
  const texts = { within: new Map(), boxes: new Map() };
  const looking = { top, painters: null, pictures: null };
  let looked = 0;
  for (const cover of suspects) {
    if (looked >= MOST_COVERS) break;
    if (!checkVisibility(cover)) continue;
    const style = styleOf(cover);
    const sinks = style.position !== 'static' && parseInt(style.zIndex, 10) < 0;
    if (sinks && liesUnder(cover)) covered.set(cover, [GONE, 'cover']);
    if (sinks || !hides(cover, style)) continue;
    looked += 1;
    let mark = 0;
    for (const text of textsBeside(cover, texts)) {
      if (paintsOver(cover, text)) {
        mark = mark || (isPassing(cover) ? AWAITED : MUTED);
        if (mark === MUTED || !covered.has(text)) covered.set(text, [mark, 'cover']);
      } else if (!covered.has(text) && style.backgroundImage === 'none' && isLostOn(colourParts(style.backgroundColor), cover, text, looking)) covered.set(text, [MUTED, 'colour']);
    }
  }
  return covered;
};

/** What a person operates, and so closes. */
const OPERATED = 'button,a[href],input,select,textarea,summary,[role=button],[tabindex],[onclick]';

/** Whether a cover asks something of a person, or is moved while something loads: what lies behind comes back. */
const isPassing = (cover) => animationsOf(cover, { subtree: true }).some(isEndless) || matches(cover, OPERATED) || list(selectAll(cover, OPERATED)).some((part) => isShown(part) && boundingRect(part).width >= 8);

const isEndless = ({ playState, effect }) => playState === 'running' && effect !== null && effect.getTiming().iterations === Infinity;

/** Whether a text lies on a plate of its own colour, and nothing else is painted there. @param {?number[]} ground That of the plate. @param {Element} plate It, or what holds it. */
const isLostOn = (ground, plate, text, looking) => {
  const ink = colourParts(styleOf(text).webkitTextFillColor);
  if (ground === null || ground[3] < 0.95 || ink === null || !isSameColour(ink, ground)) return false;
  if (text instanceof SVGElement || paintedBetween(plate, text)) return false;
  if (looking.pictures === null) {
    looking.pictures = picturesWithin(looking.top);
    looking.painters = paintersWithin(looking.top);
  }
  const own = styleOf(text);
  return !standsOutBy(own.textShadow, (colour) => !isSameColour(colour, ground)) && !liesOnOthers(text, own, ink, looking.pictures, looking.painters);
};

/** Whether what holds a text, and not the plate, has a ground: it is painted over the plate. */
const paintedBetween = (plate, text) => {
  for (let node = text; node && nodeType(node) === ELEMENT && !flatContains(node, plate); node = flatParent(node)) if (groundOf(styleOf(node)) !== undefined) return true;
  return false;
};

/** Whether an element paints over all that lies behind it, and is none that a person closes. */
const hides = (element, style) => {
  if (style.position === 'fixed' || style.position === 'sticky' || style.clipPath !== 'none' || style.maskImage !== 'none') return false;
  if (!isOpaque(style) && !isSolidPicture(element) && !isVeil(style)) return false;
  // What holds it may be about to appear, when a pointer comes, say.
  for (let node = element; node && nodeType(node) === ELEMENT; node = flatParent(node)) if (parseFloat(styleOf(node).opacity) < 0.95) return false;
  const box = boundingRect(element);
  return box.width * box.height >= 400 && closest(element, OPENED) === null;
};

/** Other pictures may let through what is behind them. */
const isSolidPicture = (element) => element instanceof HTMLImageElement && element.complete && /\.jpe?g(?:[?#]|$)|^data:image\/jpe?g/i.test(element.currentSrc);

/** Whether what lies behind is blurred or washed out. */
const isVeil = (style) => {
  const filter = style.backdropFilter;
  return filter !== 'none' && (blurOf(filter) >= STRONG_BLUR || isSameColour(tintOf(filter)(BLACK), tintOf(filter)(WHITE)));
};

const isOpaque = (style) => {
  const parts = colourParts(style.backgroundColor);
  return parts !== null && parts[3] > 0.95;
};

/** Texts that one reading asks for in what is clipped, made smaller, painted or plated. */
const MOST_TEXTS_ASKED = 6000;
let textsLeft = 0;

/** The first texts within an element, as far as one reading asks for more. @returns {Element[]} */
const firstTexts = (scope, most) => {
  const found = textsLeft > 0 ? textsWithin(scope, Math.min(most, textsLeft)) : [];
  textsLeft -= found.length + 1;
  return found;
};

/** Elements with text of their own that show within an element. @returns {Element[]} */
const textsWithin = (scope, most = Infinity) => {
  const found = new Set();
  const walker = walkerOver(scope, NodeFilter.SHOW_TEXT);
  for (let node = nextNode(walker); node; node = nextNode(walker)) {
    if (!/\S/.test(textData(node))) continue;
    const parent = parentNode(node);
    if (!found.has(parent) && nodeType(parent) === ELEMENT && checkVisibility(parent)) {
      found.add(parent);
      if (found.size >= most) break;
    }
  }
  return [...found];
};

const remembered = (known, key, make) => {
  let value = known.get(key);
  if (value === undefined) known.set(key, (value = make(key)));
  return value;
};

/** Elements with text of their own that lie wholly within the box of a cover, and not in it. @returns {Element[]} */
const textsBeside = (cover, texts) => {
  const around = flatParent(cover);
  if (!around || nodeType(around) !== ELEMENT) return [];
  const box = boundingRect(cover);
  const holder = cover instanceof HTMLElement ? offsetParent(cover) : null;
  const scope = holder !== null && styleOf(cover).position === 'absolute' ? holder : around;
  let asked = 0;
  return remembered(texts.within, scope, textsWithin).filter((element) => {
    const own = remembered(texts.boxes, element, boundingRect);
    if (own.right < box.left || own.left > box.right || own.bottom < box.top || own.top > box.bottom) return false;
    asked += 1;
    if (asked > MOST_COVERED || flatContains(cover, element)) return false;
    const text = contentBox(element);
    return text.height > 0 && text.left >= box.left - 1 && text.right <= box.right + 1 && text.top >= box.top - 1 && text.bottom <= box.bottom + 1;
  });
};

/** Whether `cover` is painted after `text`: by the layers of what holds them below their common ancestor, else by their order. */
const paintsOver = (cover, text) => {
  if (flatContains(text, cover)) return layerBelow(cover, text) >= 0;
  const above = new Set();
  for (let node = cover; node; node = flatParent(node)) above.add(node);
  let meeting = text;
  while (meeting && !above.has(meeting)) meeting = flatParent(meeting);
  if (!meeting) return false;
  const [one, other] = [layerBelow(cover, meeting), layerBelow(text, meeting)];
  // In the flow all text is painted over all grounds.
  if (one !== other || !(one >= 0)) return one > other;
  return (comparePosition(cover, text) & Node.DOCUMENT_POSITION_PRECEDING) !== 0;
};

/** Makes a layer in ways that are not followed here. */
const LAYERING = [
  ['filter', 'none'],
  ['isolation', 'auto'],
  ['willChange', 'auto'],
  ['contain', 'none'],
  ['clipPath', 'none'],
  ['maskImage', 'none'],
  ['translate', 'none'],
  ['perspective', 'none'],
  ['mixBlendMode', 'normal'],
];

/** The layer in which the part of `ancestor` that holds `element` is painted: -0.5 for what stands in the flow, NaN where that is not known. */
const layerBelow = (element, ancestor) => {
  let layer = -0.5;
  for (let node = element; node && node !== ancestor; node = flatParent(node)) {
    if (nodeType(node) !== ELEMENT) continue;
    const style = styleOf(node);
    const positioned = style.position !== 'static';
    if (LAYERING.some(([property, usual]) => style[property] !== usual) || (!positioned && style.zIndex !== 'auto')) return NaN;
    const raised = positioned || style.transform !== 'none' || parseFloat(style.opacity) < 1;
    // The outermost decides.
    if (raised) layer = positioned ? parseInt(style.zIndex, 10) || 0 : 0;
  }
  return layer;
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
