// The content of `details`, which a style reaches by `::details-content` alone:
// it is no element, and so nothing else here asks for it.

/** What is styled so, with that style. Set by `unseenIn`. @type {Map<Element, CSSStyleDeclaration>} */
let folds = new Map();

/** Elements with such content that are asked for. */
const MOST_FOLDS = 500;

/** Takes over what a scope has of them, and adds what is in them to those that are measured. @param {Set<Element>} found Elements that may have such content. */
const readFolds = (found, suspects) => {
  for (const details of found) {
    if (localName(details) !== 'details') continue;
    if (folds.size >= MOST_FOLDS) return noteExcess();
    folds.set(details, styleOf(details, '::details-content'));
    for (const part of partsOfFold(details)) suspects.add(part);
  }
};

/** Whether text of an element is folded away by itself, in no element that could be asked. */
const keepsFolded = (element) => localName(element) === 'details' && isFoldedBy(styleOf(element, '::details-content'));

/** What has no box of its own folds nothing away. */
const isFoldedBy = (style) => style.contentVisibility === 'hidden' && style.display !== 'contents' && style.display !== 'inline';

/** What a `details` element folds away: all but its first summary. @returns {Element[]} */
const partsOfFold = (details) => {
  const parts = flatElements(details);
  const summary = parts.findIndex((part) => localName(part) === 'summary');
  return parts.filter((part, index) => index !== summary);
};

/** Marks what the style of the content keeps from being seen. */
const markFolds = (unseen) => {
  for (const [details, style] of folds) {
    if (!checkVisibility(details)) continue;
    const parts = partsOfFold(details);
    const [mark, means] = verdictOfFold(details, style, parts);
    if (means === '') continue;
    for (const part of parts) if (!isUnseen(unseen, part)) concealOrAwait(unseen, part, mark, means);
    // What stands in it without an element of its own.
    if (saysWords(details, MUTED) && !isUnseen(unseen, details)) concealOrAwait(unseen, details, mark === GONE ? MUTED : mark, means);
  }
};

/** @returns {[number, string]} */
const verdictOfFold = (details, style, parts) => {
  if (style.opacity * opacityThrough(details) < 0.1) return [GONE, 'opacity'];
  if (style.display === 'none' || isFoldedBy(style)) return [GONE, 'clip'];
  const cuts = style.overflowX !== 'visible' || style.overflowY !== 'visible';
  if (cuts && [style.width, style.height].some((side) => parseFloat(side) < LEAST_STRIP)) return [GONE, 'size'];
  if (parts.length > 0 && parts.every((part) => isOutside(contentBox(part)))) return [GONE, 'off-screen'];
  const isCut = cuts && parts.some((part) => boundingRect(part).height > 0 && !isFitting(contentBox(part), style));
  const isOdd = isCut || isRaised(style) || style.position === 'absolute' || style.position === 'fixed' || (style.webkitMaskBoxImageSource || 'none') !== 'none';
  return isOdd ? [AWAITED, 'clip'] : [0, ''];
};

const isFitting = (box, style) => box.height <= parseFloat(style.height) + LEAST_STRIP && box.width <= parseFloat(style.width) + LEAST_STRIP;

/** The ground that such a style makes behind what comes from `from`: undefined for none, null for one that cannot be told. @returns {?number[]|undefined} */
const groundOfFold = (details, from) => {
  const style = from !== null && localName(from) !== 'summary' ? folds.get(details) : undefined;
  return style === undefined ? undefined : groundOf(style);
};

/** Whether a closed `details` element shows what it holds all the same. */
const isShownFold = (details) => partsOfFold(details).some((part) => checkVisibility(part));
