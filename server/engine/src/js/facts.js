// Facts about one element, for `get`, `is`, `attrs` and `html`.

import { hiddenBecause, withLabel } from './aim.js';
import { takeChanges, watchChanges } from './changes.js';
import { ELEMENT, areaValue, attributeNames, boundingRect, focusElement, inputValue, localName, nodeType, scrollIntoView, scrollingElement, selectValue, shadowSelectAll } from './dom.js';
import { fieldOf, isEditable } from './fill.js';
import { hiddenWithin } from './hidden-cache.js';
import { documentMarkup, innerMarkup, whole } from './markup.js';
import { descriptionOf, nameOf } from './names.js';
import { attribute, documentElement, getter, inputType, list, selectAll, textContent } from './primordials.js';
import { beginRefs, elementOf, numbers, pending, refFor } from './refs.js';
import { Refusal } from './refusal.js';
import { roleOf } from './roles.js';
import { MASK, isSecret } from './secrets.js';
import { CHECKABLE, focusedElement, isDisabled, markOf, statesOf, valueOf } from './states.js';
import { findAll, findOne, labelOf } from './targets.js';
import { flatContains, flatParent, shadowRootsWithin } from './tree.js';
import { isVisible } from './visibility.js';
import { beginCall, knownRoots } from './walk.js';
/** @import { Target } from './targets.js' */

export const withElement = (target, read) => {
  beginCall();
  return read(findOne(target));
};

export const count = ({ target }) => {
  beginCall();
  return { count: findAll(target).length };
};

/** Role, name, description and states, as a snapshot has them. */
export const describe = ({ target }) =>
  withElement(target, (element) => {
    const role = roleOf(element);
    const name = nameOf(element, role);
    return { role, name: whole(name), description: whole(descriptionOf(element, name)), states: statesOf(element, role), tag: localName(element) };
  });

export const attributesOf = ({ target }) =>
  withElement(target, (element) => {
    const secret = isSecret(element);
    return { attributes: attributeNames(element).map((name) => [name, secret && name === 'value' && attribute(element, name) ? MASK : whole(attribute(element, name) || '')]) };
  });

/** @param {{target?: Target, seen?: boolean}} argument HTML is whole; with `seen` what of it no person sees is counted. */
export const html = ({ target, seen }) => {
  const told = (top, markup) => {
    const unseen = seen && top ? hiddenWithin(top, shadowRootsWithin(top)) : null;
    return { html: markup, unseen: unseen === null ? {} : unseen.counts };
  };
  if (!target) return told(documentElement(document), documentMarkup());
  return withElement(target, (element) => told(element, innerMarkup(element)));
};

/** The value of a field, of the selected option, or the text of what is edited. */
export const value = ({ target }) =>
  withElement(target, (found) => {
    const element = fieldOf(found);
    if (isSecret(element)) return { value: '' };
    if (element instanceof HTMLSelectElement) return { value: whole(selectValue(element)) };
    if (element instanceof HTMLInputElement && ['checkbox', 'radio', 'button', 'submit', 'reset'].includes(inputType(element))) return { value: whole(inputValue(element)) };
    return { value: whole(valueOf(element, roleOf(element))) };
  });

export const box = ({ target, reveal }) =>
  withElement(target, (element) => {
    if (reveal) {
      revealedFrom = scrollersAround(element).map((node) => [node, scrollLeftOf(node), scrollTopOf(node)]);
      scrollIntoView(element, { block: 'center', inline: 'nearest', behavior: 'instant' });
    }
    const rect = boundingRect(element);
    return { x: rect.x, y: rect.y, width: rect.width, height: rect.height, scrollX, scrollY };
  });

/** Where everything stood before an element was scrolled into view. @type {Array<[Element, number, number]>} */
let revealedFrom = [];

export const scrollLeftOf = getter(Element.prototype, 'scrollLeft');
export const scrollTopOf = getter(Element.prototype, 'scrollTop');

/** What scrolls when an element is scrolled into view, in this document. */
const scrollersAround = (element) => {
  const found = new Set(scrollingElement(document) ? [scrollingElement(document)] : []);
  for (let node = element; node && nodeType(node) === ELEMENT; node = flatParent(node)) found.add(node);
  return [...found];
};

/** Scrolls everything back to where it stood before `box` revealed an element. */
export const unreveal = () => {
  for (const [node, left, top] of revealedFrom) if (scrollLeftOf(node) !== left || scrollTopOf(node) !== top) /** @type {any} */ (Element.prototype.scrollTo).call(node, { left, top, behavior: 'instant' });
  revealedFrom = [];
  return {};
};

/** @param {{target: Target, state: string}} argument A missing element is hidden, everything else is refused. */
export const is = ({ target, state }) => {
  beginCall();
  if (state === 'hidden' || state === 'visible') {
    const found = target.kind === 'ref' ? [elementOf(target.number)].filter(Boolean) : findAll(target);
    const visible = found.some(isVisible);
    return { is: state === 'visible' ? visible : !visible };
  }
  const element = findOne(target);
  const field = fieldOf(element);
  switch (state) {
    case 'enabled':
      return { is: !isDisabled(field) };
    case 'disabled':
      return { is: isDisabled(field) };
    case 'checked':
      return checkedFact(field);
    case 'editable':
      return { is: isEditable(field) };
    case 'focused':
      return { is: focusedElement() === element || focusedElement() === field };
  }
  throw new Refusal('unknown-state');
};

const checkedFact = (field) => {
  const role = roleOf(field);
  if (!CHECKABLE.has(role) && attribute(field, 'aria-checked') === null) return withLabel(field, () => { throw new Refusal('not-checkable'); });
  return { is: markOf(field, role) === 'checked' };
};

/** Focuses without a click. */
export const focus = ({ target }) =>
  withElement(target, (found) =>
    withLabel(found, () => {
      const element = found instanceof HTMLLabelElement ? fieldOf(found) : found;
      if (!isVisible(element)) throw new Refusal('hidden', { why: hiddenBecause(element) });
      if (isDisabled(element)) throw new Refusal('disabled');
      watchChanges(null);
      focusElement(element);
      const now = focusedElement();
      if (!now || !(now === element || flatContains(element, now))) throw new Refusal('not-focusable');
      return { ...takeChanges(), ref: numbers.get(found) || 0 };
    }),
  );

/** Resolves a target and gives it a number for later calls. */
export const resolve = ({ target }) =>
  withElement(target, (element) => {
    beginRefs();
    const [role, name] = labelOf(element);
    return { ref: refFor(element), role, name, serial: pending.serial, fresh: pending.elements.length };
  });

/** The element itself, for calls of the browser that want an object. */
export const object = ({ target }) => {
  beginCall();
  return findOne(target);
};

// === What secret fields hold, so that nothing else says it ===

/** The fields with secrets of this document, those in shadow trees included. @returns {Element[]} */
const secretFields = () => {
  const top = documentElement(document);
  const found = top ? list(selectAll(top, 'input,textarea')).filter(isSecret) : [];
  for (const root of knownRoots()) found.push(...list(shadowSelectAll(root, 'input,textarea')).filter(isSecret));
  return found;
};

/** What secret fields hold, and what their markup says. @returns {{secrets: string[], suspects: number}} */
export const secrets = () => {
  beginCall();
  const held = new Set();
  for (const field of secretFields()) {
    const isInput = field instanceof HTMLInputElement;
    held.add(isInput ? inputValue(field) : areaValue(field)).add(attribute(field, 'value') || '').add(isInput ? '' : textContent(field));
  }
  held.delete('');
  return { secrets: [...held].map(whole), suspects: 0 };
};
