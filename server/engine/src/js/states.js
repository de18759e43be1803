// States and values, as the words that stand in brackets in a snapshot.

import { callContext } from './call-context.js';
import { ownText } from './clickable.js';
import { ELEMENT, areaValue, closest, documentActive, documentBody, documentDesignMode, hasAttribute, hasAttributes, inputChecked, inputFiles, inputMixed, inputValue, isContentEditable, localName, matches, nodeType, optionLabel, optionSelected, parentNode, selectFirst, selectOptions, shadowActiveElement, tidy } from './dom.js';
import { editorText } from './editing.js';
import { attribute, inputType, list, selectAll, textContent } from './primordials.js';
import { isDisclosure } from './roles.js';
import { isFormControl, isSecret } from './secrets.js';
import { EDITABLE_ROLES } from './tags.js';
import { flatParent, shadowOf } from './tree.js';

/** @param {Element} element @param {string} role @returns {string[]} */
export const statesOf = (element, role) => {
  const states = [];
  const tag = localName(element);
  const plain = !hasAttributes(element);
  if (role === 'heading') states.push(`level=${headingLevel(element, tag)}`);
  const checked = checkedState(element, role, tag);
  if (checked) states.push(checked);
  if (isDisabled(element, tag)) states.push('disabled');
  const expanded = plain && tag !== 'summary' ? '' : expandedState(element, tag);
  if (expanded) states.push(expanded);
  if (isSelected(element, role, tag)) states.push('selected');
  if (!plain) attributeStates(element, role, states);
  if (isFocused(element)) states.push('focused');
  return states;
};

const attributeStates = (element, role, states) => {
  const pressed = attribute(element, 'aria-pressed');
  if (pressed === 'true') states.push('pressed');
  else if (pressed === 'mixed') states.push('pressed=mixed');
  const field = EDITABLE_ROLES.has(role) || role === 'checkbox' || role === 'radio' || role === 'listbox' || role === 'radiogroup' || role === 'switch';
  if (!field && !hasAttribute(element, 'aria-current')) return;
  if (attribute(element, 'aria-required') === 'true' || (hasAttribute(element, 'required') && isFormControl(element))) states.push('required');
  const invalid = attribute(element, 'aria-invalid');
  if (invalid !== null ? invalid !== '' && invalid !== 'false' : isFormControl(element) && matches(element, ':user-invalid')) states.push('invalid');
  if (attribute(element, 'aria-readonly') === 'true' || (hasAttribute(element, 'readonly') && isFormControl(element))) states.push('readonly');
  const current = attribute(element, 'aria-current');
  if (current && current !== 'false') states.push(current === 'true' ? 'current' : `current=${current}`);
};

export const headingLevel = (element, tag) => {
  const level = parseInt(attribute(element, 'aria-level') || '', 10);
  if (level > 0) return level;
  return /^h[1-6]$/.test(tag) ? Number(tag[1]) : 2;
};

export const CHECKABLE = new Set(['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio', 'option', 'treeitem']);

/** @returns {string} `checked`, `checked=mixed` or ''. */
export const checkedState = (element, role, tag) => {
  if (!CHECKABLE.has(role)) return '';
  if (tag === 'input') {
    const type = inputType(element);
    if (type === 'checkbox' && inputMixed(element)) return 'checked=mixed';
    if (type === 'checkbox' || type === 'radio') return inputChecked(element) ? 'checked' : '';
  }
  const value = attribute(element, 'aria-checked');
  return value === 'true' ? 'checked' : value === 'mixed' ? 'checked=mixed' : '';
};

/** As `checkedState`; an item of a tree is as its own checkbox is, or as it is selected. */
export const markOf = (element, role) => {
  if (role !== 'treeitem' || hasAttribute(element, 'aria-checked')) return checkedState(element, role, localName(element));
  const own = list(selectAll(element, 'input[type=checkbox]')).find((box) => closest(box, '[role=treeitem]') === element);
  if (own) return checkedState(own, 'checkbox', 'input');
  return attribute(element, 'aria-selected') === 'true' ? 'checked' : '';
};

/** Form controls, and those whose fieldset or form says so. */
export const isNativelyDisabled = (element) => matches(element, ':disabled');

/** Disabled for the browser, or said to be so by its author, an ancestor included. */
export const isDisabled = (element, tag = localName(element)) => {
  if (DISABLEABLE.has(tag) && isNativelyDisabled(element)) return true;
  if (hasAttributes(element) && attribute(element, 'aria-disabled') === 'true') return true;
  if (!callContext.anyAriaDisabled) return false;
  for (let node = flatParent(element); node && nodeType(node) === ELEMENT; node = flatParent(node)) {
    if (attribute(node, 'aria-disabled') === 'true') return true;
  }
  return false;
};

