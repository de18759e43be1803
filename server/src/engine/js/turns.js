// What transforms make of letters: how small, how slanted, and whether they
// lie before the eye at all.

/** Whether a style places an element by more than moving it about. */
const isTurned = (element, style) => (style.display !== 'inline' || element instanceof SVGElement) && (style.transform !== 'none' || style.scale !== 'none' || style.rotate !== 'none' || style.translate !== 'none' || style.perspective !== 'none');

/** What a style does to the space of an element, less how it moves it in its plane. */
const placeOf = (style) => {
  let matrix = new DOMMatrix();
  const depth = parseFloat((style.translate || '').split(' ')[2]);
  if (depth) matrix = matrix.translate(0, 0, depth);
  const [across, down = across, deep = 1] = style.scale === 'none' ? [1] : style.scale.split(' ').map(Number);
  return matrix.multiply(rotationOf(style)).scale(across, down, deep).multiply(new DOMMatrix(style.transform === 'none' ? '' : style.transform));
};

/**
 * How small the transforms of an element and of all that holds it make its
 * letters, at their narrower side; 0 for what lies on edge or behind the eye.
 */
const scaleThrough = (element) => {
  let matrix = new DOMMatrix();
  for (let node = element; node && nodeType(node) === ELEMENT; node = flatParent(node)) {
    const style = styleOf(node);
    const around = flatParent(node);
    const outer = around && nodeType(around) === ELEMENT ? styleOf(around) : null;
    if (isTurned(node, style)) matrix = placeOf(style).multiply(matrix);
    if (outer !== null && outer.perspective !== 'none') matrix = new DOMMatrix([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -1 / Math.max(1, parseFloat(outer.perspective)), 0, 0, 0, 1]).multiply(matrix);
    if (matrix.m44 <= 0) return 0;
    if (outer === null || outer.transformStyle !== 'preserve-3d') matrix = flatOf(matrix);
  }
  return leastScale(matrix);
};

/** As it lies in the plane of what holds it. */
const flatOf = (matrix) => (matrix.is2D ? matrix : new DOMMatrix([matrix.m11, matrix.m12, matrix.m21, matrix.m22, 0, 0].map((value) => value / matrix.m44)));

/** The smaller of the two stretches of a matrix: its smaller singular value. */
const leastScale = ({ m11, m12, m21, m22 }) => {
  const area = Math.abs(m11 * m22 - m12 * m21);
  const squares = m11 * m11 + m12 * m12 + m21 * m21 + m22 * m22;
  const most = Math.sqrt((squares + Math.sqrt(Math.max(0, squares * squares - 4 * area * area))) / 2);
  return most === 0 ? 0 : area / most;
};

/** Whether a style by itself makes little of an element, or takes it out of its plane. */
const mayVanish = (style) => style.transform.startsWith('matrix3d') || style.translate.split(' ').length > 2 || leastScale(flatOf(placeOf(style))) < 0.3;

/** Texts in one element that is made smaller which are asked for. */
const MOST_SHRUNK = 200;

/** What a transform or a zoom makes too small to be read. @returns {Element[]} */
const shrunkWithin = (element, style) => {
  const own = isTurned(element, style) ? leastScale(flatOf(placeOf(style))) : 1;
  if (own > 0.8 && Number(style.zoom || 1) > 0.8) return [];
  return firstTexts(element, MOST_SHRUNK).filter((text) => !(text instanceof SVGElement) && isTooSmall(text, styleOf(text)));
};
