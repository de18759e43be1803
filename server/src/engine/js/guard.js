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

const GESTURE = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu', 'touchstart', 'touchend'];

/** A pointer over the element is the proof of a hover. */
const POINTING = ['mousemove', 'mouseover', 'pointermove', 'pointerover'];

/** A guard forgets its element when the daemon went away in the middle. */
const GUARD_LIFE_MS = 10_000;

/** @type {?{token: number, element: ?Element, verdict: string, until: number, stray: ?Element, over: boolean, presses: number, last: ?Event, wanted: number, tell: ?function(string)}} */
let armed = null;

const onGesture = (event) => {
  if (!armed || !event.isTrusted) return;
  if (Date.now() > armed.until) {
    disarm();
    return;
  }
  const hit = event.composedPath()[0];
  const inside = armed.element !== null && hit instanceof Node && (reaches(hit, armed.element) || reachesInside(event));
  if (event.type === 'pointerdown' || event.type === 'mousedown' || event.type === 'touchstart') {
    if (armed.verdict === '' || event.type === 'pointerdown') armed.verdict = inside ? 'delivered' : 'stray';
    if (!inside) armed.stray = hit instanceof Element ? hit : null;
  }
  if (armed.verdict === 'stray') {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
  // The ear and the window both hear of it.
  if (event.type === 'pointerup' && event !== armed.last) {
    armed.last = event;
    armed.presses += 1;
    tellWhenOver();
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

/** What is said of a gesture that something else has settled. */
const UNKNOWN = '{"delivered":false,"unknown":true}';

const forget = () => {
  if (armed && armed.tell) armed.tell(UNKNOWN);
  armed = null;
};

/** @param {number} token @param {?Element} element Null in a frame where nothing may arrive. */
const arm = (token, element) => {
  forget();
  if (globalThis.browseEar) globalThis.browseEar.hear = onGesture;
  armed = { token, element, verdict: '', until: Date.now() + GUARD_LIFE_MS, stray: null, over: false, presses: 0, last: null, wanted: 0, tell: null };
  for (const type of GESTURE) addEventListener(type, onGesture, { capture: true, passive: false });
  for (const type of POINTING) addEventListener(type, onPointing, { capture: true, passive: true });
  watchChanges(element);
};

const disarm = () => {
  forget();
  if (globalThis.browseEar) globalThis.browseEar.hear = null;
  for (const type of GESTURE) removeEventListener(type, onGesture, { capture: true });
  for (const type of POINTING) removeEventListener(type, onPointing, { capture: true });
};

/** Arms a frame around the target's: whatever arrives here missed its frame. */
const armEmpty = ({ token }) => {
  arm(token, null);
  return {};
};

/** What became of the gesture, and what changed since it was aimed. */
const settle = ({ token }) => {
  if (!armed || armed.token !== token) return UNKNOWN;
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

/**
 * What `settle` answers, as soon as the page has handled a gesture of so many
 * presses: the daemon need not hear first that it has. Pages put work off, so
 * that nothing changed is said only a while later. A gesture that went to
 * another frame is not told of.
 * @returns {string|Promise<string>}
 */
const settled = (token, presses) => {
  if (!armed || armed.token !== token) return UNKNOWN;
  armed.wanted = presses;
  return new Promise((done) => {
    armed.tell = done;
    tellWhenOver();
  });
};

const tellWhenOver = () => {
  if (armed.tell === null || armed.presses < armed.wanted) return;
  const { token, tell } = armed;
  armed.tell = null;
  const say = () => tell(call('settle', { token }));
  // The click comes with the release, and what the page waits for after it.
  afterInput(() => {
    if (armed && armed.token === token && armed.verdict === 'delivered') whenChanged(say);
    else say();
  });
};

/** Right after the event that is being handled, before all else that waits. */
const afterInput = (act) => {
  if (globalThis.scheduler && scheduler.postTask) scheduler.postTask(act, { priority: 'user-blocking' });
  else setTimeout(act);
};
