// Mouse, wheel and touch of the person as events for a tab.

import type { PersonInput } from './event.ts';
import { modifiersOf } from './keys.ts';
import { pointOn, wheelBy } from './points.ts';

const BUTTONS = ['left', 'middle', 'right'];
const BACK_BUTTON = 3;
const FORWARD_BUTTON = 4;

export interface PointerTarget {
  element: HTMLElement;
  /** Size of the viewport, in CSS pixels. */
  size: () => { width: number; height: number };
  send: (event: PersonInput) => void;
  /** Called when a mouse is pressed. */
  focus: () => void;
}

/** Listens until `signal` ends it. */
export function listenToPointer({ element, size, send, focus }: PointerTarget, signal: AbortSignal): void {
  const at = (event: MouseEvent) => {
    const { width, height } = size();
    return { ...pointOn(element, event, width, height), modifiers: modifiersOf(event) };
  };
  const on = <Kind extends keyof HTMLElementEventMap>(
    kind: Kind,
    handler: (event: HTMLElementEventMap[Kind]) => void,
  ) => element.addEventListener(kind, handler, { signal, passive: false });
  let touch: number | undefined;

  on('pointerdown', (event) => {
    element.setPointerCapture(event.pointerId);
    if (event.pointerType !== 'touch') return;
    // No mouse events for it as well.
    event.preventDefault();
    if (touch !== undefined) return;
    touch = event.pointerId;
    send({ kind: 'touch-start', ...at(event) });
  });
  on('pointermove', (event) => {
    if (event.pointerType !== 'touch') send({ kind: 'move', ...at(event) });
    else if (event.pointerId === touch) send({ kind: 'touch-move', ...at(event) });
  });
  const endTouch = (event: PointerEvent) => {
    if (event.pointerId !== touch) return;
    touch = undefined;
    send({ kind: 'touch-end', ...at(event) });
  };
  on('pointerup', endTouch);
  on('pointercancel', endTouch);
  on('mousedown', (event) => {
    event.preventDefault();
    focus();
    const button = BUTTONS[event.button];
    if (button) send({ kind: 'down', button, clicks: Math.max(1, event.detail), ...at(event) });
  });
  on('mouseup', (event) => {
    event.preventDefault();
    const button = BUTTONS[event.button];
    if (button) send({ kind: 'up', button, clicks: Math.max(1, event.detail), ...at(event) });
    else if (event.button === BACK_BUTTON) send({ kind: 'back' });
    else if (event.button === FORWARD_BUTTON) send({ kind: 'forward' });
  });
  on('wheel', (event) => {
    event.preventDefault();
    send({ kind: 'wheel', ...at(event), ...wheelBy(event, size().height) });
  });
  on('contextmenu', (event) => event.preventDefault());
}
