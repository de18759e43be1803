// Cleaning up: takes what lies around or above the content of a page out of
// sight. Nothing is removed from the document, because scripts that miss their
// elements break the rest; it is only not rendered any more.

import { documentBody, innerText, isTag, matches, selectFirst, shadowSelectAll, styleOf, tidy } from './dom.js';
import { attribute, documentElement, list, selectAll } from './primordials.js';
import { inlineStyle } from './style.js';
import { flatParent, shadowRootsWithin } from './tree.js';
import { isShown } from './visibility.js';
import { beginCall } from './walk.js';

/** Scripts of advertisers, as hosts of frames and images. */
const AD_HOSTS = /(?:^|\.)(?:doubleclick\.net|googlesyndication\.com|googleadservices\.com|adnxs\.com|amazon-adsystem\.com|taboola\.com|outbrain\.com|criteo\.(?:com|net)|rubiconproject\.com|pubmatic\.com|openx\.net|smartadserver\.com|moatads\.com|teads\.tv|mgid\.com|adform\.net)$/;

const AD_MARKS =
  'ins.adsbygoogle,[id^="google_ads"],[id^="div-gpt-ad"],[data-ad-slot],[data-ad-client],[data-google-query-id],[data-ad-unit],[data-testid="ad"],[id^="taboola-"],[class*="taboola-"],.OUTBRAIN,[aria-label="Advertisement" i],[aria-label="Sponsored" i],[aria-label="Anzeige" i],amp-ad,amp-embed[type]';

/** Words of ids and classes; a word is what stands between blanks. */
const AD_WORDS = /^(?:ads?|advert(?:isement|ising)?|ad[-_](?:banner|box|container|slot|unit|wrapper|frame|leaderboard|sidebar|block|holder|placeholder)|(?:banner|sidebar|top|bottom|sticky|google|dfp|gpt)[-_]ads?|sponsored(?:[-_](?:content|post|links?))?|leaderboard[-_]ad)$/i;

const CONSENT_MARKS =
  '#onetrust-consent-sdk,#onetrust-banner-sdk,#CybotCookiebotDialog,#CybotCookiebotDialogBodyUnderlay,.qc-cmp2-container,#didomi-host,#usercentrics-root,#usercentrics-cmp-ui,.fc-consent-root,[id^="sp_message_container"],#truste-consent-track,#trustarc-banner-overlay,#cookie-law-info-bar,#cookieConsent,.cc-window,.cookieconsent,.osano-cm-window,#hs-eu-cookie-confirmation,.iubenda-cs-container,#iubenda-cs-banner,#klaro,.klaro,#cmpbox,#cmpbox2,#cookiescript_injected,[id*="cookie-banner"],[class*="cookie-banner"],[id*="cookie-consent"],[class*="cookie-consent"],[aria-label*="cookie" i][role=dialog]';

/** Chats and badges that float above the page. */
export const WIDGET_MARKS = '#intercom-container,.intercom-lightweight-app,#drift-widget,#hubspot-messages-iframe-container,[id^="crisp-chatbox"],.grecaptcha-badge';

const CONSENT_WORDS = /cookie|consent|gdpr|ccpa|privacy[-_ ]?(?:banner|notice|popup)|\bcmp\b/i;

const CONSENT_TEXT = /\b(?:cookies?|gdpr|einwilligung|consentement|consentimiento)\b/i;

const SOCIAL_MARKS =
  '.addthis_toolbox,.addtoany_share,.a2a_kit,.sharethis-inline-share-buttons,[class*="st-custom-button"],.fb-like,.fb-share-button,.fb-page,.twitter-share-button,.twitter-follow-button,[class*="share-buttons"],[class*="share_buttons"],[class*="sharebuttons"],[class*="social-share"],[class*="social_share"],[class*="share-bar"],[class*="sharing-buttons"],[id*="share-buttons"],[aria-label^="Share on " i]';

const SOCIAL_WORDS = /^(?:social|social[-_](?:links?|icons?|media|bar|buttons?|share)|share|sharing|share[-_](?:tools|links?|icons?|widget)|sharedaddy|jp-relatedposts)$/i;

const SOCIAL_FRAMES = /(?:^|\.)(?:facebook\.com|platform\.twitter\.com|platform\.x\.com|linkedin\.com|pinterest\.com|addthis\.com|sharethis\.com)$/;

/** @param {{ads: boolean, cookies: boolean, sticky: boolean, social: boolean}} kinds @returns How many elements of each kind went. */
export const cleanup = (kinds) => {
  beginCall();
  const gone = new Set();
  const counts = {};
  const all = everyElement();
  const run = (kind, find) => {
    if (!kinds[kind]) return;
    counts[kind] = 0;
    for (const element of find(all)) counts[kind] += takeAway(element, gone) ? 1 : 0;
  };
  run('cookies', consentElements);
  run('ads', adElements);
  run('social', socialElements);
  // What is fixed in a frame may be all that it shows, and its page scrolls by itself.
  if (kinds.sticky) counts.sticky = window.parent === window ? unstick(all, gone) : 0;
  return { counts, unlocked: (kinds.cookies || kinds.sticky) && Object.values(counts).some((count) => count > 0) && unlock() };
};

