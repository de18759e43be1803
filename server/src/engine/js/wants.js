// What a reading needs to know before it begins, and a script cannot find out.

/**
 * `wanted`: style sheets of other origins, but for what shadow trees use, which
 * is met on the way: any element might be hidden by them, and to look at each
 * takes longer than they take to come. `slots`: whether those of the document's
 * shadow trees are not known.
 */
const wants = () => {
  rulingFor(document);
  return { wanted: takeWantedSheets(), slots: slottedRoot?.deref() !== documentElement(document) };
};

/**
 * The root of the document when the browser was asked for its slots. A closed tree
 * that shows children of its host is known by nothing else: they are laid out as
 * if they stood in the host itself.
 * @type {?WeakRef<Element>}
 */
let slottedRoot = null;

/** Whether there are more of them than are looked at: what lies in those may be unseen. */
let hasMoreSlots = false;

/** Takes over the trees that slots stand in. @param {boolean} hasMore @param {Node[]} slots And what else speaks of them. */
const learnSlots = (hasMore, slots) => {
  const top = documentElement(document);
  slottedRoot = top === null ? null : new WeakRef(top);
  hasMoreSlots = hasMore;
  for (const slot of slots) {
    const root = rootNode(slot);
    if (!(slot instanceof HTMLSlotElement && root instanceof ShadowRoot)) continue;
    const host = shadowHost(root);
    if (openShadowRoot(host) === null) adopt([host], [root]);
  }
};
