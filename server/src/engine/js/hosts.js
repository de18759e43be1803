// Styles across the edge of a shadow tree: what its sheets say of the element
// that holds it and of what is put into its slots, and what the sheets outside
// say of its parts.

/** Elements in slots that are looked at. */
const MOST_SLOTTED = 300;

/** Adds what such selectors may match. @param {ShadowRoot} root @param {string[]} selectors Those of its own sheets. */
const addAcross = (found, root, selectors) => {
  const host = shadowHost(root);
  if (selectors.some((selector) => selector.includes(':host'))) found.add(host);
  if (selectors.some((selector) => selector.includes('::slotted('))) {
    for (const slot of list(shadowSelectAll(root, 'slot')).slice(0, MOST_SLOTTED)) for (const element of slot.assignedElements().slice(0, MOST_SLOTTED)) found.add(element);
  }
  // What is outside was looked at before.
  const outside = wholeRulings.get(rootNode(host));
  if (outside && outside.whole.concealing.some((selector) => selector.includes('::part('))) {
    for (const part of list(shadowSelectAll(root, '[part]')).slice(0, MOST_SLOTTED)) found.add(part);
  }
};
