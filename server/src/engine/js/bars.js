// What is painted over letters by their own style: a thick line through them,
// and a stroke that leaves nothing of their filling.

/** A line that is thicker, in parts of the size of letters, covers them. */
const LEAST_BAR = 0.6;

/** A stroke this wide, in parts of the size of letters, is as wide as most of their stems. */
const LEAST_STROKE = 0.08;

/** Texts of one element with such a style that are asked for. */
const MOST_BARRED = 300;

/** Texts in an element that its line covers. @returns {Element[]} */
const barredWithin = (element, style) => {
  const line = style.textDecorationLine;
  const thickness = style.textDecorationThickness;
  if (line === 'none' || !/^[\d.]/.test(thickness)) return [];
  const colour = colourParts(style.textDecorationColor);
  if (colour === null || colour[3] < 0.5) return [];
  const high = (size) => (thickness.endsWith('%') ? (parseFloat(thickness) / 100) * size : parseFloat(thickness));
  return firstTexts(element, MOST_BARRED).filter((text) => {
    const own = styleOf(text);
    const size = parseFloat(own.fontSize);
    if (high(size) < LEAST_BAR * size || !isInLineOf(text, element)) return false;
    if (line.includes('line-through')) return true;
    // Other lines lie behind the letters.
    const ink = colourParts(own.webkitTextFillColor);
    const reaches = line.includes('overline') || parseFloat(own.textUnderlineOffset) < -0.2 * size;
    return reaches && ink !== null && isSameColour(ink, colour);
  });
};

/** Whether lines of `element` are drawn on to a text in it. */
const isInLineOf = (text, element) => {
  for (let node = text; node && node !== element; node = flatParent(node)) {
    const style = styleOf(node);
    if (style.float !== 'none' || style.position === 'absolute' || style.position === 'fixed' || /^inline-/.test(style.display)) return false;
  }
  return true;
};

/** Texts in an element whose stroke covers their filling and looks like their ground. @returns {Element[]} */
const strokedAway = (element) => {
  const behinds = new Map();
  return firstTexts(element, MOST_BARRED).filter((text) => {
    const style = styleOf(text);
    const width = parseFloat(style.webkitTextStrokeWidth);
    if (!(width >= LEAST_STROKE * parseFloat(style.fontSize)) || /^stroke/.test(style.paintOrder)) return false;
    const stroke = colourParts(style.webkitTextStrokeColor);
    const behind = colourBehind(text, behinds);
    return stroke !== null && behind !== null && stroke[3] > 0.9 && isSameColour(stroke, behind) && style.textShadow === 'none';
  });
};
