// Filling: replaces the text of a field, and checks that the application has it.
//
// Inputs and textareas are changed and judged within one call. Text goes in through the
// editing command `insertText`, which fires the trusted `input` event that typing fires.
// Fields with a picker (dates, colours, ranges) take their value through the native
// setter, followed by the events that a person's choice fires. Editors need events of
// the browser, see editing.js.

import { hiddenBecause, withLabel } from './aim.js';
import { hasAdded, holdsOf, isChipped, judge, memoOf, refuseIncomplete, squash, successor } from './typed-text.js';
import { takeChanges, watchChanges } from './changes.js';
import { areaValue, closest, contains, focusElement, hasAttribute, inputValue, isConnected, isContentEditable, labelControl, localName, optionLabel, optionSelected, optionValue, parentNode, rootNode, selectFirst, selectMultiple, selectOptions, shadowSelectAll, tidy } from './dom.js';
import { afterMicrotasks, beginFilling, editContextOf, editorText, endFilling, isFocusWithin, isStandIn, settled } from './editing.js';
import { frameWindow } from './frames.js';
import { promise, takeBaseline } from './page-changes.js';
import { attribute, getter, inputType, list, selectAll, setter, textContent } from './primordials.js';
import { numbers } from './refs.js';
import { Refusal } from './refusal.js';
import { roleOf } from './roles.js';
import { isFormControl, isSecret } from './secrets.js';
import { isDisabled } from './states.js';
import { clip, findOne } from './targets.js';
import { shadowRootsWithin } from './tree.js';
import { isShown, isVisible } from './visibility.js';
import { beginCall } from './walk.js';
/** @import { Target } from './targets.js' */

export const setInputValue = setter(HTMLInputElement.prototype, 'value');
export const setAreaValue = setter(HTMLTextAreaElement.prototype, 'value');
export const setOptionSelected = setter(HTMLOptionElement.prototype, 'selected');
const selectText = (field) => (field instanceof HTMLInputElement ? HTMLInputElement : HTMLTextAreaElement).prototype.select.call(field);
const editCommand = (command, value) => Document.prototype.execCommand.call(document, command, false, value);

export const PICKER_TYPES = new Set(['date', 'month', 'week', 'time', 'datetime-local', 'color', 'range']);
export const UNFILLABLE_TYPES = new Set(['button', 'submit', 'reset', 'image', 'file', 'checkbox', 'radio', 'hidden']);

/** Whether text can be put into it by a person. */
export const isEditable = (element) => {
  const tag = localName(element);
  if (element instanceof HTMLInputElement) return !UNFILLABLE_TYPES.has(inputType(element)) && !isReadonly(element) && !isDisabled(element);
  if (element instanceof HTMLTextAreaElement) return !isReadonly(element) && !isDisabled(element);
  if (tag === 'select') return false;
  return element instanceof HTMLElement && (isContentEditable(element) || editContextOf(element) !== null) && attribute(element, 'aria-readonly') !== 'true';
};


export const isReadonly = (field) => hasAttribute(field, 'readonly') || attribute(field, 'aria-readonly') === 'true';

/** A label stands for its field, a wrapper with a widget's role for the field in it. @returns {Element} */
export const fieldOf = (element) => {
  if (element instanceof HTMLLabelElement && labelControl(element)) return labelControl(element);
  if (isEditable(element) || isFormControl(element)) return element;
  const role = attribute(element, 'role');
  const inner = role === 'combobox' || role === 'searchbox' || role === 'textbox' || role === 'spinbutton' ? selectFirst(element, 'input, textarea, [contenteditable=""], [contenteditable=true]') : null;
  return inner || element;
};

export const fire = (element, type, init) => element.dispatchEvent(type === 'input' ? new InputEvent('input', { bubbles: true, composed: true, ...init }) : new Event(type, { bubbles: true, ...init }));

/**
 * The answer has `step` where the daemon is to send an event before `fillNext`.
 * @param {{target: Target, text: string}} argument
 * @returns {Promise<object>}
 */
