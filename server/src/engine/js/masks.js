// What a mask leaves of the texts under it: gradients and drawings are asked
// point by point; of a picture that nobody can look at it is told.

/** How much of a layer a mask lets through at a point, from 0 to 1; null where that is not known. @typedef {?number} Passage */

/** Less lets no letter be read. */
const LEAST_PASSAGE = 0.1;

const passageOf = (colour, isLight) => colour[3] * (isLight ? luminance(colour) : 1);

/** The same for one of several colours. @returns {Passage} */
const passageOfAny = (colours, isLight) => {
  const passages = colours.map((colour) => passageOf(colour, isLight));
  if (passages.every((passage) => passage < LEAST_PASSAGE)) return 0;
  return passages.every((passage) => passage >= LEAST_PASSAGE) ? 1 : null;
};

/** @returns {Passage} */
const passageThrough = (layer, box, isLight, x, y) => {
  const mask = namedBy(layer.image, 'mask');
  if (mask !== null) return passageInDrawing(mask, box, x, y);
  const tile = tileIn(box, layer);
  if (!holdsPoint(tile, x, y)) return 0;
  const gradient = gradientOf(layer.image);
  if (gradient !== null) {
    const exact = /^(?:auto|cover|100%(?: 100%)?)$/.test(layer.size) || layer.repeat === 'no-repeat' ? colourAt(gradient, tile, x, y) : null;
    return passageOfAny(exact === null ? gradient.stops.map(({ colour }) => colour) : [exact], isLight);
  }
  if (layer.image === 'none') return 0;
  const look = lookOfImage(layer.image);
  return look === 'closed' || look === 'missing' ? null : passageOfAny(look, isLight);
};

/** @returns {Passage} */
const passageInDrawing = (mask, box, x, y) => {
  const [across, down] = attribute(mask, 'maskContentUnits') === 'objectBoundingBox' ? [box.width, box.height] : [1, 1];
  const isLight = styleOf(mask).maskType !== 'alpha';
  let passage = 0;
  for (const part of flatElements(mask)) {
    if (!(part instanceof SVGGraphicsElement)) continue;
    const style = styleOf(part);
    const fill = style.fill === 'none' ? [0, 0, 0, 0] : colourParts(style.fill);
    if (!(part instanceof SVGGeometryElement) || fill === null || style.stroke !== 'none') return null;
    if (!part.isPointInFill(placeInShape(part, (x - box.left) / (across || 1), (y - box.top) / (down || 1)))) continue;
    const alpha = fill[3] * parseFloat(style.fillOpacity) * parseFloat(style.opacity);
    passage = passage * (1 - alpha) + alpha * (isLight ? luminance(fill) : 1);
  }
  return passage;
};

/** What layers come to together, the lowest first. */
const COMPOSITES = {
  add: (own, below) => own + below - own * below,
  subtract: (own, below) => own * (1 - below),
  intersect: (own, below) => own * below,
  exclude: (own, below) => own * (1 - below) + below * (1 - own),
  // As they were called before.
  xor: (own, below) => own * (1 - below) + below * (1 - own),
  'source-in': (own, below) => own * below,
  'source-out': (own, below) => own * (1 - below),
};

/** @returns {Passage} */
const passageAt = (layers, box, style, x, y) => {
  const [modes, ways] = [listedParts(style.maskMode || ''), listedParts(style.maskComposite || '')];
  let passage = 0;
  for (let index = layers.length - 1; index >= 0; index--) {
    const isLight = (modes[index % modes.length] || '').includes('luminance');
    const own = passageThrough(layers[index], box, isLight, x, y);
    if (own === null || passage === null) return null;
    const composite = COMPOSITES[(ways[index % ways.length] || 'add').trim()] || COMPOSITES.add;
    passage = index === layers.length - 1 ? own : composite(own, passage);
  }
  return passage;
};

/** What a mask leaves of the middle of a box. @returns {Passage} */
const passageInside = (style, box) => passageAt(layersOf(style, 'mask'), box, style, (box.left + box.right) / 2, (box.top + box.bottom) / 2);

/** Whether anything may have a mask; set by `lookForUnseen`. */
let usesMasks = false;

/** Texts under the mask of an element, with the mark of those that it hides. @returns {[Element, number][]} */
const maskedWithin = (element, style) => {
  if (!usesMasks) return [];
  const frame = style.webkitMaskBoxImageSource || 'none';
  if (style.maskImage === 'none' && frame === 'none') return [];
  const texts = firstTexts(element, MOST_CLIPPED);
  if (texts.length === 0) return [];
  if (frame !== 'none') return texts.map((text) => [text, isClearGradient(frame) ? MUTED : AWAITED]);
  const [layers, box] = [layersOf(style, 'mask'), boundingRect(element)];
  return texts.flatMap((text) => {
    const passages = samplePoints(contentBox(text)).map(([x, y]) => passageAt(layers, box, style, x, y));
    if (passages.every((passage) => passage !== null && passage < LEAST_PASSAGE)) return [[text, MUTED]];
    const seen = passages.filter((passage) => passage !== null && passage >= LEAST_PASSAGE).length;
    return seen * 2 < passages.length ? [[text, AWAITED]] : [];
  });
};
