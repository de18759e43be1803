// Forms: the fields that a person could fill in, form by form.

import { callContext } from './call-context.js';
import { ELEMENT, areaValue, documentSelectAll, hasAttribute, inputList, inputValue, localName, matches, nodeType, optionLabel, optionSelected, optionValue, selectFirst, selectOptions, shadowSelectAll, tidy } from './dom.js';
import { isUnseenControl } from './drawn.js';
import { isReadonly } from './fill.js';
import { hiddenWithin } from './hidden-cache.js';
import { whole } from './markup.js';
import { descriptionOf, nameOf, placeholderOf } from './names.js';
import { attribute, documentElement, getter, inputType, list, selectAll } from './primordials.js';
import { beginRefs, pending, refFor } from './refs.js';
import { explicitRole, isEditingHost, roleOf } from './roles.js';
import { isFormControl, isSecret } from './secrets.js';
import { CHECKABLE, checkedState, focusedElement, isDisabled, selectedLabels, valueOf } from './states.js';
import { HOST_TAGS } from './tags.js';
import { eachChild, flatParent, isAsked, shadowOf, shadowRootsWithin, suspects } from './tree.js';
import { isShown } from './visibility.js';
import { MAX_LEVEL, beginCall } from './walk.js';

const formOwnerOf = { input: getter(HTMLInputElement.prototype, 'form'), select: getter(HTMLSelectElement.prototype, 'form'), textarea: getter(HTMLTextAreaElement.prototype, 'form'), button: getter(HTMLButtonElement.prototype, 'form') };
export const validationMessage = { input: getter(HTMLInputElement.prototype, 'validationMessage'), select: getter(HTMLSelectElement.prototype, 'validationMessage'), textarea: getter(HTMLTextAreaElement.prototype, 'validationMessage') };
const buttonType = getter(HTMLButtonElement.prototype, 'type');
const optionDisabled = getter(HTMLOptionElement.prototype, 'disabled');
const formElements = getter(HTMLFormElement.prototype, 'elements');
const actionOf = getter(HTMLFormElement.prototype, 'action');
const submitterAction = { input: getter(HTMLInputElement.prototype, 'formAction'), button: getter(HTMLButtonElement.prototype, 'formAction') };

/** What a page builds fields of when it does not use those of HTML. */
const WIDGETS = new Set(['textbox', 'searchbox', 'combobox', 'listbox', 'checkbox', 'radio', 'switch', 'slider', 'spinbutton']);

const FIELDS_AND_FORMS = 'form,input,select,textarea,button,[role],[contenteditable]';

/** Calls `visit` for the matches of a selector, those in shadow trees in the place of their hosts. */
const eachMatch = (top, selector, visit) => {
  if (shadowRootsWithin(top).length === 0) list(selectAll(top, selector)).forEach(visit);
  else
    walkElements(top, (element) => {
      if (matches(element, selector)) visit(element);
    });
};

/** Visits the elements of the flat tree; the inside of one is left out when `visit` answers false. */
export const walkElements = (top, visit) => {
  let level = 0;
  const enter = (element) => {
    if (visit(element) === false || level > MAX_LEVEL) return;
    level += 1;
    eachChild(element, (child) => {
      if (nodeType(child) === ELEMENT) enter(child);
    });
    level -= 1;
  };
  enter(top);
};

/** @param {{seen?: boolean, sends?: boolean}} argument With `seen` a field that no person sees is marked as hidden; with `sends` see `sendings`. @returns {object} Forms with their fields, loose fields, and new refs. */
export const forms = ({ seen, sends }) => {
  if (sends) return sendings();
  beginRefs();
  beginCall();
  const answer = { serial: pending.serial, fresh: 0, suspects: 0, forms: [], fields: [] };
  const top = documentElement(document);
  if (!top) return answer;
  if (seen) callContext.hidden = hiddenWithin(top, shadowRootsWithin(document));
  callContext.closedRootCandidates = suspects();
  answer.suspects = callContext.closedRootCandidates.length;
  const known = new Map();
  const formOf = (element) => {
    if (!known.has(element)) {
      known.set(element, describeForm(element));
      answer.forms.push(known.get(element));
    }
    return known.get(element);
  };
  eachMatch(top, FIELDS_AND_FORMS, (element) => {
    if (element instanceof HTMLFormElement) {
      if (isShown(element)) formOf(element);
      return;
    }
    const field = /** @type {any} */ (describeField(element));
    if (field === null) return;
    const owner = ownerForm(element);
    if (owner) formOf(owner).fields.push(field);
    else if (!BUTTON_TYPES.has(field.type)) answer.fields.push(field);
  });
  answer.fresh = pending.elements.length;
  return answer;
};

