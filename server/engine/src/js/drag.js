// Drag and drop as HTML5 has it: whether a drag began, and how it ended.

import { describeCover, movesThings } from './aim.js';
import { armed } from './guard.js';

/** @type {?{start: ?DragEvent, dropped: boolean, effect: string}} */
let dragging = null;

const onDragStart = (event) => {
  if (dragging && event.isTrusted) dragging.start = event;
};

const onDrop = (event) => {
  if (dragging && event.isTrusted) dragging.dropped = true;
};

const onDragEnd = (event) => {
  if (dragging && event.isTrusted && event.dataTransfer) dragging.effect = event.dataTransfer.dropEffect;
};

const DRAG_EVENTS = { dragstart: onDragStart, drop: onDrop, dragend: onDragEnd };

/** Starts to listen, before the page does where the ear of the guard is not enough. */
export const watchDrag = () => {
  dragging = { start: null, dropped: false, effect: '' };
  for (const [type, listener] of Object.entries(DRAG_EVENTS)) addEventListener(type, listener, { capture: true, passive: true });
  return {};
};

/** Whether something is on its way to another place, as items are that make room. */
const isAnythingMoving = () => Document.prototype.getAnimations.call(document).some((animation) => animation.playState === 'running' && animation.effect !== null && Number(animation.effect.getComputedTiming().endTime) <= LONGEST_MOVE && movesThings(animation));

/** Milliseconds of an animation that is waited for. */
const LONGEST_MOVE = 1000;

/**
 * Whether a drag began that the page did not prevent, and what became of it.
 * @param {{end?: boolean}} argument `end` stops listening.
 */
export const dragState = ({ end }) => {
  const state = dragging || { start: null, dropped: false, effect: '' };
  if (end) {
    dragging = null;
    for (const [type, listener] of Object.entries(DRAG_EVENTS)) removeEventListener(type, listener, { capture: true });
  }
  return { began: state.start !== null && !state.start.defaultPrevented, dropped: state.dropped, effect: state.effect, moving: isAnythingMoving(), delivered: armed !== null && armed.verdict === 'delivered', stray: armed !== null && armed.stray ? describeCover(armed.stray) : null };
};
