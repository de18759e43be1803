// What a style does to the letters of an element: too small, or one on the
// other. It is inherited, so what an element holds has it as
// well unless it has one of its own.

/** Letters lower than this nobody reads, in pixels as they are painted. */
const LEAST_LETTERS = 3;

/** Letters nearer to each other than this, in parts of their size, lie one on the other. Half their size is as wide as most are. */
const LEAST_SPACING = -0.3;

/** Letters farther from each other are no words. */
const MOST_SPACING = 5;

const cssZoom = Object.hasOwn(Element.prototype, 'currentCSSZoom') ? getter(Element.prototype, 'currentCSSZoom') : () => 1;

/** Whether letters are too small to be read, after all that zooms and transforms them: what is written small may be drawn large. */
const isTooSmall = (element, style) => {
  const size = parseFloat(style.fontSize) * cssZoom(element);
  return size < 0.01 || size * scaleThrough(element) < LEAST_LETTERS;
};

/** @returns {string} What keeps its own text from being seen. */
const mutedBy = (element, style) => {
  const size = parseFloat(style.fontSize);
  // A drawing has units of its own.
  const isDrawn = element instanceof SVGElement;
  if (!isDrawn && size * cssZoom(element) < LEAST_LETTERS && isTooSmall(element, style)) return 'font';
  if (style.fontSizeAdjust !== 'none' && /^(?:[a-z-]+ )?0(?:\.0\d*)?$/.test(style.fontSizeAdjust)) return 'font';
  if (isSpacedOut(style, size)) return 'spacing';
  if (style.webkitTextSecurity !== 'none') return 'font';
  const indent = style.textIndent;
  return indent !== '0px' && !isDrawn && (parseFloat(indent) < -500 || (parseFloat(indent) < -20 && isOwnTextOutside(element))) ? 'off-screen' : '';
};

const isSpacedOut = (style, size) => {
  const [letters, words] = [style.letterSpacing, style.wordSpacing];
  if (letters !== 'normal') {
    const share = parseFloat(letters) / size;
    if (share <= LEAST_SPACING || share > MOST_SPACING) return true;
  }
  return words !== '0px' && Math.abs(parseFloat(words) / size) > MOST_SPACING;
};

/** Whether all of its own words lie where no scrolling leads. */
const isOwnTextOutside = (element) => {
  let said = 0;
  for (let child = firstChild(element); child; child = nextSibling(child)) {
    if (nodeType(child) !== TEXT || !WORDS.test(textData(child))) continue;
    said += 1;
    if (said > MOST_TEXTS || !isOutside(textBox(child))) return false;
  }
  return said > 0;
};
