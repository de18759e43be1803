// Keys of the person as events for a tab.

import type { PersonInput } from './event.ts';

/** Bits of the modifiers, as `SendInput` has them. */
const ALT = 1;
const CONTROL = 2;
const META = 4;
const SHIFT = 8;

const isMac = navigator.platform.startsWith('Mac');

export function modifiersOf(event: KeyboardEvent | MouseEvent): number {
  // AltGr reports Control and Alt, and stands for neither.
  if (event.getModifierState('AltGraph')) return event.shiftKey ? SHIFT : 0;
  return (
    (event.altKey ? ALT : 0) | (event.ctrlKey ? CONTROL : 0) | (event.metaKey ? META : 0) | (event.shiftKey ? SHIFT : 0)
  );
}

/** The way out of control by the keyboard: Ctrl+Shift+. */
export function isGiveBack(event: KeyboardEvent): boolean {
  return event.ctrlKey && event.shiftKey && event.code === 'Period';
}

/** Whether the browser has to handle a key itself: it becomes text, or a paste. */
export function isForBrowser(event: KeyboardEvent): boolean {
  const isPaste = (event.ctrlKey || event.metaKey) && !event.altKey && event.code === 'KeyV';
  return (
    event.isComposing || isPaste || event.key === 'Dead' || event.key === 'Process' || event.key === 'Unidentified'
  );
}

export function keyEvent(kind: 'key-down' | 'key-up', event: KeyboardEvent): PersonInput {
  const modifiers = modifiersOf(event);
  // On a Mac, Option makes other characters of keys.
  const typesByOption = isMac && modifiers & ALT && !(modifiers & (CONTROL | META)) && [...event.key].length === 1;
  return { kind, key: event.key, code: event.code, modifiers: typesByOption ? modifiers & ~ALT : modifiers };
}

/** Both events of a key that no keyboard sent, such as of a keyboard on the screen. */
export function keyPress(key: string): PersonInput[] {
  return [
    { kind: 'key-down', key, code: key, modifiers: 0 },
    { kind: 'key-up', key, code: key, modifiers: 0 },
  ];
}
