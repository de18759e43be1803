// Facts about one element, for `get`, `is`, `attrs` and `html`.

const withElement = (target, read) => {
  beginCall();
  return read(findOne(target));
};

const count = ({ target }) => {
  beginCall();
  return { count: findAll(target).length };
};

/** Role, name, description and states, as a snapshot has them. */
const describe = ({ target }) =>
  withElement(target, (element) => {
    const role = roleOf(element);
    const name = nameOf(element, role);
    return { role, name: whole(name), description: whole(descriptionOf(element, name)), states: statesOf(element, role), tag: localName(element) };
  });

const attributesOf = ({ target }) =>
  withElement(target, (element) => {
    const secret = isSecret(element);
    return { attributes: attributeNames(element).map((name) => [name, secret && name === 'value' && attribute(element, name) ? MASK : whole(attribute(element, name) || '')]) };
  });

/** @param {{target?: Target, seen?: boolean}} argument HTML is whole; with `seen` what of it no person sees is counted. */
const html = ({ target, seen }) => {
  const told = (top, markup) => {
    const unseen = seen && top ? unseenIn(top, shadowRootsWithin(top)) : null;
    return { html: markup, unseen: unseen === null ? {} : unseen.counts };
  };
  if (!target) return told(documentElement(document), documentMarkup());
  return withElement(target, (element) => told(element, innerMarkup(element)));
};

/** The value of a field, of the selected option, or the text of what is edited. */
const value = ({ target }) =>
  withElement(target, (found) => {
    const element = fieldOf(found);
    if (isSecret(element)) return { value: '' };
    if (element instanceof HTMLSelectElement) return { value: whole(selectValue(element)) };
    if (element instanceof HTMLInputElement && ['checkbox', 'radio', 'button', 'submit', 'reset'].includes(inputType(element))) return { value: whole(inputValue(element)) };
    return { value: whole(valueOf(element, roleOf(element))) };
  });

const box = ({ target, reveal }) =>
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

const scrollLeftOf = getter(Element.prototype, 'scrollLeft');
const scrollTopOf = getter(Element.prototype, 'scrollTop');

/** What scrolls when an element is scrolled into view, in this document. */
const scrollersAround = (element) => {
  const found = new Set(scrollingElement(document) ? [scrollingElement(document)] : []);
  for (let node = element; node && nodeType(node) === ELEMENT; node = flatParent(node)) found.add(node);
  return [...found];
};

/** Scrolls everything back to where it stood before `box` revealed an element. */
const unreveal = () => {
  for (const [node, left, top] of revealedFrom) if (scrollLeftOf(node) !== left || scrollTopOf(node) !== top) Element.prototype.scrollTo.call(node, { left, top, behavior: 'instant' });
  revealedFrom = [];
  return {};
};

/** @param {{target: Target, state: string}} argument A missing element is hidden, everything else is refused. */
const is = ({ target, state }) => {
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
const focus = ({ target }) =>
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
const resolve = ({ target }) =>
  withElement(target, (element) => {
    beginRefs();
    const [role, name] = labelOf(element);
    return { ref: refFor(element), role, name, serial: pending.serial, fresh: pending.elements.length };
  });

/** The element itself, for calls of the browser that want an object. */
const object = ({ target }) => {
  beginCall();
  return findOne(target);
};
