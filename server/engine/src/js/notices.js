// What a page says to whoever operates it: alerts, status texts, other live
// regions, the titles of dialogs, and what is wrong with a field.

import { ownText } from './clickable.js';
import { localName, tidy } from './dom.js';
import { idReferences, nameOf } from './names.js';
import { attribute, getter, list, method, selectAll } from './primordials.js';
import { refFor } from './refs.js';
import { isFormControl } from './secrets.js';
import { push, shorten } from './snapshot.js';
import { isShown, isVisible } from './visibility.js';

export const DIALOGS = new Set(['dialog', 'alertdialog']);
export const NOTICES = new Set(['alert', 'status', 'log', 'dialog', 'alertdialog']);

/** Characters of a notice that are shown. */
const MOST_NOTICE = 160;

export const isLive = (element) => {
  const live = attribute(element, 'aria-live');
  return live === 'polite' || live === 'assertive';
};

/** @returns {boolean} Whether a line was made. */
export const emitNotice = (walk, element, role, depth) => {
  if (DIALOGS.has(role)) {
    if (!isVisible(element)) return false;
    const title = nameOf(element, role) || titleWithin(element);
    push(walk, depth, role, shorten(title, MOST_NOTICE), refFor(element), '', '', element);
    return true;
  }
  const text = ownText(element);
  if (text === '' || !isVisible(element)) return false;
  // What a log says last stands at its end.
  const shown = role === 'log' && text.length > MOST_NOTICE ? `…${text.slice(1 - MOST_NOTICE)}` : shorten(text, MOST_NOTICE);
  push(walk, depth, NOTICES.has(role) ? role : 'status', shown, 0, '', '', element);
  return true;
};

export const ANY_HEADING = 'h1,h2,h3,h4,h5,h6,[role=heading]';

const titleWithin = (dialog) => {
  const heading = list(selectAll(dialog, ANY_HEADING)).find(isShown);
  return heading ? nameOf(heading, 'heading') : '';
};

const fieldMessage = method(HTMLInputElement.prototype, 'checkValidity') && {
  input: getter(HTMLInputElement.prototype, 'validationMessage'),
  textarea: getter(HTMLTextAreaElement.prototype, 'validationMessage'),
  select: getter(HTMLSelectElement.prototype, 'validationMessage'),
};

/** What an invalid field says is wrong: its author's words, or else the browser's. */
export const errorText = (element) => {
  for (const name of ['aria-errormessage', 'aria-describedby']) {
    const texts = idReferences(element, name).filter(isShown).map((target) => ownText(target));
    const text = texts.filter(Boolean).join(' ');
    if (text !== '') return text;
  }
  const native = isFormControl(element) && fieldMessage[localName(element)];
  return native ? tidy(native(element)) : '';
};
