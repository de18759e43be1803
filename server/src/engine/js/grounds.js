// What may lie behind a text where that is no plain colour: gradients, as they
// are at its place, and pictures, as far as one may look at them.

/**
 * @typedef {{at: number[][][], isSure: boolean, isRough: boolean, isBlended?: boolean}} Grounds
 *   `at`: for each point of a text the colours that may lie there; not `isSure` with a picture that nobody could look at;
 *   `isRough` where it is not known which of the colours lies where; `isBlended` where any colour may.
 */

/** Points of a text that are asked for. @returns {[number, number][]} */
const samplePoints = (box) => [
  [0.5, 0.5],
  [0.1, 0.25],
  [0.9, 0.25],
  [0.1, 0.75],
  [0.9, 0.75],
].map(([across, down]) => [box.x + box.width * across, box.y + box.height * down]);

/** @param {number[]} ground @returns {Grounds} */
const plainGrounds = (ground, points) => ({ at: points.map(() => [ground]), isSure: true, isRough: false });

const withVeil = (grounds, veil) => ({ ...grounds, at: grounds.at.map((colours) => colours.map((colour) => blend(veil, colour))) });

/** Colours of one point that are followed. */
const MOST_BLENDS = 64;

/** Whether a layer may leave a part of its box free. */
const isPartial = ({ size, repeat }) => IS_NO_SIZE.test(size) || (repeat.includes('no-repeat') && !/^(?:auto|cover|100%(?: 100%)?)$/.test(size));

/** Grounds with a layer of pictures over them. @param {?DOMRect} box Of the element that has the layer; null where that is not known. @returns {Grounds} */
const withLayer = (grounds, layer, box, points) => {
  if (isClearGradient(layer.image)) return grounds;
  const tile = box === null ? null : tileIn(box, layer);
  const isAt = (index) => tile === null || holdsPoint(tile, ...points[index]);
  const over = (colours, paints) => paints.flatMap((paint) => (paint[3] > 0.95 ? [paint] : colours.map((colour) => blend(paint, colour)))).slice(0, MOST_BLENDS);
  const gradient = gradientOf(layer.image);
  if (gradient !== null) {
    let isRough = grounds.isRough;
    const all = gradient.stops.map(({ colour }) => colour);
    const at = grounds.at.map((colours, index) => {
      if (!isAt(index)) return colours;
      // How large the tiles of one that is repeated are is not followed.
      const exact = tile !== null && /^(?:auto|cover|100%(?: 100%)?)$/.test(layer.size) ? colourAt(gradient, tile, ...points[index]) : null;
      isRough = isRough || (exact === null && all.length > 1);
      const painted = over(colours, exact === null ? all : [exact]);
      return tile === null && isPartial(layer) ? [...painted, ...colours] : painted;
    });
    return { ...grounds, at, isRough };
  }
  const look = lookOfImage(layer.image);
  if (look === 'closed' || look === 'missing') return { ...grounds, isSure: false };
  return { ...grounds, at: grounds.at.map((colours, index) => (isAt(index) ? over(colours.slice(0, 1), look) : colours)) };
};

/** What a style makes of the grounds below it. @returns {Grounds} */
const withStyle = (grounds, style, box, points, isInLetters = false) => {
  if (style.backgroundClip.includes('text') !== isInLetters) return grounds;
  const veil = colourParts(style.backgroundColor);
  let over = veil !== null && veil[3] >= 0.05 ? withVeil(grounds, veil) : grounds;
  if (style.backgroundImage === 'none') return over;
  // Any colour may come of it, that of the text too.
  if (isBlendedGround(style)) return { ...over, isSure: false, isBlended: true };
  const place = style.backgroundAttachment.includes('fixed') ? null : box;
  for (const layer of layersOf(style, 'background').reverse()) over = withLayer(over, layer, place, points);
  return over;
};

