// The main content of a page: what its author marks as such, or else the
// smallest part that holds most of its prose.

import { ELEMENT, hasAttribute, hasAttributes, localName, matches, nodeType, selectFirst, shadowSelectAll, tidy } from './dom.js';
import { attribute, list, selectAll, textContent } from './primordials.js';
import { isPageScoped } from './roles.js';
import { cachedInDom } from './dom-cache.js';
import { flatContains, flatElements, flatParent } from './tree.js';
import { isShown } from './visibility.js';

/** Parts that accompany an article; only those that are small beside it are left out. */
const COMPANION = /(?:^|[\s_-])(?:shar(?:e|ing)|social|related|recommend(?:ed|ations)?|promos?|newsletter|sponsored|adverts?|advertisement|ads?|breadcrumbs?|sidebar|subscribe|popup|pagination|pager|skip|toolbar|byline-tools|outbrain|taboola|print-only|screen-reader-text)(?:$|[\s_-])/i;

/** Prose, in short pieces of which a menu is not made. */
const PROSE = 'p,pre,blockquote,li,dd,td';

/** Characters that a piece of prose has at least. */
const PROSE_LENGTH = 60;

/** Characters of prose below which a page has no main part. */
const ARTICLE_LENGTH = 400;

/** @param {Set<Element>} furniture @returns {Element} */
export const mainContent = (top, furniture) => {
  const outside = (element) => !hasAncestorIn(element, furniture) && isShown(element);
  const said = list(selectAll(top, 'main,[role=main]')).filter(outside);
  if (said.length === 1 && proseIn(said[0]) > 0) return said[0];
  const pieces = proseOf(top, furniture);
  const total = sum(pieces);
  const articles = list(selectAll(top, 'article,[role=article]')).filter((element) => outside(element) && !hasAncestorTag(element, 'article'));
  if (articles.length === 1 && weigh(pieces, articles[0]) > total / 2) return articles[0];
  if (total < ARTICLE_LENGTH) return top;
  return narrow(top, pieces, total);
};

/** Goes down as long as one child holds most of it. */
const narrow = (top, pieces, total) => {
  let element = top;
  for (;;) {
    const inner = flatElements(element).find((child) => weigh(pieces, child) >= total * 0.8);
    // Lists, tables and paragraphs are content, and not what holds it.
    if (!inner || matches(inner, 'ul,ol,dl,table,tbody,tr,p,pre,blockquote,figure')) return element;
    element = inner;
  }
};

const proseOf = (top, furniture) => {
  const pieces = new Map();
  for (const element of list(selectAll(top, PROSE))) {
    const length = tidy(ownProse(element)).length;
    if (length < PROSE_LENGTH || hasAncestorIn(element, furniture) || !isShown(element)) continue;
    if (linkedShare(element) > 0.6) continue;
    pieces.set(element, length);
  }
  return pieces;
};

/** Its text without that of prose within it, which counts for itself. */
const ownProse = (element) => (selectFirst(element, PROSE) ? '' : textContent(element));

export const proseIn = (element) => tidy(textContent(element)).length;

const linkedShare = (element) => {
  const whole = tidy(textContent(element)).length;
  const linked = list(selectAll(element, 'a[href]')).reduce((total, link) => total + tidy(textContent(link)).length, 0);
  return whole === 0 ? 1 : linked / whole;
};

const sum = (pieces) => [...pieces.values()].reduce((total, length) => total + length, 0);

const weigh = (pieces, within) => {
  let weight = 0;
  for (const [element, length] of pieces) if (flatContains(within, element)) weight += length;
  return weight;
};

export const hasAncestorIn = (element, set) => {
  for (let node = element; node; node = flatParent(node)) if (set.has(node)) return true;
  return false;
};

const hasAncestorTag = (element, tag) => {
  for (let node = flatParent(element); node && nodeType(node) === ELEMENT; node = flatParent(node)) if (localName(node) === tag) return true;
  return false;
};

/** Whether an element only accompanies the content. @param {number} size Characters of the content. */
export const isCompanion = (element, size) => {
  if (!hasAttributes(element)) return false;
  const named = COMPANION.test(attribute(element, 'class') || '') || COMPANION.test(attribute(element, 'id') || '');
  return named && textContent(element).length < size * 0.3 && selectFirst(element, 'h1') === null;
};

// === The furniture of a page: what frames its content and is on every page alike ===

/** Landmarks that hold no content. */
const FURNITURE_ROLES = new Set(['navigation', 'contentinfo', 'complementary', 'menubar']);

/** An element without `id` and `class` is asked once for each, not for what they say. */
const MAYBE_FURNITURE = '[role],[aria-hidden=true],[inert],[id]:is([id*=ookie],[id*=onsent]),[class]:is([class*=ookie],[class*=onsent])';

const CONSENT = /(?:cookie|consent)s?[-_]?(?:banner|bar|notice|popup|pop-up|modal|dialog|overlay|wall|law|message|prompt|container|root|sdk)\b/i;

/** The usual programs that ask for consent. */
const CONSENT_IDS = new Set(['onetrust-consent-sdk', 'CybotCookiebotDialog', 'cookieConsent', 'cookie-law-info-bar']);

/**
 * What to leave out of a page.
 * @param {ShadowRoot[]} roots All below the element.
 * @param {Element[]} tagged All with one of `FURNITURE_TAGS`.
 * @returns {Set<Element>}
 */
export const furnitureWithin = (top, roots, tagged) => (roots.length === 0 ? cachedInDom('furniture', top, () => searchFurniture(top, roots, tagged)) : searchFurniture(top, roots, tagged));

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
export const isKeptFromReaders = (element) => hasAttribute(element, 'inert') || (attribute(element, 'aria-hidden') === 'true' && !(localName(element) === 'img' && attribute(element, 'alt')));

/** A banner, and not a page that says in a class that it has one. */
const asksForConsent = (element) => {
  const id = attribute(element, 'id') || '';
  const named = CONSENT_IDS.has(id) || CONSENT.test(id) || CONSENT.test(attribute(element, 'class') || '');
  return named && selectFirst(element, 'main,article,h1,[role=main]') === null;
};
