// The guard: the last word on whether a click reaches the element it is for.
//
// Between aiming and the click the page may move. So the guard stands in the
// capture phase of the window, before all handlers of the page, and lets the
// gesture pass only when it goes to the armed element. A gesture to any other
// element is cancelled whole. In frames around the target nothing may arrive.
//
// The ear (first/ear.js) hears of a gesture before every listener of the page.
// The listeners here serve documents that came without it, or lost it by
// document.open; those hear after the page's own on the window.

const GESTURE = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu'];

/** A pointer over the element is the proof of a hover. */
const POINTING = ['mousemove', 'mouseover', 'pointermove', 'pointerover'];

/** @type {?{token: number, element: ?Element, verdict: string, until: number, stray: ?Element, over: boolean, clicks: number}} */
let armed = null;

const onGesture = (event) => {
  if (!armed || !event.isTrusted) return;
  if (Date.now() > armed.until) {
    disarm();
    return;
  }
  const hit = event.composedPath()[0];
  const inside = armed.element !== null && hit instanceof Node && (reaches(hit, armed.element) || reachesInside(event));
  if (event.type === 'pointerdown' || event.type === 'mousedown') {
    if (armed.verdict === '' || event.type === 'pointerdown') armed.verdict = inside ? 'delivered' : 'stray';
    if (!inside) armed.stray = hit instanceof Element ? hit : null;
  }
  if (armed.verdict === 'stray') {
    event.preventDefault();
    event.stopImmediatePropagation();
  } else if (event.type === 'click') {
    armed.clicks = event.detail;
    sayEarly();
  }
};

const onPointing = (event) => {
  if (!armed || !event.isTrusted || armed.element === null) return;
  const hit = event.composedPath()[0];
  armed.over = hit instanceof Node && (reaches(hit, armed.element) || reachesInside(event));
};

/** A closed shadow tree hides its nodes from the path, so the point decides. */
const reachesInside = (event) => {
  const root = rootNode(armed.element);
  if (!(root instanceof ShadowRoot) || root.mode !== 'closed') return false;
  const hit = hitAt(event.clientX, event.clientY);
  return hit !== null && reaches(hit, armed.element);
};

/**
 * @param {number} token
 * @param {number} life For how many milliseconds the action may take: then the guard
 *   stands in nobody's way, whatever became of the daemon.
 * @param {?Element} element Null in a frame where nothing may arrive.
 */
const arm = (token, life, element) => {
  if (globalThis.browseEar) globalThis.browseEar.hear = onGesture;
  armed = { token, element, verdict: '', until: Date.now() + life, stray: null, over: false, clicks: 0 };
  for (const type of GESTURE) addEventListener(type, onGesture, { capture: true, passive: false });
  for (const type of POINTING) addEventListener(type, onPointing, { capture: true, passive: true });
  watchChanges(element);
};

const disarm = () => {
  armed = null;
  hushEarly();
  if (globalThis.browseEar) globalThis.browseEar.hear = null;
  for (const type of GESTURE) removeEventListener(type, onGesture, { capture: true });
  for (const type of POINTING) removeEventListener(type, onPointing, { capture: true });
};

/** Arms a frame around the target's: whatever arrives here missed its frame. */
const armEmpty = ({ token, life }) => {
  arm(token, life, null);
  return {};
};

/** What became of the gesture, and what changed since it was aimed. */
const settle = ({ token }) => {
  if (!armed || armed.token !== token) return saidEarly(token) || { delivered: false, unknown: true };
  const { element, verdict, stray, over } = armed;
  disarm();
  beginCall();
  const changes = takeChanges();
  return {
    delivered: verdict === 'delivered',
    stray: stray ? describeCover(stray) : null,
    gone: element !== null && !isConnected(element),
    hovered: over || (element !== null && isConnected(element) && matches(element, ':hover')),
    ...changes,
  };
};