const BUTTON_TYPES = new Set(['button', 'submit', 'reset', 'image']);

const ownerForm = (element) => {
  const native = formOwnerOf[localName(element)];
  const owner = native && isFormPart(element) ? native(element) : null;
  if (owner) return owner;
  for (let node = flatParent(element); node; node = flatParent(node)) if (node instanceof HTMLFormElement) return node;
  return null;
};

const isFormPart = (element) => isFormControl(element) || element instanceof HTMLButtonElement;

const describeForm = (form) => {
  const method = (attribute(form, 'method') || 'get').trim().toLowerCase();
  return {
    name: whole(attribute(form, 'name') || attribute(form, 'id') || ''),
    label: whole(nameOf(form)),
    method: ['get', 'post', 'dialog'].includes(method) ? method : 'get',
    action: whole(absolute(attribute(form, 'action') || '')),
    fields: [],
  };
};

/** An address as the browser would open it; '' for one that it would not. */
export const absolute = (address) => {
  try {
    return new URL(address.trim(), document.baseURI).href;
  } catch {
    return '';
  }
};

/** @returns {?object} Null for what a person cannot fill in. */
const describeField = (element) => {
  const type = fieldType(element);
  if (type === '') return null;
  const shown = isShown(element);
  // A chooser of files often hides behind a button of the page's own.
  if (!shown && type !== 'file') return null;
  const role = roleOf(element);
  const field = { ref: refFor(element), type, role, label: whole(nameOf(element, role)), name: whole(attribute(element, 'name') || attribute(element, 'id') || '') };
  const flag = (name, holds) => {
    if (holds) field[name] = true;
  };
  const say = (name, text) => {
    if (text) field[name] = whole(text);
  };
  flag('hidden', !shown || (callContext.hidden !== null && isUnseenControl(callContext.hidden, element)));
  flag('disabled', isDisabled(element));
  if (BUTTON_TYPES.has(type)) return field;
  const checkable = CHECKABLE.has(role);
  if (checkable) field.checked = checkedState(element, role, localName(element)) === 'checked';
  flag('required', hasAttribute(element, 'required') || attribute(element, 'aria-required') === 'true');
  flag('readonly', isReadonly(element));
  flag('multiple', hasAttribute(element, 'multiple'));
  flag('secret', isSecret(element));
  if (!isSecret(element)) field.value = whole(checkable ? attribute(element, 'value') || '' : fieldValue(element, role));
  say('placeholder', placeholderOf(element));
  say('description', descriptionOf(element, field.label));
  say('group', groupOf(element, checkable));
  for (const name of ['min', 'max', 'step', 'pattern', 'maxlength', 'accept', 'autocomplete']) say(name, attribute(element, name));
  const complain = validationMessage[localName(element)];
  if (complain && isFormControl(element) && matches(element, ':user-invalid')) say('problem', complain(element));
  if (element instanceof HTMLSelectElement) field.options = list(selectOptions(element)).map(describeOption);
  else if (element instanceof HTMLInputElement && inputList(element)) field.options = list(selectAll(inputList(element), 'option')).map(describeOption);
  return field;
};

/** @returns {string} '' for what is no field. */
const fieldType = (element) => {
  if (element instanceof HTMLInputElement) return inputType(element) === 'hidden' ? '' : inputType(element);
  if (element instanceof HTMLSelectElement) return 'select';
  if (element instanceof HTMLTextAreaElement) return 'textarea';
  if (element instanceof HTMLButtonElement) return buttonType(element);
  const role = explicitRole(element, localName(element));
  if (WIDGETS.has(role)) return selectFirst(element, 'input,select,textarea') ? '' : role;
  return isEditingHost(element) ? 'contenteditable' : '';
};

