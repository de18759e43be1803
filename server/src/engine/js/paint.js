// What is rendered and painted by nothing: under a mask that lets nothing
// through, on the back of what is turned round, in drawings.

/** Whether a mask lets nothing through. @param {CSSStyleDeclaration} style */
const isMasked = (style) => {
  const image = style.maskImage;
  if (!image || image === 'none') return false;
  const isLight = (style.maskMode || '').includes('luminance');
  const sizes = (style.maskSize || '').split(',').map((size) => size.trim());
  if (sizes.every((size) => /^0(?:px|%)?(?: 0(?:px|%)?)?$/.test(size))) return true;
  if (/gradient\(/.test(image) && !/url\(|image-set\(|element\(/.test(image)) {
    const colours = image.match(/(?:rgba?|color|hsla?|lab|lch|oklab|oklch)\([^)]*\)/g) || [];
    return colours.length > 0 && colours.every((colour) => isThrough(colourParts(colour), isLight));
  }
  const [, id] = /^url\("[^"#]*#([^"]+)"\)$/.exec(image) || [];
  const mask = id ? documentById(document, id) : null;
  return mask !== null && localName(mask) === 'mask' && firstElementChild(mask) === null;
};

const isThrough = (parts, isLight) => parts !== null && parts[3] * (isLight ? luminance(parts) : 1) < 0.1;

/** Whether the back of an element is turned to the reader. */
const isTurnedAway = (element, style) => style.backfaceVisibility === 'hidden' && facesAway(element, style);

const facesAway = (element, style) => {
  let matrix = turnOf(style);
  for (let node = flatParent(element); node && nodeType(node) === ELEMENT; node = flatParent(node)) {
    const around = styleOf(node);
    if (around.transformStyle !== 'preserve-3d') break;
    matrix = turnOf(around).multiply(matrix);
  }
  return matrix.m33 < -0.01;
};

/** How a style turns an element, wherever it puts it. */
const turnOf = (style) => rotationOf(style).multiply(new DOMMatrix(style.transform === 'none' ? '' : style.transform));

const rotationOf = (style) => {
  const [, axis, angle] = /^(?:([xyz]|[-\d. e]+) )?([-\d.e]+)deg$/.exec(style.rotate || '') || [];
  if (angle === undefined) return new DOMMatrix();
  const [x, y, z] = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] }[axis || 'z'] || axis.split(' ').map(Number);
  return new DOMMatrix().rotateAxisAngle(x, y, z, Number(angle));
};

/** What an element that is turned round holds of which only the back would show. @returns {Element[]} */
const turnedWithin = (element, style) => {
  if (style.transformStyle !== 'preserve-3d' || (style.transform === 'none' && style.rotate === 'none')) return [];
  const inner = selectAll(element, '*');
  if (inner.length > MOST_TURNED) noteExcess();
  return list(inner).slice(0, MOST_TURNED).filter((part) => isTurnedAway(part, styleOf(part)));
};

/** Elements of what is turned that are asked for. */
const MOST_TURNED = 300;

/** Texts of drawings that are looked at. */
const MOST_DRAWN = 1000;

/** Attributes by which a drawing hides. */
const DRAWN_AWAY = ['opacity', 'clip-path', 'mask', 'filter', 'transform', 'fill-opacity'].map((name) => `svg [${name}]`).join(',');

/** The texts of drawings. @param {Element|ShadowRoot} scope @returns {Element[]} */
const drawnTexts = (scope) => {
  const isElement = nodeType(scope) === ELEMENT;
  if (isElement && documentByTag(document, 'text').length === 0) return [];
  const texts = list((isElement ? selectAll : shadowSelectAll)(scope, 'svg text'));
  if (texts.length > MOST_DRAWN) noteExcess();
  return texts.slice(0, MOST_DRAWN);
};

/** Adds what attributes of a drawing may hide: they are no styles to the sheets. */
const addDrawn = (suspects, scope, texts) => {
  if (texts.length === 0 || (nodeType(scope) === ELEMENT ? selectFirst(scope, DRAWN_AWAY) === null : false)) return;
  for (const text of texts) {
    for (let node = text; node instanceof SVGElement; node = flatParent(node)) suspects.add(node);
    for (const part of list(selectAll(text, '*'))) suspects.add(part);
  }
};

/** Texts without a height, and past the edge of their drawing. @returns {Map<Element, string>} */
const drawnAway = (texts) => {
  const found = new Map();
  for (const text of texts) {
    if (!checkVisibility(text)) continue;
    const box = boundingRect(text);
    const drawing = outerDrawing(text);
    if (drawing === null) continue;
    // Letters are higher than they are wide, and their box is higher than they are.
    if (box.height < LEAST_LETTERS || isSqueezed(text) || box.width < Math.min(2, 0.2 * tidy(textContent(text)).length)) {
      if (WORDS.test(textContent(text))) found.set(text, 'size');
    } else if (styleOf(drawing).overflow !== 'visible' && isPast(box, boundingRect(drawing))) found.set(text, 'edge');
    else if (isDrawnOver(text, drawing, box)) found.set(text, 'cover');
  }
  return found;
};

/** Whether a later shape of the drawing lies over a text. */
const isDrawnOver = (text, drawing, box) => {
  const shapes = remembered(shapesByDrawing, drawing, shapesOf);
  return shapes !== null && shapes.some((shape) => shape.ground && isWithin(box, shape.box) && (comparePosition(shape.element, text) & Node.DOCUMENT_POSITION_PRECEDING) !== 0 && checkVisibility(shape.element, PAINTED));
};

/** Whether letters are drawn one on the other, by a length that is given for all of them. */
const isSqueezed = (text) => hasAttribute(text, 'textLength') && parseFloat(attribute(text, 'textLength')) < 0.2 * parseFloat(styleOf(text).fontSize) * tidy(textContent(text)).length;

const outerDrawing = (element) => {
  let drawing = null;
  for (let node = element; node && nodeType(node) === ELEMENT; node = flatParent(node)) {
    if (localName(node) === 'svg') drawing = node;
    else if (node instanceof HTMLElement && drawing !== null) break;
  }
  return drawing;
};

/** What a text of a drawing is painted with; null when that cannot be told. @returns {?number[]} */
const drawnColour = (style) => {
  if (style.stroke !== 'none' && parseFloat(style.strokeWidth) > 0 && parseFloat(style.strokeOpacity) > 0.1) return null;
  if (style.fill === 'none') return [0, 0, 0, 0];
  const parts = colourParts(style.fill);
  return parts === null ? null : [parts[0], parts[1], parts[2], parts[3] * parseFloat(style.fillOpacity)];
};

const SHAPES = 'rect,circle,ellipse,path,polygon,polyline,line,image,use,foreignObject';

/** Shapes that are asked for; in richer drawings no text counts as unseen for its colour. */
const MOST_SHAPES = 500;

/** @returns {?{element: Element, box: DOMRect, ground: ?number[]}[]} What a drawing paints; null for too much of it. */
const shapesOf = (drawing) => {
  const all = selectAll(drawing, SHAPES);
  if (all.length > MOST_SHAPES) {
    noteExcess();
    return null;
  }
  return list(all).flatMap((element) => {
    const style = styleOf(element);
    const fill = style.fill === 'none' ? [0, 0, 0, 0] : colourParts(style.fill);
    const isThin = style.stroke === 'none' || parseFloat(style.strokeWidth) < 4;
    const alpha = fill === null ? 1 : fill[3] * parseFloat(style.fillOpacity) * parseFloat(style.opacity);
    if (alpha < 0.05 && isThin && element instanceof SVGGeometryElement) return [];
    // Of a rectangle alone it is known where it paints.
    const isSure = localName(element) === 'rect' && isThin && alpha > 0.9;
    const box = boundingRect(element);
    return [{ element, box: isThin ? box : widened(box, element, parseFloat(style.strokeWidth) / 2), ground: isSure ? fill : null }];
  });
};

/** A box and the line around it, of which half lies without. @param {DOMRect} box @param {Element} shape @param {number} line In its own units. */
const widened = (box, shape, line) => {
  const matrix = shape.getScreenCTM && shape.getScreenCTM();
  const by = line * (matrix ? Math.max(Math.hypot(matrix.a, matrix.b), Math.hypot(matrix.c, matrix.d)) : 1);
  return new DOMRect(box.x - by, box.y - by, box.width + 2 * by, box.height + 2 * by);
};

/** What the drawing itself paints behind a text of it: null when that cannot be told, undefined for nothing. @returns {?number[]|undefined} */
const groundInDrawing = (text, known) => {
  const drawing = outerDrawing(text);
  const shapes = drawing === null ? null : remembered(known, drawing, shapesOf);
  if (shapes === null) return null;
  const own = boundingRect(text);
  const [x, y] = [own.x + own.width / 2, own.y + own.height / 2];
  let ground = undefined;
  for (const shape of shapes) {
    if (holdsPoint(shape.box, x, y) && (comparePosition(shape.element, text) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0) ground = shape.ground;
  }
  return ground;
};
