// The guard: the last word on whether a click reaches the element it is for.
//
// Between aiming and the click the page may move. So the guard stands in the
// capture phase of the window, before all handlers of the page, and lets the
// gesture pass only when it goes to the armed element. A gesture to any other
// element is cancelled whole. In frames around the target nothing may arrive.
//
// It may move while the button is down, too. The browser then gives the click to
// whatever holds both the place of the press and that of the release: that click
// is cancelled. The release itself passes, since who heard a press waits for it.
//
// The ear (first/ear.js) hears of a gesture before every listener of the page.
// The listeners here serve documents that came without it, or lost it by
// document.open; those hear after the page's own on the window.

import { describeCover, hitAt, reaches } from './aim.js';
import { takeChanges, watchChanges } from './changes.js';
import { hasAttribute, isConnected, matches, rootNode, shadowHost } from './dom.js';
import { takeBaseline } from './page-changes.js';
import { flatContains } from './tree.js';
import { beginCall } from './walk.js';

const GESTURE = ['pointerdown', 'mousedown', 'gotpointercapture', 'pointerup', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu'];

/** A pointer over the element is the proof of a hover. */
const POINTING = ['mousemove', 'mouseover', 'pointermove', 'pointerover'];

/** What the browser makes of a press and a release. */
const MADE = new Set(['click', 'dblclick', 'auxclick', 'contextmenu']);

/**
 * What is armed. `presses`, `clicks` and `menus` are those that the element got, `slipped`
 * is what would have got a click in its place. `released` says whether the release went
 * to it, `capturer` is what the page gave the pointer to, `last` the event that was heard.
 * @type {?{token: number, element: ?Element, verdict: string, until: number, stray: ?Element, over: boolean, down: boolean, presses: number, clicks: number, menus: number, slipped: ?Element, released: ?boolean, capturer: ?Element, last: ?Event, downloads: Event[]}}
 */
export let armed = null;

const onGesture = (event) => {
  // The ear and the listeners here may both hear of it.
  if (!armed || event === armed.last) return;
  armed.last = event;
  takeBaseline();
  if (event.type === 'click') heedDownload(event);
  if (!event.isTrusted) return;
  if (Date.now() > armed.until) {
    disarm();
    return;
  }
  const hit = event.composedPath()[0];
  if (event.type === 'gotpointercapture') {
    if (armed.down && hit instanceof Element && flatContains(hit, armed.element)) armed.capturer = hit;
    return;
  }
  const inside = armed.element !== null && hit instanceof Node && (reaches(hit, armed.element) || hit === armed.capturer || reachesInside(event));
  if (event.type === 'pointerdown' || event.type === 'mousedown') {
    if (armed.verdict === '' || event.type === 'pointerdown') armed.verdict = inside ? 'delivered' : 'stray';
    if (!inside) armed.stray = hit instanceof Element ? hit : null;
    countPress(event);
  } else if (armed.released === null && (event.type === 'pointerup' || event.type === 'mouseup')) {
    armed.released = inside;
  }
  const slips = armed.verdict === 'delivered' && MADE.has(event.type) && !inside && !isFollowUp(event);
  if (slips) armed.slipped = hit instanceof Element ? hit : null;
  if (slips || armed.verdict === 'stray') {
    event.preventDefault();
    event.stopImmediatePropagation();
  } else if (event.type === 'contextmenu' && inside) {
    armed.menus += 1;
  } else if (event.type === 'click' && inside && armed.down) {
    armed.down = false;
    armed.clicks += 1;
    sayEarly();
  }
};

/** A press is heard as one of the pointer, one of the mouse, or both. */
const countPress = (event) => {
  if (event.type === 'pointerdown') {
    armed.down = false;
    armed.released = null;
    armed.capturer = null;
  }
  if (armed.verdict !== 'delivered' || armed.down) return;
  armed.down = true;
  armed.presses += 1;
};

/** A label that was clicked clicks its field in turn: that is no click of the mouse. */
const isFollowUp = (event) => event.type === 'click' && !armed.down;

/** A click on a link that saves, by the mouse or by a script: the news of it comes later. */
const heedDownload = (event) => {
  const saves = (node) => node instanceof HTMLAnchorElement && hasAttribute(node, 'download') && hasAttribute(node, 'href');
  if (armed.downloads.length < 9 && event.composedPath().some(saves)) armed.downloads.push(event);
};

const onPointing = (event) => {
  if (!armed || !event.isTrusted || armed.element === null) return;
  takeBaseline();
  const hit = event.composedPath()[0];
  armed.over = hit instanceof Node && (reaches(hit, armed.element) || reachesInside(event));
};

/** A closed shadow tree hides its nodes from the path, so the point decides. */
const reachesInside = (event) => {
  if (!isInClosedTree(armed.element)) return false;
  // The browser made it of a press and a release; what lies at the point by now is
  // what handlers of the release left there.
  if (MADE.has(event.type) && armed.released !== null) return armed.released;
  const hit = hitAt(event.clientX, event.clientY);
  return hit !== null && reaches(hit, armed.element);
};

export const isInClosedTree = (element) => {
  for (let root = rootNode(element); root instanceof ShadowRoot; root = rootNode(shadowHost(root))) if (root.mode === 'closed') return true;
  return false;
};

/**
 * @param {number} token
 * @param {number} life For how many milliseconds the action may take: then the guard
 *   stands in nobody's way, whatever became of the daemon.
 * @param {?Element} element Null in a frame where nothing may arrive.
 */
export const arm = (token, life, element) => {
  if (globalThis.browseEar) globalThis.browseEar.hear = onGesture;
  armed = { token, element, verdict: '', until: Date.now() + life, stray: null, over: false, down: false, presses: 0, clicks: 0, menus: 0, slipped: null, released: null, capturer: null, last: null, downloads: [] };
  for (const type of GESTURE) addEventListener(type, onGesture, { capture: true, passive: false });
  for (const type of POINTING) addEventListener(type, onPointing, { capture: true, passive: true });
  watchChanges(element);
  // On the way of the answer and of the gesture, which begins no sooner.
  setTimeout(() => armed && armed.token === token && takeBaseline());
};

const disarm = () => {
  armed = null;
  hushEarly();
  if (globalThis.browseEar) globalThis.browseEar.hear = null;
  for (const type of GESTURE) removeEventListener(type, onGesture, { capture: true });
  for (const type of POINTING) removeEventListener(type, onPointing, { capture: true });
};

/** Arms a frame around the target's: whatever arrives here missed its frame. */
export const armEmpty = ({ token, life }) => {
  arm(token, life, null);
  return {};
};

/** The controls of a player are the browser's own: it tells nobody of what they get. */
const tellsNothing = (element) => element instanceof HTMLMediaElement && hasAttribute(element, 'controls') && isConnected(element);

/** What became of the gesture, and what changed since it was aimed. */
export const settle = ({ token }) => {
  if (!armed || armed.token !== token) return saidEarly(token) || { delivered: false, unknown: true };
  const { element, verdict, stray, over, presses, clicks, menus, slipped, downloads } = armed;
  disarm();
  beginCall();
  const changes = takeChanges();
  return {
    delivered: verdict === 'delivered' || (verdict === '' && tellsNothing(element)),
    stopped: verdict === 'stray',
    downloads: downloads.some((event) => !event.defaultPrevented),
    stray: stray ? describeCover(stray) : null,
    presses,
    clicks,
    menus,
    slipped: slipped ? describeCover(slipped) : null,
    gone: element !== null && !isConnected(element),
    hovered: over || (element !== null && isConnected(element) && matches(element, ':hover')),
    ...changes,
  };
};

// === The early word: a click is told of once the page has handled it, in answer to a ===
// question that came in the flight of the click itself. The daemon would otherwise
// ask when the browser says that it is through with the click, a flight later.
//
// It is only ever good news. Whatever else becomes of a click, the daemon asks for.

/** @type {?{token: number, count: number, say: (answer: string) => void}} Who waits for it. */
let listener = null;

/** @type {?{token: number, answer: object}} What was said last, for a daemon that asks as well. */
let early = null;

/**
 * @param {number} token Of the guard.
 * @param {number} count Clicks in a row.
 * @returns {Promise<string>} What `settle` answers; empty when that is to be asked for.
 */
export const heedClick = (token, count) =>
  new Promise((say) => {
    hushEarly();
    listener = { token, count, say };
    sayEarly();
  });

/** Says it when the last click of the gesture was heard. */
const sayEarly = () => {
  if (!listener || !armed || armed.token !== listener.token || armed.clicks < listener.count) return;
  const { token, say } = listener;
  listener = null;
  // The page's own handlers come first, and what they put off until later.
  setTimeout(() => setTimeout(() => say(JSON.stringify(tellEarly(token) || ''))));
};

const tellEarly = (token) => {
  if (!armed || armed.token !== token || armed.verdict !== 'delivered') return null;
  early = { token, answer: settle({ token }) };
  return early.answer;
};

/** Nobody waits any more. */
const hushEarly = () => {
  if (listener) listener.say('');
  listener = null;
};

const saidEarly = (token) => (early && early.token === token ? early.answer : null);
