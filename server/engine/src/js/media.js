// Media: the images, videos and sounds of a page.

import { callContext } from './call-context.js';
import { ELEMENT, documentBody, documentSelectAll, firstChild, innerText, nextElementSibling, nextSibling, nodeType, selectFirst, shadowSelectAll, styleOf, tidy } from './dom.js';
import { isUnseenControl } from './drawn.js';
import { absolute, walkElements } from './forms.js';
import { hiddenWithin } from './hidden-cache.js';
import { whole } from './markup.js';
import { ariaLabel, nameOf } from './names.js';
import { attribute, documentElement, getter, inputType, list } from './primordials.js';
import { findOne } from './targets.js';
import { shadowRootsWithin, suspects } from './tree.js';
import { isShown, isVisible } from './visibility.js';
import { beginCall } from './walk.js';
/** @import { Target } from './targets.js' */

const imageCurrent = getter(HTMLImageElement.prototype, 'currentSrc');
const imageWidth = getter(HTMLImageElement.prototype, 'naturalWidth');
const imageHeight = getter(HTMLImageElement.prototype, 'naturalHeight');
const mediaCurrent = getter(HTMLMediaElement.prototype, 'currentSrc');
const mediaDuration = getter(HTMLMediaElement.prototype, 'duration');
const videoWidth = getter(HTMLVideoElement.prototype, 'videoWidth');
const videoHeight = getter(HTMLVideoElement.prototype, 'videoHeight');

/** Where pages keep an address until the image comes into view. */
const LAZY_SOURCES = ['data-src', 'data-lazy-src', 'data-original', 'data-srcset', 'data-lazy-srcset'];

/** @param {{target?: Target, entire?: boolean, kinds: string[]}} argument */
export const media = ({ target, kinds }) => {
  beginCall();
  const top = target ? findOne(target) : documentElement(document);
  const answer = { suspects: 0, items: [] };
  if (!top) return answer;
  callContext.closedRootCandidates = suspects();
  answer.suspects = callContext.closedRootCandidates.length;
  const wanted = new Set(kinds);
  const seen = new Map();
  const add = (item) => {
    if (item === null || item.url === '' || !wanted.has(item.kind)) return;
    const key = `${item.kind} ${item.url}`;
    const known = seen.get(key);
    if (known) {
      known.alt = known.alt || item.alt;
      known.shown = known.shown || item.shown;
    } else {
      seen.set(key, item);
      answer.items.push(item);
    }
  };
  walkElements(top, (element) => mediaOf(element, wanted).forEach(add));
  return answer;
};

/** @returns {object[]} What an element itself shows or plays. */
const mediaOf = (element, wanted) => {
  const found = [];
  if (element instanceof HTMLImageElement) found.push(imageItem(element));
  else if (element instanceof HTMLVideoElement) {
    found.push(item(element, 'video', playerSource(element), playerType(element), videoWidth(element), videoHeight(element), playerFacts(element)));
    if (attribute(element, 'poster')) found.push(item(element, 'image', absolute(attribute(element, 'poster')), '', 0, 0, { alt: 'poster' }));
  } else if (element instanceof HTMLAudioElement) found.push(item(element, 'audio', playerSource(element), playerType(element), 0, 0, playerFacts(element)));
  else if (element instanceof HTMLInputElement && inputType(element) === 'image') found.push(item(element, 'image', absolute(attribute(element, 'src') || ''), '', 0, 0, {}));
  else if (element instanceof SVGImageElement) found.push(item(element, 'image', absolute(attribute(element, 'href') || element.getAttributeNS('http://www.w3.org/1999/xlink', 'href') || ''), '', 0, 0, {}));
  else if (element instanceof HTMLEmbedElement || element instanceof HTMLObjectElement) found.push(embedded(element));
  if (wanted.has('image')) found.push(...backgrounds(element));
  return found;
};

const item = (element, kind, url, type, width, height, more) => ({
  kind,
  url: whole(url),
  type: whole(type || ''),
  width,
  height,
  alt: whole(nameOf(element) || ''),
  shown: isVisible(element),
  ...more,
});

