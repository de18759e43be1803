// Expectations: whether an element has a state, and what it has instead.

import { hiddenBecause, withLabel } from './aim.js';
import { documentBody, optionLabel, optionSelected, selectOptions } from './dom.js';
import { withElement } from './facts.js';
import { fieldOf, isEditable } from './fill.js';
import { whole } from './markup.js';
import { attribute, list } from './primordials.js';
import { textWithin } from './read.js';
import { elementOf } from './refs.js';
import { Refusal } from './refusal.js';
import { roleOf } from './roles.js';
import { isFormControl } from './secrets.js';
import { CHECKABLE, focusedElement, isDisabled, markOf } from './states.js';
import { findAll, findOne, labelOf } from './targets.js';
import { isVisible } from './visibility.js';
import { beginCall } from './walk.js';
/** @import { Target } from './targets.js' */

/** @param {{target: Target, state: string}} argument What is missing is hidden; all else about it is refused. */
export const stateIs = ({ target, state }) => {
  beginCall();
  if (state === 'visible' || state === 'hidden') {
    const found = target.kind === 'ref' ? [elementOf(target.number)].filter(Boolean) : findAll(target);
    const shown = found.some(isVisible);
    const why = shown ? 'visible' : found.length === 0 ? 'missing' : `hidden (${hiddenBecause(found[0])})`;
    return { holds: (state === 'visible') === shown, actual: why };
  }
  const element = findOne(target);
  const field = fieldOf(element);
  switch (state) {
    case 'enabled':
      return { holds: !isDisabled(field), actual: 'disabled' };
    case 'disabled':
      return { holds: isDisabled(field), actual: 'enabled' };
    case 'checked':
    case 'unchecked':
      return checkIs(field, state);
    case 'editable':
      return { holds: isEditable(field), actual: isDisabled(field) ? 'disabled' : 'not editable' };
    case 'focused':
      return { holds: focusedElement() === element || focusedElement() === field, actual: focusWords() };
  }
  throw new Refusal('unknown-state');
};

const checkIs = (field, state) => {
  const role = roleOf(field);
  if (!CHECKABLE.has(role) && attribute(field, 'aria-checked') === null) return withLabel(field, () => { throw new Refusal('not-checkable'); });
  const actual = markOf(field, role) || 'unchecked';
  return { holds: actual === state, actual };
};

const focusWords = () => {
  const focus = focusedElement();
  if (!focus || focus === documentBody(document)) return 'nothing has the focus';
  const [role, name] = labelOf(focus);
  return `the focus is on ${role}${name === '' ? '' : ` "${name}"`}`;
};

/** What an element says: the value of a field, the options selected in a list, else the text that shows. */
export const says = ({ target }) =>
  withElement(target, (found) => {
    const field = fieldOf(found);
    if (field instanceof HTMLSelectElement) return { text: whole(list(selectOptions(field)).filter(optionSelected).map(optionLabel).join('\n')) };
    const { text, art } = textWithin(isFormControl(field) ? field : found);
    return { text: whole(text), art };
  });

// === Waiting is asking again: each question is answered at once, so a question ===
// that nobody waits for any more leaves nothing behind in the page.

/** @param {{target: Target}} argument Whether something of the target shows; a dead ref never will. */
export const shows = ({ target }) => {
  beginCall();
  return { is: findAll(target).some(isVisible) };
};

/** Whether nothing of the target shows any more; a dead ref is as hidden as can be. */
export const vanished = ({ target }) => {
  beginCall();
  if (target.kind === 'ref' && !elementOf(target.number)) return { is: true };
  return { is: !findAll(target).some(isVisible) };
};

/** How many elements of the target are in the page, and how many of them show. */
export const countTarget = ({ target }) => {
  beginCall();
  if (target.kind === 'ref' && !elementOf(target.number)) return { present: 0, visible: 0 };
  const found = findAll(target);
  return { present: found.length, visible: found.filter(isVisible).length };
};