/** The elements of the document and of its shadow trees, outer ones first. @returns {Element[]} */
export const everyElement = () => {
  const body = documentBody(document);
  if (!body) return [];
  const found = list(selectAll(body, '*'));
  for (const root of shadowRootsWithin(body)) found.push(...list(shadowSelectAll(root, '*')));
  return found;
};

/** Hides an element, unless it holds the content of the page or went with another. */
const takeAway = (element, gone) => {
  for (let node = element; node; node = flatParent(node)) if (gone.has(node)) return false;
  if (holdsContent(element) || !isShown(element)) return false;
  if (!force(element, 'display', 'none')) return false;
  gone.add(element);
  return true;
};

/** The page itself, and what most of its text stands in. */
export const holdsContent = (element) => {
  if (isTag(element, 'main') || attribute(element, 'role') === 'main' || selectFirst(element, 'main,[role=main],article h1')) return true;
  const body = documentBody(document);
  const own = innerTextOf(element).length;
  return own > 400 && own * 2 > innerTextOf(body).length;
};

const innerTextOf = (element) => (element instanceof HTMLElement ? innerText(element) : '');

/** Sets a style that rules of the page do not override. */
const force = (element, property, value) => {
  if (!(element instanceof HTMLElement || element instanceof SVGElement)) return false;
  inlineStyle(element).setProperty(property, value, 'important');
  return true;
};

const wordsOf = (element) => tidy(`${attribute(element, 'id') || ''} ${attribute(element, 'class') || ''}`).split(' ').filter(Boolean);

const hostOfFrame = (element) => {
  if (!(element instanceof HTMLIFrameElement)) return '';
  try {
    return new URL(attribute(element, 'src') || '', document.baseURI).hostname;
  } catch {
    return '';
  }
};

export const adElements = (all) => all.filter((element) => matches(element, AD_MARKS) || AD_HOSTS.test(hostOfFrame(element)) || wordsOf(element).some((word) => AD_WORDS.test(word)));

const socialElements = (all) => all.filter((element) => matches(element, SOCIAL_MARKS) || SOCIAL_FRAMES.test(hostOfFrame(element)) || wordsOf(element).some((word) => SOCIAL_WORDS.test(word)));

/** Known banners, and small boxes above the page or at its edge that speak of cookies and have something to press. */
export const consentElements = (all) =>
  all.filter((element) => {
    if (matches(element, CONSENT_MARKS)) return true;
    const position = styleOf(element).position;
    const floats = position === 'fixed' || position === 'sticky' || matches(element, 'dialog[open],[role=dialog],[role=alertdialog]');
    const named = CONSENT_WORDS.test(`${wordsOf(element).join(' ')} ${attribute(element, 'aria-label') || ''}`);
    if (!floats && !named) return false;
    const text = innerTextOf(element);
    if (text.length > 3000) return false;
    const asks = selectFirst(element, 'button,[role=button],a,input[type=button],input[type=submit]') !== null;
    if (floats) return (named && (asks || text.trim() === '')) || (asks && CONSENT_TEXT.test(text));
    return asks && CONSENT_TEXT.test(text) && text.length < 1500;
  });

/**
 * What stays in view while the page scrolls goes back to its place in it:
 * headers and whatever holds content. Other fixed things are hidden.
 */
const unstick = (all, gone) => {
  let count = 0;
  for (const element of all) {
    const position = styleOf(element).position;
    if (position !== 'fixed' && position !== 'sticky') continue;
    if (!isShown(element) || flatParents(element).some((node) => gone.has(node))) continue;
    if (element instanceof HTMLDialogElement && matches(element, ':modal')) continue;
    const keeps = position === 'sticky' || holdsContent(element) || matches(element, 'header,nav,[role=banner],[role=navigation]') || selectFirst(element, 'nav,[role=navigation],[role=search],form') !== null;
    if (keeps ? force(element, 'position', position === 'sticky' ? 'static' : 'absolute') : takeAway(element, gone)) count += 1;
  }
  return count;
};

const flatParents = (element) => {
  const found = [];
  for (let node = element; node; node = flatParent(node)) found.push(node);
  return found;
};

/** Lets the page scroll again that a banner had stopped. */
const unlock = () => {
  let changed = false;
  for (const element of [documentElement(document), documentBody(document)]) {
    if (!element) continue;
    const style = styleOf(element);
    if (style.overflowY === 'hidden' && force(element, 'overflow', 'auto')) changed = true;
    if (isTag(element, 'body') && style.position === 'fixed' && force(element, 'position', 'static')) changed = true;
  }
  return changed;
};