export const fill = ({ target, text }) => {
  beginCall();
  endFilling();
  const found = findOne(target);
  return withLabel(found, () => {
    const element = fillable(found);
    if (!isConnected(element)) throw new Refusal('stale');
    const standsIn = isStandIn(element);
    // An empty editor may have no height, and takes text all the same.
    if (!standsIn && !isVisible(element) && (isFormControl(element) || !isShown(element))) throw new Refusal('hidden', { why: hiddenBecause(element) });
    if (isDisabled(element)) throw new Refusal('disabled');
    if (!isEditable(element)) throw new Refusal('not-editable', { why: whyNotEditable(element) });
    watchChanges(element);
    takeBaseline();
    if (standsIn || !isFormControl(element)) return beginFilling(element, text, standsIn, numbers.get(found) || 0);
    const type = element instanceof HTMLInputElement ? inputType(element) : '';
    const memo = memoOf(element);
    const before = plainValue(element);
    if (PICKER_TYPES.has(type)) pick(element, type, text);
    else write(element, type, text);
    return judgePlain(element, memo, text, before, numbers.get(found) || 0);
  });
};

/** An input after the page has handled it: this task and its microtasks. */
const judgePlain = async (element, memo, text, before, ref) => {
  await afterMicrotasks();
  let [field, verdict] = judgeField(element, memo, text, before);
  if (verdict !== '') {
    // It may be formatted or set a moment later.
    await settled();
    [field, verdict] = judgeField(element, memo, text, before);
  }
  const changes = takeChanges();
  if (verdict !== '') refuseIncomplete(field || element, verdict);
  if (field !== null) promise(field);
  // That the field has the focus is not news.
  return { ...changes, focus: isFocusWithin(field || element) ? null : changes.focus, holds: field === null ? null : holdsOf(field), ref };
};

const judgeField = (element, memo, text, before) => {
  const field = successor(element, memo);
  const verdict = field === null ? 'gone' : judge(text, before, plainValue(field), true);
  const held = field === null ? '' : plainValue(field);
  const became = verdict !== '' && ((squash(held) === '' && hasAdded(text)) || isChipped(text, held));
  return [field, became ? '' : verdict];
};

/** A label stands for its field, and any other element for the only field in it. @returns {Element} */
const fillable = (found) => {
  const field = fieldOf(found);
  if (isEditable(field) || isFormControl(field) || frameWindow(field)) return field;
  const within = [field, ...shadowRootsWithin(field)].flatMap((tree) => list(tree instanceof ShadowRoot ? shadowSelectAll(tree, '*') : selectAll(tree, '*')));
  const fields = within.filter((inner) => (inner instanceof HTMLInputElement || inner instanceof HTMLTextAreaElement || editContextOf(inner) || hasAttribute(inner, 'contenteditable')) && isEditable(inner) && (isStandIn(inner) || isVisible(inner)));
  return fields.length === 1 ? fields[0] : field;
};

const whyNotEditable = (element) => {
  if (localName(element) === 'select') return 'it is a list of options';
  if (frameWindow(element)) return 'it shows a page of its own; fill what is in it';
  if (element instanceof HTMLInputElement && UNFILLABLE_TYPES.has(inputType(element))) return `it is an input of type ${inputType(element)}`;
  if (isFormControl(element) || attribute(element, 'aria-readonly') === 'true' || attribute(element, 'contenteditable') === 'false') return 'it is read-only';
  const role = roleOf(element);
  if (role === 'slider') return 'it is a slider: focus it and press the arrow keys';
  if (role === 'gridcell') return 'it is a cell: double-click it, then type';
  return 'it is not a field, and does not contain exactly one';
};

/** Date, time, colour and range fields sanitize what they are given: a value they drop is refused. */
const pick = (input, type, text) => {
  const before = inputValue(input);
  const wanted = type === 'color' ? text.trim().toLowerCase() : text.trim();
  focusElement(input);
  setInputValue(input, wanted);
  const after = inputValue(input);
  const taken = type === 'range' ? Number(after) === Number(wanted) && wanted !== '' : after === wanted || (after !== '' && (type === 'time' || type === 'datetime-local') && sameTime(after, wanted));
  if (!taken) {
    setInputValue(input, before);
    throw new Refusal('rejected', { why: formatHint(input, type), value: before });
  }
  fire(input, 'input');
  fire(input, 'change');
};