const DISABLEABLE = new Set(['button', 'input', 'select', 'textarea', 'option', 'optgroup', 'fieldset']);

export const expandedState = (element, tag) => {
  if (tag === 'summary' && isDisclosure(element)) return hasAttribute(parentNode(element), 'open') ? 'expanded' : 'collapsed';
  const value = attribute(element, 'aria-expanded');
  return value === 'true' ? 'expanded' : value === 'false' ? 'collapsed' : '';
};

const isSelected = (element, role, tag) => {
  if (tag === 'option' && element instanceof HTMLOptionElement) return optionSelected(element);
  return hasAttributes(element) && attribute(element, 'aria-selected') === 'true' && role !== 'checkbox';
};

/** The element that has the keyboard, through shadow trees. @returns {?Element} */
export const focusedElement = () => {
  let active = documentActive(document);
  while (active) {
    const root = shadowOf(active);
    const inner = root && shadowActiveElement(root);
    if (!inner) break;
    active = inner;
  }
  return active && (active !== documentBody(document) || isBodyEditable()) ? active : null;
};

/** Whether the whole document is an editor, as in the frames of some. */
export const isBodyEditable = () => {
  if (documentDesignMode(document) === 'on') return true;
  const body = documentBody(document);
  return body !== null && hasAttribute(body, 'contenteditable') && attribute(body, 'contenteditable') !== 'false';
};

export const isFocused = (element) => element === callContext.focused;

/** Secret fields never tell; their length is not told either. @returns {string} */
export const valueOf = (element, role) => {
  if (isSecret(element)) return '';
  if (element instanceof HTMLInputElement) {
    const type = inputType(element);
    if (['checkbox', 'radio', 'button', 'submit', 'reset', 'image', 'hidden', 'password'].includes(type)) return '';
    if (type === 'file') return list(inputFiles(element) || []).map((file) => file.name).join(', ');
    return inputValue(element) || (role === 'combobox' ? chosenBeside(element) : '');
  }
  if (element instanceof HTMLTextAreaElement) return areaValue(element);
  if (element instanceof HTMLSelectElement) return selectedLabels(element);
  switch (role) {
    case 'slider':
    case 'spinbutton':
    case 'scrollbar':
    case 'progressbar':
    case 'meter':
      return attribute(element, 'aria-valuetext') || attribute(element, 'aria-valuenow') || attribute(element, 'value') || '';
    case 'textbox':
    case 'searchbox':
    case 'combobox':
      return editableText(element, role);
    case 'listbox':
      return list(selectAll(element, '[aria-selected="true"]')).map((option) => tidy(textContent(option))).join(', ');
  }
  return '';
};

export const selectedLabels = (select) => list(selectOptions(select)).filter(optionSelected).map((option) => tidy(optionLabel(option))).join(', ');

const editableText = (element, role) => {
  if (element instanceof HTMLElement && isContentEditable(element)) return editorText(element);
  const field = selectFirst(element, 'input:not([type=password]), textarea');
  if (field && isSecret(field)) return '';
  const value = field ? (field instanceof HTMLInputElement ? inputValue(field) : areaValue(field)) : '';
  if (value !== '') return value;
  return role === 'combobox' ? ownText(element, UNCHOSEN) : field ? '' : tidy(textContent(element));
};

/** Text in a combobox that is not what was chosen. */
const UNCHOSEN = 'button,[role=button],[role=listbox],[role=option],[class*=placeholder i],[id*=placeholder i],[aria-live]';

/** Ancestors of a field in which its choice may stand. */
const MOST_AROUND = 3;

/** What was chosen, where a combobox shows it beside its empty field. */
const chosenBeside = (input) => {
  if (!hasAttribute(input, 'aria-haspopup') && !hasAttribute(input, 'aria-expanded') && !hasAttribute(input, 'aria-controls')) return '';
  let holder = input;
  for (let step = 0; step < MOST_AROUND; step++) {
    holder = flatParent(holder);
    if (!holder || nodeType(holder) !== ELEMENT || localName(holder) === 'label' || list(selectAll(holder, 'input:not([type=hidden]),select,textarea,label')).some((other) => other !== input)) return '';
    const text = ownText(holder, UNCHOSEN);
    if (text !== '') return text;
  }
  return '';
};

/** Whether a secret was put in, of which nothing else is told. */
export const holdsSecret = (element) => isSecret(element) && (element instanceof HTMLInputElement ? inputValue(element) : element instanceof HTMLTextAreaElement ? areaValue(element) : '') !== '';
