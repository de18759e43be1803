// What a reading needs to know before it begins, and a script cannot find out.

/**
 * `wanted`: style sheets of other origins, but for what shadow trees use, which
 * is met on the way: any element might be hidden by them, and to look at each
 * takes longer than they take to come. `slots`: whether those of the document's
 * shadow trees are not known.
 */
const wants = () => {
  rulingFor(document);
  return { wanted: takeWantedSheets(), slots: !knowsSlots() };
};

/**
 * The root of the document when closed trees with slots were looked for. One that
 * shows children of its host is known by nothing else: they are laid out as if
 * they stood in the host itself.
 * @type {?WeakRef<Element>}
 */
let slottedRoot = null;

const knowsSlots = () => slottedRoot !== null && slottedRoot.deref() === documentElement(document);

/** Whether not all that may have such a tree was asked: what lies in it may be unseen. */
let hasMoreSlots = false;

/** Elements that are handed out at a time: the browser takes 50 µs for each. */
const MOST_TAKEN = 400;

/** Elements that may have a shadow tree, and were not asked whether they have a closed one. @returns {Element[]} */
const takeHosts = () => {
  const found = [];
  const search = (all) => {
    for (let index = 0; index < all.length && found.length < MOST_TAKEN; index++) {
      const element = all[index];
      const root = shadowOf(element);
      if (root !== null) search(shadowSelectAll(root, '*'));
      else if (mayHost(element) && !askedHosts.has(element)) found.push(element);
    }
  };
  search(documentSelectAll(document, '*'));
  return found;
};

const mayHost = (element) => namespaceURI(element) === HTML && (HOST_TAGS.has(localName(element)) || localName(element).includes('-'));

/** Takes over that they were looked for. @param {boolean} hasMore */
const learnSlots = (hasMore) => {
  forgetLooks();
  const top = documentElement(document);
  slottedRoot = top === null ? null : new WeakRef(top);
  hasMoreSlots = hasMore;
};
