// Expectations: whether an element has a state, and what it has instead.

/** @param {{target: Target, state: string}} argument What is missing is hidden; all else about it is refused. */
const stateIs = ({ target, state }) => {
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
const says = ({ target }) =>
  withElement(target, (found) => {
    const field = fieldOf(found);
    if (field instanceof HTMLSelectElement) return { text: whole(list(selectOptions(field)).filter(optionSelected).map(optionLabel).join('\n')) };
    const { text, art } = textWithin(isFormControl(field) ? field : found);
    return { text: whole(text), art };
  });
