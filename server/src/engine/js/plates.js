// Grounds that `::before` and `::after` paint over the text of their element,
// or below it in its own colour. Only what is placed over the whole of an
// element counts, so only rules that place such parts absolutely are looked at.

/** Elements with such parts, and texts of each, that are asked for. */
const MOST_PLATED = 100;
const MOST_ON_PLATE = 200;

/** @param {Set<Element>} holders Elements that may have such a part. @param {Element} top @returns {Map<Element, [number, string]>} What they hide, with its mark and means. */
const platedAway = (holders, top) => {
  const found = new Map();
  const looking = { top, painters: null, pictures: null };
  let looked = 0;
  for (const holder of holders) {
    if (looked++ > MOST_PLATED) break;
    if (!checkVisibility(holder) || !WORDS.test(textContent(holder))) continue;
    for (const pseudo of ['::before', '::after']) {
      const style = styleOf(holder, pseudo);
      const box = plateBox(holder, style);
      if (box !== null) addPlated(found, holder, pseudo, style, box, looking);
    }
  }
  return found;
};

/** Where an opaque part of an element lies; null for what covers nothing for sure. */
const plateBox = (holder, style) => {
  if (style.content === 'none' || style.content === 'normal' || style.position !== 'absolute' || style.visibility !== 'visible' || style.display === 'none') return null;
  if (!isOpaque(style) || style.opacity < 0.95 || [style.transform, style.clipPath, style.maskImage, style.scale, style.translate, style.rotate].some((value) => value !== 'none')) return null;
  const own = styleOf(holder);
  if (own.position === 'static' && own.transform === 'none') return null;
  const around = boundingRect(holder);
  const [left, top] = [around.left + parseFloat(own.borderLeftWidth) + parseFloat(style.left), around.top + parseFloat(own.borderTopWidth) + parseFloat(style.top)];
  const box = { left, top, right: left + parseFloat(style.width), bottom: top + parseFloat(style.height) };
  return Object.values(box).some(Number.isNaN) ? null : box;
};

const addPlated = (found, holder, pseudo, style, box, looking) => {
  const layer = parseInt(style.zIndex, 10) || 0;
  if (layer < 0 && isSunkBelowGrounds(holder)) return;
  const ground = colourParts(style.backgroundColor);
  for (const text of firstTexts(holder, MOST_ON_PLATE)) {
    if (found.has(text) || text instanceof SVGElement || !isWithin(contentBox(text), box)) continue;
    const own = text === holder ? -0.5 : layerBelow(text, holder);
    if (Number.isNaN(own)) continue;
    if (layer > own || (layer === own && pseudo === '::after')) found.set(text, [animationsOf(holder, { subtree: true }).some(isEndless) ? AWAITED : MUTED, 'cover']);
    else if (isLostOn(ground, holder, text, looking)) found.set(text, [MUTED, 'colour']);
  }
};

/** Whether what sinks below an element lies behind the ground of one that holds it, or its own. */
const isSunkBelowGrounds = (holder) => {
  for (let node = holder; node && nodeType(node) === ELEMENT; node = flatParent(node)) {
    const style = styleOf(node);
    if (isLayer(style)) return false;
    if (groundOf(style) !== undefined) return true;
  }
  return false;
};
