// Keyboard, input methods and paste of the person as events for a tab.
//
// The keys arrive at a text field that is not seen, so that input methods, dead keys and
// keyboards on the screen work. The field is emptied whenever its text was sent.

import type { PersonInput } from './event.ts';
import { isForBrowser, isGiveBack, keyEvent, keyPress } from './keys.ts';

export interface TextTarget {
  field: HTMLTextAreaElement;
  send: (event: PersonInput) => void;
  giveBack: () => void;
}

/** Listens until `signal` ends it. */
export function listenToText({ field, send, giveBack }: TextTarget, signal: AbortSignal): void {
  const pressed = new Map<string, PersonInput>();
  let isComposing = false;
  const on = <Kind extends keyof HTMLElementEventMap>(
    kind: Kind,
    handler: (event: HTMLElementEventMap[Kind]) => void,
  ) => field.addEventListener(kind, handler, { signal });

  on('keydown', (event) => {
    if (isGiveBack(event)) {
      event.preventDefault();
      giveBack();
    } else if (!isForBrowser(event)) {
      event.preventDefault();
      const down = keyEvent('key-down', event);
      pressed.set(event.code, { ...down, kind: 'key-up' });
      send(down);
    }
  });
  on('keyup', (event) => {
    // Only what went down in the page goes up in it.
    if (!pressed.delete(event.code)) return;
    event.preventDefault();
    send(keyEvent('key-up', event));
  });
  on('blur', () => {
    for (const up of pressed.values()) send({ ...up, modifiers: 0 });
    pressed.clear();
  });
  on('compositionstart', () => {
    isComposing = true;
  });
  on('compositionupdate', (event) => send({ kind: 'compose', text: event.data, caret: event.data.length }));
  on('compositionend', (event) => {
    isComposing = false;
    send(event.data ? { kind: 'text', text: event.data } : { kind: 'compose', text: '', caret: 0 });
    field.value = '';
  });
  on('input', (event) => {
    if (isComposing || !(event instanceof InputEvent) || event.inputType === 'insertCompositionText') return;
    for (const input of inputsOf(event)) send(input);
    field.value = '';
  });
  on('paste', (event) => {
    event.preventDefault();
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (text) send({ kind: 'paste', text });
  });
}

/** What a dead key or a keyboard on the screen did. */
function inputsOf({ inputType, data }: InputEvent): PersonInput[] {
  if (inputType === 'deleteContentBackward') return keyPress('Backspace');
  if (inputType === 'insertLineBreak' || inputType === 'insertParagraph') return keyPress('Enter');
  return data ? [{ kind: 'text', text: data }] : [];
}