/** What may lie behind an element, by its ancestors. @returns {?Grounds} Null where even that cannot be told. */
const groundsBehind = (element, points) => {
  const holders = [];
  let base = null;
  for (let node = element; node && nodeType(node) === ELEMENT && base === null; node = flatParent(node)) {
    const style = styleOf(node);
    // Letters that let a ground through have no colour of their own.
    if (style.backgroundClip.includes('text')) return null;
    const inset = oddGrounds.has(node) ? insetOf(node, style) : undefined;
    if (inset !== undefined) {
      base = inset;
      break;
    }
    const colour = colourParts(style.backgroundColor);
    if (colour === null) return null;
    if (colour[3] > 0.95) base = colour;
    if (base !== null || colour[3] >= 0.05 || style.backgroundImage !== 'none') holders.push([style, node]);
  }
  base = base || colourBelow(window);
  if (base === null) return null;
  let grounds = plainGrounds(base, points);
  for (const [style, node] of holders.reverse()) grounds = withStyle(grounds, style, points === ANYWHERE ? null : boundingRect(node), points);
  return grounds;
};

/** What becomes of letters of a colour on these grounds: 0 where they stand out. */
const markOn = ({ at, isSure, isRough, isBlended }, ink) => {
  if (isBlended) return AWAITED;
  const shares = at.map((colours) => colours.filter((colour) => isSameColour(ink, colour)).length / colours.length);
  if (shares.every((share) => share > 0.98)) return isSure ? MUTED : AWAITED;
  const share = shares.reduce((sum, one) => sum + one, 0) / shares.length;
  return share >= 0.5 || (isRough && share > 0) ? AWAITED : 0;
};

/** Whether what a style paints lets letters of a colour stand out, which have that of what is behind. */
const showsByStyle = (style, box, ink, behind, points) => {
  const grounds = withStyle(plainGrounds(behind, points), style, box, points);
  const mark = markOn(grounds, ink);
  if (!grounds.isSure) return mark === 0 || style.backgroundImage.includes('url(') === false ? SHOWS : SHOWS_MAYBE;
  return mark === MUTED ? SHOWS_NOTHING : mark === AWAITED && !grounds.isRough ? SHOWS_MAYBE : SHOWS;
};

/** Texts on gradients and pictures, as far as these are known by their holder and colour. */
const freshDoubts = () => ({ painters: new Map(), verdicts: new Map() });

/** The nearest ancestor that paints anything. */
const painterAround = (element, known) => {
  const asked = [];
  let painter = null;
  for (let node = element; node && nodeType(node) === ELEMENT; node = flatParent(node)) {
    if (known.has(node)) {
      painter = known.get(node);
      break;
    }
    asked.push(node);
    const style = styleOf(node);
    if (style.backgroundImage === 'none' && style.backgroundColor === 'rgba(0, 0, 0, 0)') continue;
    painter = node;
    break;
  }
  for (const node of asked) known.set(node, painter);
  return painter;
};

/** Points that stand for any: without a box nothing is known of the place. */
const ANYWHERE = [[0, 0]];

/** The same for letters that show the ground of an element, and are see-through by themselves. */
const lostInLetters = (text, painter, ink) => {
  const around = flatParent(painter);
  const below = ink[3] < 0.1 && around && nodeType(around) === ELEMENT ? colourBehind(around, new Map()) : null;
  if (below === null) return null;
  const shown = withStyle(plainGrounds(below, samplePoints(contentBox(text))), styleOf(painter), boundingRect(painter), samplePoints(contentBox(text)), true);
  const mark = shown.isRough ? 0 : markOn(shown, below);
  return mark === 0 ? null : { mark, ground: below };
};

/** @returns {?{mark: number, ground: number[]}} What becomes of a text whose ground is no plain colour; null when it stands out. */
const lostOnGrounds = (text, ink, doubts) => {
  // What is see-through is so before anything.
  const painter = painterAround(text, doubts.painters);
  if (painter === null) return null;
  if (styleOf(painter).backgroundClip.includes('text')) return lostInLetters(text, painter, ink);
  const key = ink.join();
  const verdicts = remembered(doubts.verdicts, painter, () => new Map());
  // Where no colour of the ground is near, its place need not be known.
  const rough = remembered(verdicts, key, () => {
    const grounds = groundsBehind(painter, ANYWHERE);
    return grounds !== null && (!grounds.isSure || markOn({ ...grounds, isRough: true }, ink) !== 0);
  });
  if (!rough) return null;
  const grounds = groundsBehind(text, samplePoints(contentBox(text)));
  const mark = grounds === null ? 0 : markOn(grounds, ink);
  if (mark === 0) return null;
  return { mark, ground: grounds.at[0].find((colour) => isSameColour(ink, colour)) || grounds.at[0][0] };
};