const sameTime = (first, second) => first.replace(/:00(?:\.0+)?$/, '') === second.replace(' ', 'T').replace(/:00(?:\.0+)?$/, '');

const formatHint = (input, type) => {
  switch (type) {
    case 'date':
      return 'a date is written YYYY-MM-DD';
    case 'month':
      return 'a month is written YYYY-MM';
    case 'week':
      return 'a week is written YYYY-Www';
    case 'time':
      return 'a time is written HH:MM';
    case 'datetime-local':
      return 'a date and time is written YYYY-MM-DDTHH:MM';
    case 'color':
      return 'a colour is written #rrggbb';
  }
  const number = (name, usual) => (Number.isFinite(Number.parseFloat(attribute(input, name))) ? Number.parseFloat(attribute(input, name)) : usual);
  return `a number from ${number('min', 0)} to ${number('max', 100)} in steps of ${number('step', 1)}`;
};

const write = (element, type, text) => {
  if (type === 'number' && text.trim() !== '' && Number.isNaN(Number(text.trim()))) throw new Refusal('rejected', { why: 'it takes numbers only', value: isSecret(element) ? '' : inputValue(element) });
  const before = plainValue(element);
  focusElement(element);
  if (!isFocusWithin(element)) return writeDirectly(element, text);
  let heard = false;
  const hear = (event) => (heard ||= event.composedPath()[0] === element || !contains(document, element));
  // The page may move the focus before the text is put in.
  const keep = (event) => !isFocusWithin(element) && event.preventDefault();
  addEventListener('input', hear, true);
  addEventListener('beforeinput', keep);
  selectText(element);
  if (text === '') editCommand('delete', '');
  else editCommand('insertText', text);
  removeEventListener('input', hear, true);
  removeEventListener('beforeinput', keep);
  // Once the page heard of the text, another way could put it in a second time.
  if (!heard && tidy(plainValue(element)) !== tidy(text) && plainValue(element) === before) return writeDirectly(element, text);
  if (plainValue(element) !== before) {
    announce(element);
    fire(element, 'change');
  }
};

/**
 * Fields whose change was told, and the value it was told for. The browser
 * counts the editing commands as typing and tells of it once more when the
 * field loses the focus; the page shall hear of one change once.
 * @type {WeakMap<Element, string>}
 */
const announced = new WeakMap();
/** Trees that are listened to: their changes do not come out of them. @type {WeakSet<Node>} */
const heard = new WeakSet();

const announce = (field) => {
  announced.set(field, plainValue(field));
  if (globalThis.browseEar) globalThis.browseEar.settle = settleEdit;
  const root = rootNode(field) instanceof ShadowRoot || !globalThis.browseEar ? rootNode(field) : null;
  if (root === null || heard.has(root)) return;
  heard.add(root);
  for (const type of ['change', 'blur']) root.addEventListener(type, settleEdit, true);
};

/** Stops the browser's own report of a change that was told, and of no other. */
const settleEdit = (event) => {
  const field = event.composedPath()[0];
  if (!event.isTrusted || !(field instanceof Element) || !announced.has(field)) return;
  const told = announced.get(field);
  announced.delete(field);
  if (event.type === 'change' && plainValue(field) === told) event.stopImmediatePropagation();
};

export const plainValue = (element) => (element instanceof HTMLInputElement ? inputValue(element) : element instanceof HTMLTextAreaElement ? areaValue(element) : editorText(element));

/** For fields that give the focus away at once, and where editing commands do nothing. */
const writeDirectly = (field, text) => {
  if (field instanceof HTMLInputElement) setInputValue(field, text);
  else setAreaValue(field, text);
  if (text !== '' && plainValue(field) === '') throw new Refusal('rejected', { why: 'it does not take this text', value: '' });
  fire(field, 'input', { inputType: 'insertText', data: text });
  fire(field, 'change');
};

// === Choosing options of a select element ===

