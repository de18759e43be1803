// Which elements may have a ground of their own, by the style sheets. The others
// are most of a page, and what they paint need not be asked when a text is
// compared with what lies behind it. A text that is lost by this is asked for
// again without it, so that nothing that shows is left out for it.

/** Declarations that may give a ground. */
const BACKING = /(?:^|[; ])(?:background(?:-color|-image)?: (?!(?:none|transparent|initial|unset)(?:;|$| !))|all: )/;

/** What may have a ground without any sheet: by an attribute, or by what the browser is used to paint. */
const BACKED_TAGS = new Set(
  ['html', 'body', 'table', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th', 'marquee', 'mark', 'dialog', 'button', 'input', 'select', 'textarea', 'option', 'optgroup', 'meter', 'progress', 'video', 'audio', 'selectedcontent', 'datalist', 'permission', 'geolocation', 'usermedia', 'install'],
);

/**
 * A selector that matches whatever the other does while it is pointed at, focused
 * and the like, so that it need not be asked anew with each reading.
 */
const whateverState = (selector) => (/[([]/.test(selector) ? selector : selector.replace(/(?<![\\:]):(?!:|(?:first|last|only|nth)-|root\b|host\b)[a-z-]+/gi, ':is(*)'));

/** Elements of the document that may have a ground; null where that is not known. Set by `lookForUnseen`. @type {?Set<Element>} */
let backed = null;

/** @param {Element} scope @param {Ruling} ruling That of the document. @param {Styled} styled @param {Element[]} moved What is animated. @returns {?Set<Element>} */
const backedWithin = (scope, ruling, styled, moved) => {
  // What holds a smaller scope was not asked for a style of its own.
  if (ruling.closed || (scope !== documentElement(document) && scope !== documentBody(document))) return null;
  const found = new Set([...styled.backing, ...moved, ...steady('popovers', document, () => documentSelectAll(document, '[popover]'))]);
  addMatches(found, documentElement(document), ruling, 'backing');
  return found;
};

/** Whether an element of the document may have one. A shadow tree gives grounds to its host, and to what stands in its slots. */
const mayBeBacked = (element) => {
  if (backed.has(element) || oddGrounds.has(element) || !(element instanceof HTMLElement) || BACKED_TAGS.has(localName(element))) return true;
  const parent = parentNode(element);
  return shadowOf(element) !== null || (parent !== null && nodeType(parent) === ELEMENT && shadowOf(parent) !== null);
};

/** What `ask` comes to where every element is asked for its ground. */
const asAllBacked = (ask) => {
  const before = backed;
  backed = null;
  try {
    return ask();
  } finally {
    backed = before;
  }
};
