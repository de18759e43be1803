// Choosing options of a select element.

/** @param {{target: Target, values: string[]}} argument */
const choose = ({ target, values }) => {
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
