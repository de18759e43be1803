// Whether a document has nothing that shows. Most frames of advertisers have not, and
// are spared the engine, which takes longer to come than all that is in them.

(() => {
  const read = (proto, name, of) => Object.getOwnPropertyDescriptor(proto, name).get.call(of);
  const top = read(Document.prototype, 'documentElement', document);
  // What is not rendered is no part of the page around it.
  if (top !== null && Element.prototype.getClientRects.call(top).length === 0) return true;
  const body = read(Document.prototype, 'body', document);
  if (body === null || read(Element.prototype, 'shadowRoot', body) !== null) return false;
  for (let node = read(Node.prototype, 'firstChild', body); node !== null; node = read(Node.prototype, 'nextSibling', node)) {
    if (node instanceof Element && !/^(?:script|style|link|meta|noscript|template|title)$/.test(read(Element.prototype, 'localName', node))) return false;
    if (node instanceof Text && /\S/.test(read(CharacterData.prototype, 'data', node))) return false;
  }
  return true;
})();
