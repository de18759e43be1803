// Controls whose list or picker Chromium draws outside of the page, so that no picture of the
// page holds it: what a person who acts at a picture chooses from, and the choice. It is a
// function of one argument: a point of the viewport, or the answer of the person.

((argument) => {
  const call = (proto, name, of, ...rest) => proto[name].apply(of, rest);
  const pickers = ['date', 'month', 'week', 'time', 'datetime-local', 'color'];
  const clip = (text) => String(text ?? '').replace(/\s+/g, ' ').trim().slice(0, 200);
  const asked = globalThis.browsePrompt instanceof Object && globalThis.browsePrompt.element instanceof Element ? globalThis.browsePrompt : null;

  if (argument.id !== undefined) {
    if (!asked || asked.id !== argument.id || !asked.element.isConnected) return { gone: true };
    const { element } = asked;
    globalThis.browsePrompt = null;
    if (element instanceof HTMLSelectElement) {
      const option = element.options[Number(argument.values[0])];
      if (!option || option.selected) return {};
      option.selected = true;
    } else {
      const before = element.value;
      element.value = argument.text;
      if (element.value === before) return {};
    }
    element.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    element.dispatchEvent(new Event('change', { bubbles: true }));
    return {};
  }

  globalThis.browsePrompt = null;
  let element = call(Document.prototype, 'elementFromPoint', document, argument.x, argument.y);
  while (element?.shadowRoot) {
    const inner = call(ShadowRoot.prototype, 'elementFromPoint', element.shadowRoot, argument.x, argument.y);
    if (!inner || inner === element) break;
    element = inner;
  }
  const isList = element instanceof HTMLSelectElement && !element.multiple && element.size <= 1;
  const isPicker = element instanceof HTMLInputElement && pickers.includes(element.type) && !element.readOnly;
  if ((!isList && !isPicker) || call(Element.prototype, 'matches', element, ':disabled')) return {};
  element.focus();
  const id = Math.random().toString(36).slice(2);
  globalThis.browsePrompt = { id, element };
  const label = call(Element.prototype, 'getAttribute', element, 'aria-label') || element.labels[0]?.textContent || element.title || element.name;
  const options = isList ? [...element.options].slice(0, 2000) : [];
  const isOff = (option) => option.disabled || (option.parentElement instanceof HTMLOptGroupElement && option.parentElement.disabled);
  return {
    prompt: {
      id,
      kind: isList ? 'select' : element.type,
      label: clip(label),
      value: isList ? '' : element.value,
      options: options.map((option, index) => ({ value: String(index), label: clip(option.label), selected: option.selected, disabled: isOff(option) })),
    },
  };
})
