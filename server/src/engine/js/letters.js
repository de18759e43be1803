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
const isTooSmall = (element, style) => parseFloat(style.fontSize) * cssZoom(element) * scaleThrough(element) < LEAST_LETTERS;

/** @returns {string} What keeps its own text from being seen. */
const mutedBy = (element, style) => {
  // A drawing has units of its own.
  if (element instanceof SVGElement) return '';
  const size = parseFloat(style.fontSize);
  if (size * cssZoom(element) < LEAST_LETTERS && isTooSmall(element, style)) return 'font';
  if (style.fontSizeAdjust !== 'none' && /^(?:[a-z-]+ )?0(?:\.0\d*)?$/.test(style.fontSizeAdjust)) return 'font';
  const spacing = style.letterSpacing;
  if (spacing !== 'normal') {
    const share = parseFloat(spacing) / size;
    if (share <= LEAST_SPACING || share > MOST_SPACING) return 'spacing';
  }
  if (style.webkitTextSecurity !== 'none') return 'font';
  const indent = style.textIndent;
  return indent !== '0px' && parseFloat(indent) < -500 ? 'off-screen' : '';
};
