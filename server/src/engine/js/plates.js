// What `::before` and `::after` paint over text, or below it in its own colour.
// Only rules that place such parts are looked at.

/** Elements with such parts that are asked for. */
const MOST_PLATED = 1000;

/** @param {Set<Element>} holders Elements that may have such a part. @param {Element} top @returns {Map<Element, [number, string]>} What they hide, with its mark and means. */
const platedAway = (holders, top) => {
  const looking = freshCovering(top);
  let looked = 0;
  for (const holder of holders) {
    if (++looked > MOST_PLATED) {
      noteExcess();
      break;
    }
    if (!checkVisibility(holder)) continue;
    for (const pseudo of ['::before', '::after']) {
      const style = styleOf(holder, pseudo);
      const box = plateBox(holder, style);
      if (box !== null) layPlate(looking, holder, pseudo, style, box);
    }
  }
  settlePieces(looking);
  return looking.covered;
};

/** Where a part of an element lies; null for what covers nothing for sure. */
const plateBox = (holder, style) => {
  if (style.content === 'none' || style.content === 'normal' || style.visibility !== 'visible' || style.display === 'none' || style.opacity < LEAST_ALPHA) return null;
  const isFree = style.position === 'absolute' || style.position === 'fixed';
  if (!isFree || [style.transform, style.scale, style.translate, style.rotate].some((value) => value !== 'none')) return null;
  const own = styleOf(holder);
  const basis = style.position === 'fixed' ? null : basisOf(holder, own);
  const around = basis === null ? { left: 0, top: 0 } : boundingRect(basis);
  const edges = basis === null ? { borderLeftWidth: '0', borderTopWidth: '0' } : styleOf(basis);
  const [left, top] = [around.left + parseFloat(edges.borderLeftWidth) + parseFloat(style.left), around.top + parseFloat(edges.borderTopWidth) + parseFloat(style.top)];
  const grows = style.boxSizing === 'border-box' ? 0 : 1;
  const more = (sides) => grows * sides.reduce((sum, side) => sum + (parseFloat(style[side]) || 0), 0);
  const width = parseFloat(style.width) + more(['borderLeftWidth', 'borderRightWidth', 'paddingLeft', 'paddingRight']);
  const height = parseFloat(style.height) + more(['borderTopWidth', 'borderBottomWidth', 'paddingTop', 'paddingBottom']);
  const box = boxOf(left, top, left + width, top + height);
  return Object.values(box).some(Number.isNaN) ? null : box;
};

/** What a part that is placed absolutely is placed in; null for the page. */
const basisOf = (holder, own) => (own.position !== 'static' || own.transform !== 'none' ? holder : holder instanceof HTMLElement ? offsetParent(holder) : null);

const layPlate = (looking, holder, pseudo, style, box) => {
  const layer = parseInt(style.zIndex, 10) || 0;
  if (layer < 0 && isSunkBelowGrounds(holder)) return;
  const passage = style.maskImage === 'none' ? 1 : passageInside(style, box);
  if (passage === 0) return;
  const isCut = style.clipPath !== 'none' || passage === null || passage < 0.95;
  const faded = parseFloat(style.opacity) * opacityThrough(holder);
  const lids = lidsOf(holder, style, box, true).map((lid) => ({ ...lid, alpha: lid.alpha * faded, isSure: lid.isSure && !isCut })).filter(({ alpha }) => alpha >= LEAST_ALPHA);
  if (lids.length === 0) return;
  const ground = colourParts(style.backgroundColor);
  const [sides, wide] = [lids.map((lid) => lid.box), { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity }];
  for (const side of sides) Object.assign(wide, { left: Math.min(wide.left, side.left), top: Math.min(wide.top, side.top), right: Math.max(wide.right, side.right), bottom: Math.max(wide.bottom, side.bottom) });
  const passes = animationsOf(holder, { subtree: true }).some(isEndless);
  for (const [text, own] of textsBeside(looking, holder, wide, true)) {
    if (text instanceof SVGElement) continue;
    const isOwn = flatContains(holder, text);
    const under = isOwn ? (text === holder ? -0.5 : layerBelow(text, holder).layer) : NaN;
    const isOver = isOwn ? layer > under || (layer === under && pseudo === '::after') : layer >= 0 && style.position !== 'fixed' && isBesideUnder(holder, text, layer);
    if (isOver) for (const lid of lids) remembered(looking.pieces, text, () => []).push({ ...lid, isSure: lid.isSure && !passes });
    else if (isOwn && isWithin(own, box) && !looking.covered.has(text)) {
      const mark = lostOn(ground, holder, text, looking);
      if (mark !== 0) looking.covered.set(text, [mark, 'colour']);
    }
  }
};

/** Whether a placed part of an element is painted over a text beside that. */
const isBesideUnder = (holder, text, layer) => {
  let meeting = flatParent(holder);
  while (meeting && !flatContains(meeting, text)) meeting = flatParent(meeting);
  if (!meeting) return false;
  const [one, other] = [layerBelow(holder, meeting), layerBelow(text, meeting)];
  const raised = one.layer >= 0 ? one.layer : layer;
  if (raised !== other.layer) return raised > other.layer;
  return (comparePosition(holder, text) & Node.DOCUMENT_POSITION_PRECEDING) !== 0;
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
