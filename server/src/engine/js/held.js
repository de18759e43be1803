// What secret fields hold, so that nothing else says it.

/** The fields with secrets of this document, those in shadow trees included. @returns {Element[]} */
const secretFields = () => {
  const top = documentElement(document);
  const found = top ? list(selectAll(top, 'input,textarea')).filter(isSecret) : [];
  for (const root of knownRoots()) found.push(...list(shadowSelectAll(root, 'input,textarea')).filter(isSecret));
  return found;
};

/** What secret fields hold, and what their markup says. @returns {{secrets: string[]}} */
const secrets = () => {
  beginCall();
  const held = new Set();
  for (const field of secretFields()) {
    const isInput = field instanceof HTMLInputElement;
    held.add(isInput ? inputValue(field) : areaValue(field)).add(attribute(field, 'value') || '').add(isInput ? '' : textContent(field));
  }
  held.delete('');
  return { secrets: [...held].map(whole), suspects: 0 };
};
