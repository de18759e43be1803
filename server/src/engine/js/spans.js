// Styles of parts of a text that are no elements: its first line, what scripts
// highlight, what is selected.

/** Elements, and nodes of text, that are asked for such styles. */
const MOST_SPANS = 300;

/** Whether letters of a style are seen before this ground. */
const isLegibleOn = (style, size, behind) => {
  const ink = colourParts(style.webkitTextFillColor);
  return size >= LEAST_LETTERS && (ink === null || behind === null || !isSameColour(ink, behind));
};

/** Marks by first lines: one that shows of an element that does not, and one that does not of one that does. @param {Set<Element>} elements Those with a style for it. */
const markFirstLines = (unseen, elements) => {
  const behinds = new Map();
  let asked = 0;
  for (const element of elements) {
    if (asked++ > MOST_SPANS) return noteExcess();
    if (!checkVisibility(element) || !WORDS.test(textContent(element))) continue;
    const line = styleOf(element, '::first-line');
    const isLegible = isLegibleOn(line, parseFloat(line.fontSize), colourBehind(element, behinds));
    const isMutedNow = unseen.marks.get(element) === MUTED;
    if (isLegible && isMutedNow) showAgain(unseen, element, 'colour');
    else if (!isLegible && !isMutedNow && !isUnseen(unseen, element)) concealOrAwait(unseen, element, AWAITED, 'colour');
  }
};

/** Of the ranges that a style is for, the texts that it hides; by their parents, each with whether all of its words are in the range. @returns {Map<Element, boolean>} */
const hiddenInRanges = (ranges, pseudo) => {
  const found = new Map();
  const behinds = new Map();
  let asked = 0;
  for (const range of ranges.map(liveRange)) {
    if (range === null) continue;
    const holder = range.commonAncestorContainer;
    const walker = walkerOver(nodeType(holder) === TEXT ? parentNode(holder) : holder, NodeFilter.SHOW_TEXT);
    for (let node = nextNode(walker); node; node = nextNode(walker)) {
      const parent = parentNode(node);
      if (!WORDS.test(textData(node)) || nodeType(parent) !== ELEMENT || !range.intersectsNode(node)) continue;
      if (asked++ > MOST_SPANS) {
        noteExcess();
        return found;
      }
      const style = styleOf(parent, pseudo);
      const own = colourParts(style.backgroundColor);
      const behind = own !== null && own[3] > 0.9 ? own : colourBehind(parent, behinds);
      const ink = colourParts(style.color);
      if (ink === null || behind === null || !isSameColour(ink, behind)) continue;
      const isWhole = range.comparePoint(node, 0) === 0 && range.comparePoint(node, textData(node).length) === 0;
      found.set(parent, isWhole && found.get(parent) !== false);
    }
  }
  return found;
};

/** A range that follows the document, for one that may not: null where nothing of the document is in it. @param {AbstractRange} range @returns {?Range} */
const liveRange = (range) => {
  if (!isConnected(range.startContainer) || !isConnected(range.endContainer)) return null;
  const live = documentRange(document);
  try {
    live.setStart(range.startContainer, range.startOffset);
    live.setEnd(range.endContainer, range.endOffset);
  } catch {
    // What it was made for has become shorter.
    return null;
  }
  return live;
};

/** Marks what a highlight or a selection makes invisible; a part of a text is told of. */
const markRanges = (unseen) => {
  const marks = [];
  if (CSS.highlights && CSS.highlights.size > 0) {
    for (const [name, highlight] of CSS.highlights) marks.push(hiddenInRanges([...highlight], `::highlight(${CSS.escape(name)})`));
  }
  const selection = getSelection();
  if (selection !== null && !selection.isCollapsed) marks.push(hiddenInRanges([selection.getRangeAt(0)], '::selection'));
  for (const found of marks) {
    for (const [element, isWhole] of found) if (!isUnseen(unseen, element)) concealOrAwait(unseen, element, isWhole ? MUTED : AWAITED, 'colour');
  }
};
