// The ear of the guard: it hears of every gesture before the page does.
//
// Listeners of one window are called in the order in which they were added,
// whatever world they belong to. This script runs before those of the page, so
// the guard can stop a gesture that even the page's own capture listeners on
// its window must not see. Unarmed it does nothing.

(() => {
  if (Object.hasOwn(globalThis, 'browseEar')) return;
  const ear = { hear: null, settle: null };
  Object.defineProperty(globalThis, 'browseEar', { value: ear });
  const hear = (event) => {
    if (ear.hear !== null) ear.hear(event);
  };
  for (const type of ['pointerdown', 'mousedown', 'gotpointercapture', 'pointerup', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu']) {
    addEventListener(type, hear, { capture: true, passive: false });
  }
  // What becomes of a field that was filled; see fill.js.
  const settle = (event) => {
    if (ear.settle !== null) ear.settle(event);
  };
  addEventListener('change', settle, true);
  addEventListener('blur', settle, true);
})();
