// The furniture of a page: what frames its content and is on every page alike.

/** Landmarks that hold no content. */
const FURNITURE_ROLES = new Set(['navigation', 'contentinfo', 'complementary', 'menubar']);

/** An element without `id` and `class` is asked once for each, not for what they say. */
const MAYBE_FURNITURE = '[role],[aria-hidden=true],[inert],[id]:is([id*=ookie],[id*=onsent]),[class]:is([class*=ookie],[class*=onsent])';

/** Tags that the survey of a text collects on its way. */
const FURNITURE_TAGS = new Set(['nav', 'aside', 'footer']);

const CONSENT = /(?:cookie|consent)s?[-_]?(?:banner|bar|notice|popup|pop-up|modal|dialog|overlay|wall|law|message|prompt|container|root|sdk)\b/i;

/** The usual programs that ask for consent. */
const CONSENT_IDS = new Set(['onetrust-consent-sdk', 'CybotCookiebotDialog', 'cookieConsent', 'cookie-law-info-bar']);

/**
 * What to leave out of a page.
 * @param {ShadowRoot[]} roots All below the element.
 * @param {Element[]} tagged All with one of `FURNITURE_TAGS`.
 * @returns {Set<Element>}
 */
const furnitureWithin = (top, roots, tagged) => (roots.length === 0 ? steady('furniture', top, () => searchFurniture(top, roots, tagged)) : searchFurniture(top, roots, tagged));

const searchFurniture = (top, roots, tagged) => {
  const found = new Set(tagged.filter(isFurniture));
  const search = (all) => {
    for (let index = 0; index < all.length; index++) if (isFurniture(all[index])) found.add(all[index]);
  };
  search(selectAll(top, MAYBE_FURNITURE));
  for (const root of roots) search(shadowSelectAll(root, MAYBE_FURNITURE));
  return found;
};

const isFurniture = (element) => {
  if (isKeptFromReaders(element)) return true;
  const tag = localName(element);
  const role = (attribute(element, 'role') || '').trim().toLowerCase();
  if (role !== '' ? FURNITURE_ROLES.has(role) : tag === 'nav' || tag === 'aside' || (tag === 'footer' && isPageScoped(element))) return true;
  return asksForConsent(element);
};

/** An image with words for it is content, whoever else says the same: a formula beside its markup, say. */
const isKeptFromReaders = (element) => hasAttribute(element, 'inert') || (attribute(element, 'aria-hidden') === 'true' && !(localName(element) === 'img' && attribute(element, 'alt')));

/** A banner, and not a page that says in a class that it has one. */
const asksForConsent = (element) => {
  const id = attribute(element, 'id') || '';
  const named = CONSENT_IDS.has(id) || CONSENT.test(id) || CONSENT.test(attribute(element, 'class') || '');
  return named && selectFirst(element, 'main,article,h1,[role=main]') === null;
};
