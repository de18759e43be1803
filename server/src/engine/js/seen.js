// What a person cannot see although it is rendered: faded, clipped away, moved
// off the page. Costs a style and a box for each element, so it is asked only
// of what is to be read closely.

/** @param {Element} element @param {CSSStyleDeclaration} style Its computed style. */
const isSeen = (element, style) => {
  if (style.display === 'none') return false;
  if (style.display === 'contents') return true;
  if (!checkVisibility(element)) return false;
  if (parseFloat(style.opacity) < 0.1) return false;
  // What it holds may have a size and a place of its own.
  if (firstElementChild(element) === null && (parseFloat(style.fontSize) < 1 || parseFloat(style.textIndent) < -900)) return false;
  const apart = style.position === 'absolute' || style.position === 'fixed';
  return !(apart && isClippedAway(element, style)) && !(apart && isOffPage(element));
};

/** The ways in which text is kept for screen readers alone. */
const isClippedAway = (element, style) => {
  if (/^rect\((?:0(?:px)?|1px)(?:,? (?:0(?:px)?|1px)){3}\)$/.test(style.clip)) return true;
  if (/^inset\((?:50|100)%/.test(style.clipPath)) return true;
  const box = boundingRect(element);
  return style.overflow !== 'visible' && box.width <= 1 && box.height <= 1;
};

const isOffPage = (element) => {
  const box = boundingRect(element);
  return box.right + scrollX < -500 || box.bottom + scrollY < -500;
};