/** @param {{target: Target, values: string[]}} argument */
export const choose = ({ target, values }) => {
  beginCall();
  const found = findOne(target);
  return withLabel(found, () => {
    const select = found instanceof HTMLOptionElement ? closest(found, 'select') : fieldOf(found);
    if (!(select instanceof HTMLSelectElement)) throw new Refusal('not-select');
    if (!isVisible(select)) throw new Refusal('hidden', { why: hiddenBecause(select) });
    if (isDisabled(select)) throw new Refusal('disabled');
    const options = list(selectOptions(select));
    if (values.length > 1 && !selectMultiple(select)) throw new Refusal('single-choice', { count: values.length });
    const chosen = values.map((value) => optionFor(options, value));
    watchChanges(select);
    takeBaseline();
    focusElement(select);
    const before = options.filter(optionSelected);
    if (selectMultiple(select)) options.forEach((option) => setOptionSelected(option, chosen.includes(option)));
    else if (chosen.length > 0) setOptionSelected(chosen[0], true);
    const after = options.filter(optionSelected);
    if (before.length !== after.length || before.some((option, index) => option !== after[index])) {
      fire(select, 'input');
      fire(select, 'change');
    }
    return { ...takeChanges(), selected: list(selectOptions(select)).filter(optionSelected).map((option) => clip(tidy(optionLabel(option)))), ref: numbers.get(found) || 0 };
  });
};

/** By value, then label, then the text shown without regard to case. */
const optionFor = (options, wanted) => {
  const text = tidy(wanted);
  const option =
    options.find((one) => optionValue(one) === wanted) ||
    options.find((one) => tidy(optionLabel(one)) === text) ||
    options.find((one) => tidy(textContent(one)) === text) ||
    options.find((one) => tidy(optionLabel(one)).toLowerCase() === text.toLowerCase());
  if (!option) throw new Refusal('no-option', { wanted: clip(wanted), options: options.slice(0, 50).map((one) => clip(tidy(optionLabel(one)) || optionValue(one))), count: options.length });
  if (isDisabled(option) || (localName(parentNode(option)) === 'optgroup' && isDisabled(parentNode(option)))) throw new Refusal('option-disabled', { wanted: clip(wanted) });
  return option;
};

// === File inputs, which pages like to hide behind labels and buttons ===

const inputMultiple = getter(HTMLInputElement.prototype, 'multiple');
const inputAccept = getter(HTMLInputElement.prototype, 'accept');
const inputDirectory = getter(HTMLInputElement.prototype, 'webkitdirectory');

const isFileInput = (element) => element instanceof HTMLInputElement && inputType(element) === 'file';

/** The one file input that an element stands for: itself, its label's, or the only one in it. @returns {?HTMLInputElement} */
const fileInputOf = (element) => {
  if (isFileInput(element)) return element;
  const label = element instanceof HTMLLabelElement ? element : closest(element, 'label');
  if (label && isFileInput(labelControl(label))) return labelControl(label);
  const inner = list(selectAll(element, 'input')).filter(isFileInput);
  return inner.length === 1 ? inner[0] : null;
};

/** What a person might click to get a file chooser; never a field or a plain link. */
const mayOpenChooser = (element) => {
  if (isFormControl(element)) return element instanceof HTMLInputElement && inputType(element) === 'button';
  if (localName(element) === 'a' && hasAttribute(element, 'href') && !/^(?:#|javascript:)/i.test(attribute(element, 'href')) && attribute(element, 'role') !== 'button') return false;
  return true;
};

/** What a file input takes. @param {{target: Target}} argument */
export const fileField = ({ target }) => {
  beginCall();
  const found = findOne(target);
  return withLabel(found, () => {
    const input = fileInputOf(found);
    if (!input) {
      if (!mayOpenChooser(found)) throw new Refusal('not-file');
      return { input: false };
    }
    return fileFacts(input);
  });
};

const fileFacts = (input) => {
  if (isDisabled(input)) throw new Refusal('disabled');
  watchChanges(input);
  takeBaseline();
  return { input: true, multiple: inputMultiple(input) || inputDirectory(input), accept: inputAccept(input) };
};

/** The input itself, for the browser. */
export const fileInput = ({ target }) => {
  beginCall();
  return fileInputOf(findOne(target));
};

/** The facts of an input that a file chooser was opened for, as JSON. */
export const factsOfChosen = (input) => {
  beginCall();
  try {
    return JSON.stringify(withLabel(input, () => fileFacts(input)));
  } catch (error) {
    if (error instanceof Refusal) return JSON.stringify(error.facts);
    throw error;
  }
};