const fieldValue = (element, role) => {
  if (element instanceof HTMLSelectElement) return selectedLabels(element);
  return valueOf(element, isEditingHost(element) ? 'textbox' : role);
};

/** What a set of choices is about. */
const groupOf = (element, checkable) => {
  if (!checkable) return '';
  for (let node = flatParent(element); node && nodeType(node) === ELEMENT; node = flatParent(node)) {
    const role = attribute(node, 'role');
    if (localName(node) === 'fieldset' || role === 'radiogroup' || role === 'group') return nameOf(node);
    if (node instanceof HTMLFormElement) return '';
  }
  return '';
};

const describeOption = (option) => ({ value: whole(optionValue(option)), label: whole(tidy(optionLabel(option))), selected: optionSelected(option), disabled: optionDisabled(option) });

/** Characters in the fields of all forms that are looked at, and sites of one form. */
const MOST_SENT = 1 << 20;
const MOST_HOSTS = 100;

/** Types of inputs that nobody types into. */
const UNTYPED = new Set(['hidden', 'submit', 'button', 'reset', 'image', 'file']);

/**
 * What all forms would send to other hosts, whoever submits them: by their own
 * action and by that of each of their buttons, in shadow trees too.
 * @returns {{suspects: number, sendings: {to: string[], text: string}[], cut: boolean}} `cut`: it is not all.
 */
const sendings = () => {
  beginCall();
  // Whoever types into a closed tree that looks like none has the focus there.
  const focus = focusedElement();
  const maybe = suspects();
  callContext.closedRootCandidates = focus && !shadowOf(focus) && !isAsked(focus) && HOST_TAGS.has(localName(focus)) && !maybe.includes(focus) ? [...maybe, focus] : maybe;
  const answer = { suspects: callContext.closedRootCandidates.length, sendings: [], cut: false };
  const addresses = new Map();
  const note = (form, address) => {
    if (!addresses.has(form)) addresses.set(form, new Set());
    addresses.get(form).add(address);
  };
  eachInTrees('form', (form) => {
    if (form instanceof HTMLFormElement) note(form, actionOf(form));
  });
  // Not by the elements of a form: a button that is an image is none of them.
  eachInTrees('button[formaction],input[formaction]', (button) => {
    const form = isFormPart(button) ? formOwnerOf[localName(button)](button) : null;
    if (form) note(form, submitterAction[localName(button)](button));
  });
  let left = MOST_SENT;
  for (const [form, all] of addresses) {
    const to = otherHosts(all);
    if (to.length === 0) continue;
    const text = typedInto(form);
    if (text.trim() === '') continue;
    left -= text.length;
    if (left < 0 || to.length > MOST_HOSTS) answer.cut = true;
    if (left >= 0) answer.sendings.push({ to: to.slice(0, MOST_HOSTS).map(whole), text: whole(text) });
  }
  return answer;
};

const eachInTrees = (selector, visit) => {
  list(documentSelectAll(document, selector)).forEach(visit);
  for (const root of shadowRootsWithin(document)) list(shadowSelectAll(root, selector)).forEach(visit);
};

/** Of the addresses that lead to other hosts one each. */
const otherHosts = (addresses) => {
  const found = new Map();
  for (const address of addresses) {
    const { host, href } = URL.canParse(address, document.baseURI) ? new URL(address, document.baseURI) : location;
    if (host !== location.host) found.set(host, href);
  }
  return [...found.values()];
};

/** What stands in the fields of a form, those of its components as well, which hand on what they like. */
const typedInto = (form) => {
  const fields = list(formElements(form));
  for (const root of shadowRootsWithin(form)) fields.push(...list(shadowSelectAll(root, 'input,select,textarea')));
  return fields.map(typedValue).join('\n');
};

const typedValue = (field) => {
  if (field instanceof HTMLInputElement) return UNTYPED.has(inputType(field)) ? '' : inputValue(field);
  if (field instanceof HTMLTextAreaElement) return areaValue(field);
  return field instanceof HTMLSelectElement ? list(selectOptions(field)).filter(optionSelected).map(optionValue).join('\n') : '';
};
