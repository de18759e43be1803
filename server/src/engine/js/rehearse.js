// What is done in a document before anybody asks: whoever reads it first would wait
// for it.

/** The layout, which a page that nobody looks at has not; and what a reading would want. */
const prepare = () => {
  const top = documentElement(document);
  if (top !== null) boundingRect(top);
  const { wanted, slots } = wants();
  return { wanted, slots: slots && documentByTag(document, '*').length <= MOST_SEARCHED };
};

/** Elements of a document whose slots are looked for ahead. */
const MOST_SEARCHED = 10_000;

/** Elements of a document that is gone through ahead: with more of them a page would stand still for longer than a person notices. */
const MOST_REHEARSED = 3_000;

/** A look that tells nobody, once all is loaded. The second takes a third of the time of the first, and tells what others will take. */
const rehearse = () => {
  const top = documentElement(document);
  if (top === null || document.readyState !== 'complete' || documentByTag(document, '*').length > MOST_REHEARSED) return {};
  pricedLook(top, shadowRootsWithin(top));
  unseenIn(top, shadowRootsWithin(top), true);
  return {};
};
