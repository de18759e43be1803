// Whether an element says anything, and the count of what is hidden of it.

const WORDS = /[\p{L}\p{N}]/u;

/** The slots of an element that stands in a shadow tree, and it itself if it is one. */
const slotsWithin = (element) => (rootNode(element) instanceof ShadowRoot ? [...(element instanceof HTMLSlotElement ? [element] : []), ...list(selectAll(element, 'slot'))] : []);

/** The text of an element, but for what `visibility` keeps from being painted. */
const renderedWords = (element) => {
  if (styleOf(element).visibility === 'visible') return textContent(element);
  let text = '';
  const walker = walkerOver(element, NodeFilter.SHOW_TEXT);
  for (let node = nextNode(walker); node; node = nextNode(walker)) if (WORDS.test(textData(node)) && styleOf(parentNode(node)).visibility === 'visible') text += textData(node);
  return text;
};

/** Whether there are words in what is not seen of an element. */
const saysWords = (element, mark) => {
  if (mark === GONE) return FRAME_TAGS.has(localName(element)) || WORDS.test(renderedWords(element)) || slotsWithin(element).some((slot) => assignedNodes(slot).some((node) => WORDS.test(textContent(node))));
  const says = (child) => nodeType(child) === TEXT && WORDS.test(textData(child));
  if (element instanceof HTMLSlotElement && assignedNodes(element).some(says)) return true;
  for (let child = firstChild(element); child; child = nextSibling(child)) if (says(child)) return true;
  return false;
};

/** Whether what is not seen of an element says more than a label does. A frame may say anything. */
const isLongerThanLabel = (element, mark) => {
  if (mark === GONE) return FRAME_TAGS.has(localName(element)) || isLongText(renderedWords(element)) || slotsWithin(element).flatMap((slot) => assignedNodes(slot)).some((node) => isLongText(textContent(node)));
  let own = '';
  for (let child = firstChild(element); child; child = nextSibling(child)) if (nodeType(child) === TEXT) own += textData(child);
  return isLongText(own) || (element instanceof HTMLSlotElement && assignedNodes(element).some((node) => isLongText(textContent(node))));
};

const isLongText = (text) => text.length > LONGEST_LABEL && tidy(text).length > LONGEST_LABEL;

const countMeans = (unseen, means) => {
  unseen.counts[means] = (unseen.counts[means] || 0) + 1;
};

const countPart = (unseen, element, means) => {
  countMeans(unseen, means);
  remembered(unseen.means, element, () => []).push(means);
};

/** What a person sees after all is not counted. */
const uncountPart = (unseen, element) => {
  for (const means of unseen.means.get(element) || []) {
    unseen.counts[means] -= 1;
    if (unseen.counts[means] === 0) delete unseen.counts[means];
  }
  unseen.means.delete(element);
};
