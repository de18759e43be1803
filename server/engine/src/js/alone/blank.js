// Whether a document has nothing that shows. Most frames of advertisers have not, and
// are spared the engine, which takes longer to come than all that is in them. Answers
// the body where it has nothing, for a look at its closed shadow root; else false.

(() => {
  const read = (proto, name, of) => Object.getOwnPropertyDescriptor(proto, name).get.call(of);
  const top = read(Document.prototype, 'documentElement', document);
  const body = read(Document.prototype, 'body', document);
  if (body === null) return false;
  // Of a node that came from another document no interface here is the parent.
  const says = (node) => {
    const type = read(Node.prototype, 'nodeType', node);
    if (type === 3) return /\S/.test(read(CharacterData.prototype, 'data', node));
    return type === 1 && !/^(?:script|style|link|meta|template|title)$/.test(read(Element.prototype, 'localName', node));
  };
  for (let node = read(Node.prototype, 'firstChild', body); node !== null; node = read(Node.prototype, 'nextSibling', node)) if (says(node)) return false;
  for (let node = read(Node.prototype, 'firstChild', top); node !== null; node = read(Node.prototype, 'nextSibling', node)) {
    if (node !== body && says(node) && read(Element.prototype, 'localName', node) !== 'head') return false;
  }
  return body;
})();
