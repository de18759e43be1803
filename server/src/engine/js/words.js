// Whether an element says anything.

const WORDS = /[\p{L}\p{N}]/u;

/** The slots of an element that stands in a shadow tree, and it itself if it is one. */
const slotsWithin = (element) => (rootNode(element) instanceof ShadowRoot ? [...(element instanceof HTMLSlotElement ? [element] : []), ...list(selectAll(element, 'slot'))] : []);

/** Whether there are words in what is not seen of an element. */
const saysWords = (element, mark) => {
  if (mark === GONE) return FRAME_TAGS.has(localName(element)) || WORDS.test(textContent(element)) || slotsWithin(element).some((slot) => assignedNodes(slot).some((node) => WORDS.test(textContent(node))));
  const says = (child) => nodeType(child) === TEXT && WORDS.test(textData(child));
  if (element instanceof HTMLSlotElement && assignedNodes(element).some(says)) return true;
  for (let child = firstChild(element); child; child = nextSibling(child)) if (says(child)) return true;
  return false;
};
