// Which elements may have a ground of their own, by the style sheets. The others
// are most of a page, and their styles need not be asked when a text is compared
// with what lies behind it.

/** Declarations that may give a ground. */
const BACKING = /(?:^|[; ])(?:background(?:-color|-image)?: (?!(?:none|transparent|initial|unset)(?:;|$| !))|all: )/;

/** What may have a ground without any sheet: by an attribute, or by what the browser is used to paint. */
const BACKED_TAGS = new Set(['html', 'body', 'table', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th', 'marquee', 'mark', 'dialog', 'button', 'input', 'select', 'textarea', 'option', 'optgroup', 'meter', 'progress', 'video']);

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

const mayBeBacked = (element) => backed.has(element) || oddGrounds.has(element) || BACKED_TAGS.has(localName(element));