export const imageItem = (image) => {
  const own = imageCurrent(image) || absolute(attribute(image, 'src') || '') || firstOfSet(attribute(image, 'srcset'));
  const lazy = LAZY_SOURCES.map((name) => attribute(image, name)).find(Boolean);
  // A placeholder of a few bytes is no image.
  const url = lazy && (own === '' || own.startsWith('data:')) ? firstOfSet(lazy) : own;
  const loaded = url === own;
  return item(image, 'image', url, '', loaded ? imageWidth(image) : 0, loaded ? imageHeight(image) : 0, { alt: whole(tidy(attribute(image, 'alt') || '') || nameOf(image) || '') });
};

const firstOfSet = (set) => {
  const first = (set || '').trim().split(/\s+/)[0];
  return first ? absolute(first.replace(/,$/, '')) : '';
};

export const playerSource = (player) => {
  const source = selectFirst(player, 'source[src]');
  return mediaCurrent(player) || absolute(attribute(player, 'src') || (source && attribute(source, 'src')) || '') || '';
};

const playerType = (player) => {
  const source = selectFirst(player, 'source[type]');
  return source ? attribute(source, 'type').split(';')[0].trim() : '';
};

const playerFacts = (player) => {
  const duration = mediaDuration(player);
  return Number.isFinite(duration) ? { duration } : {};
};

/** An object or embed that is an image, a video or a sound. */
const embedded = (element) => {
  const type = (attribute(element, 'type') || '').split(';')[0].trim().toLowerCase();
  const kind = ['image', 'video', 'audio'].find((kind) => type.startsWith(`${kind}/`));
  return kind ? item(element, kind, absolute(attribute(element, 'src') || attribute(element, 'data') || ''), type, 0, 0, {}) : null;
};

const STYLE_URL = /url\("((?:[^"\\]|\\.)*)"\)/g;

/** Images that a style paints; those of what does not show are not loaded. */
const backgrounds = (element) => {
  const image = styleOf(element).backgroundImage;
  if (image === 'none' || !image.includes('url(')) return [];
  return [...image.matchAll(STYLE_URL)].map(([, url]) => item(element, 'image', absolute(url.replace(/\\(.)/g, '$1')), '', 0, 0, { alt: whole(ariaLabel(element)), background: true }));
};

// === Links, and whether a text shows ===

/** Every address once, with the first text that leads there. @param {{seen?: boolean}} argument With `seen` without links that no person sees. */
export const links = (argument) => {
  beginCall();
  if (argument.seen) callContext.hidden = hiddenWithin(documentElement(document), shadowRootsWithin(document));
  const seen = new Map();
  const collect = (root) => {
    const all = root === document ? documentSelectAll(document, 'a[href],area[href]') : shadowSelectAll(root, 'a[href],area[href]');
    for (const link of list(all)) {
      const href = link instanceof HTMLAnchorElement || link instanceof HTMLAreaElement ? link.href : attribute(link, 'href') || '';
      if (href === '' || href.startsWith('javascript:') || !isShown(link) || (callContext.hidden !== null && isUnseenControl(callContext.hidden, link))) continue;
      const name = whole(nameOf(link, 'link'));
      if (!seen.has(href) || seen.get(href) === '') seen.set(href, name);
    }
  };
  collect(document);
  for (const root of shadowRootsWithin(document)) collect(root);
  const unseen = callContext.hidden === null ? {} : callContext.hidden.counts;
  return { links: [...seen].map(([href, name]) => [name, whole(href)]), unseen };
};

/** Whether a text shows anywhere; innerText leaves out what is not rendered. */
export const hasText = ({ text: wanted }) => {
  const needle = tidy(wanted).toLowerCase();
  const body = documentBody(document);
  const shows = (element) => element instanceof HTMLElement && tidy(innerText(element)).toLowerCase().includes(needle);
  if (body && shows(body)) return { is: true };
  return { is: shadowRootsWithin(document).some((root) => { for (let child = firstElementChildOf(root); child; child = nextElementSibling(child)) if (shows(child)) return true; return false; }) };
};

const firstElementChildOf = (root) => {
  for (let child = firstChild(root); child; child = nextSibling(child)) if (nodeType(child) === ELEMENT) return child;
  return null;
};
