// What an element paints over what is behind it, as boxes: its ground, gradients,
// pictures, borders, outline and shadows.

/** @typedef {{box: Box, alpha: number, isSure: boolean, isOver?: boolean}} Lid `isOver`: over its own text, too. */

/** A smaller part hides no letter, in square pixels. */
const LEAST_LID = 60;

/** What lets more through hides nothing by itself. */
const LEAST_ALPHA = 0.5;

/** A thinner border or outline is none to hide by, in pixels. */
const THICK = 6;

/** Whether anything has a border, outline or shadow that is wide enough to hide text; set by `unseenIn`. */
let usesThick = true;

const PICTURE_TAGS = new Set(PICTURES.split(','));

/** @param {Element} element @param {CSSStyleDeclaration} style Its own, or that of a part of it in `box`. @returns {Lid[]} */
const lidsOf = (element, style, box, isPart = false) => {
  const lids = [];
  const add = (part, alpha, isSure = true, isOver = false) => {
    if (alpha >= LEAST_ALPHA && part.right > part.left && part.bottom > part.top) lids.push({ box: part, alpha, isSure, isOver });
  };
  const colour = style.backgroundColor;
  if (colour !== 'rgba(0, 0, 0, 0)' && !style.backgroundClip.includes('text')) {
    const parts = colourParts(colour);
    if (parts !== null) add(box, parts[3]);
  }
  if (style.backgroundImage !== 'none' && !style.backgroundClip.includes('text')) for (const layer of layersOf(style, 'background')) addImage(add, layer, tileIn(box, layer));
  if (isPart && /url\(|gradient\(|image-set\(/.test(style.content)) add(box, 1, false);
  if (!isPart && PICTURE_TAGS.has(localName(element))) addPicture(add, element, box);
  if (style.backdropFilter !== 'none' && isVeil(style)) add(box, 1);
  if (usesThick) addEdges(add, style, box);
  // A picture in place of what an element holds.
  if (!isPart && lids.length === 0 && style.content.includes('url(')) add(box, 1, false);
  return lids;
};

/** The alpha that all of a picture has, but for a few points of it. @param {number[][]} colours */
const thinnest = (colours) => colours.map((colour) => colour[3]).sort((one, other) => one - other)[Math.floor(colours.length / 20)];

const addImage = (add, { image }, tile) => {
  const gradient = gradientOf(image);
  if (gradient !== null) return add(tile, Math.min(...gradient.stops.map(({ colour }) => colour[3])));
  if (!image.startsWith('url(')) return add(tile, 1, false);
  const look = lookOfImage(image);
  if (look === 'closed') add(tile, 1, false);
  else if (look !== 'missing') add(tile, thinnest(look));
};

const addPicture = (add, element, box) => {
  if (localName(element) === 'svg') return addDrawing(add, element);
  const look = lookOfElement(element);
  // Pictures of other kinds may let through what is behind them.
  if (look === null || look === 'closed') add(box, 1, notingLook(element, isSolidPicture));
  else if (look !== 'missing') add(box, thinnest(look));
};

const addDrawing = (add, drawing) => {
  const shapes = remembered(shapesByDrawing, drawing, shapesOf);
  // Icons have shapes of many kinds, and lie beside their text.
  if (shapes !== null) for (const { box, ground } of shapes) add(box, ground === null ? 1 : ground[3], ground !== null);
};

const isSolidPicture = (element) => element instanceof HTMLImageElement && element.complete && /\.jpe?g(?:[?#]|$)|^data:image\/jpe?g/i.test(element.currentSrc);

/** Whether what lies behind is blurred or washed out. */
const isVeil = (style) => {
  const filter = style.backdropFilter;
  return blurOf(filter) >= STRONG_BLUR || isSameColour(tintOf(filter)(BLACK), tintOf(filter)(WHITE));
};

const alphaOf = (colour) => (colourParts(colour) || [0, 0, 0, 0])[3];

/** The frame between two boxes, as four. @returns {Box[]} */
const frameAround = (outer, inner) => {
  if (inner.right <= inner.left || inner.bottom <= inner.top) return [outer];
  const [top, bottom] = [Math.max(outer.top, inner.top), Math.min(outer.bottom, inner.bottom)];
  return [
    boxOf(outer.left, outer.top, outer.right, Math.min(inner.top, outer.bottom)),
    boxOf(outer.left, Math.max(inner.bottom, outer.top), outer.right, outer.bottom),
    boxOf(outer.left, top, Math.min(inner.left, outer.right), bottom),
    boxOf(Math.max(inner.right, outer.left), top, outer.right, bottom),
  ];
};

const grown = (box, by, right = 0, down = 0) => boxOf(box.left - by + right, box.top - by + down, box.right + by + right, box.bottom + by + down);

const addEdges = (add, style, box) => {
  const widths = [style.borderLeftWidth, style.borderTopWidth, style.borderRightWidth, style.borderBottomWidth].map(parseFloat);
  const [left, top, right, bottom] = widths;
  if (Math.max(...widths) >= THICK) {
    const inner = boxOf(box.left + left, box.top + top, box.right - right, box.bottom - bottom);
    if (style.borderImageSource !== 'none') {
      const colours = (style.borderImageSource.match(ANY_COLOUR) || []).map(alphaOf);
      const alpha = colours.length > 0 ? Math.min(...colours) : 1;
      for (const part of style.borderImageSlice.includes('fill') ? [box] : frameAround(box, inner)) add(part, alpha, colours.length > 0);
    } else {
      add(boxOf(box.left, box.top, inner.left, box.bottom), alphaOf(style.borderLeftColor));
      add(boxOf(inner.right, box.top, box.right, box.bottom), alphaOf(style.borderRightColor));
      add(boxOf(box.left, box.top, box.right, inner.top), alphaOf(style.borderTopColor));
      add(boxOf(box.left, inner.bottom, box.right, box.bottom), alphaOf(style.borderBottomColor));
    }
  }
  if (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= THICK) {
    const inner = grown(box, parseFloat(style.outlineOffset));
    for (const part of frameAround(grown(inner, parseFloat(style.outlineWidth)), inner)) add(part, alphaOf(style.outlineColor), true, true);
  }
  const cast = style.boxShadow;
  if (cast === 'none') return;
  for (const { colour, lengths: [across, down, blur, spread], inset } of shadowsOf(cast)) {
    if (colour === null || colour[3] < LEAST_ALPHA || (Math.max(Math.abs(across), Math.abs(down)) + spread < THICK)) continue;
    const by = spread - blur / 2;
    if (inset) for (const part of frameAround(box, grown(box, -by, across, down))) add(part, colour[3]);
    else for (const part of frameAround(grown(box, by, across, down), box)) add(part, colour[3]);
  }
};

/** The share of a box that others cover, from 0 to 1. @param {Box[]} boxes */
const shareUnder = (box, boxes) => {
  const parts = boxes.map((one) => common(one, box)).filter((part) => part.right > part.left && part.bottom > part.top);
  const lines = (sides) => [...new Set(parts.flatMap(sides))].sort((one, other) => one - other);
  const [across, down] = [lines((part) => [part.left, part.right]), lines((part) => [part.top, part.bottom])];
  let covered = 0;
  for (let column = 0; column + 1 < across.length; column++) {
    for (let row = 0; row + 1 < down.length; row++) {
      const [x, y] = [(across[column] + across[column + 1]) / 2, (down[row] + down[row + 1]) / 2];
      if (parts.some((part) => holdsPoint(part, x, y))) covered += (across[column + 1] - across[column]) * (down[row + 1] - down[row]);
    }
  }
  return covered / Math.max(1, (box.right - box.left) * (box.bottom - box.top));
};
