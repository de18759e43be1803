// Text that is none of the document: what fields hold, in the colour of their
// ground. And text on grounds that a filter makes of what is behind an element.

/** Fields that are asked for. */
const MOST_INKED = 300;

/** Tells of fields whose words nobody sees. */
const markFields = (unseen, scope) => {
  const behinds = new Map();
  let asked = 0;
  for (const field of list(selectAll(scope, 'input,textarea'))) {
    if (!checkVisibility(field) || isUnseen(unseen, field)) continue;
    if (++asked > MOST_INKED) return noteExcess();
    const ink = colourParts(styleOf(field).webkitTextFillColor);
    const behind = ink === null ? null : colourBehind(field, behinds);
    if (behind !== null && isSameColour(ink, behind) && !isSecret(field) && WORDS.test(fieldText(field))) countMeans(unseen, `colour${SHOWN}`);
  }
};

/** What a filter that is put on the ground makes it for the texts before it. @returns {Element[]} Those that are lost so. */
const lostOnFiltered = (element, style) => {
  const tint = tintOf(style.backdropFilter);
  const behinds = new Map();
  const around = flatParent(element);
  const below = around && nodeType(around) === ELEMENT ? colourBehind(around, behinds) : null;
  const own = groundOf(style);
  if (below === null || own === null) return [];
  const ground = own === undefined ? tint(below) : blend(own, tint(below));
  return firstTexts(element, MOST_TINTED).filter((text) => {
    const ink = colourParts(styleOf(text).webkitTextFillColor);
    if (ink === null || !isSameColour(ink, ground)) return false;
    for (let node = text; node && node !== element; node = flatParent(node)) if (groundOf(styleOf(node)) !== undefined) return false;
    return true;
  });
};
