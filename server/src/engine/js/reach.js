// How the DOM is reached so that a page cannot bend it, and what little of it the
// markup of a document takes: each interface that is named costs its making.
//
// An isolated world has its own prototypes, so patched methods of the page do
// not reach it. Named fields of a form (and named elements of a document) do:
// `form.firstChild` may be an <input name=firstChild>. Hence every accessor is
// taken from its prototype once and called with the node as receiver.

/** @param {object} proto @param {string} name @returns {(object: any) => any} */
const getter = (proto, name) => {
  const read = Object.getOwnPropertyDescriptor(proto, name).get;
  return (object) => read.call(object);
};

/** @param {object} proto @param {string} name @returns {(object: any, value: any) => void} */
const setter = (proto, name) => {
  const write = Object.getOwnPropertyDescriptor(proto, name).set;
  return (object, value) => write.call(object, value);
};

/** @param {object} proto @param {string} name @returns {(object: any, a?: any, b?: any) => any} */
const method = (proto, name) => {
  const call = proto[name];
  return (object, a, b) => call.call(object, a, b);
};

const textContent = getter(Node.prototype, 'textContent');
const attribute = method(Element.prototype, 'getAttribute');
const selectAll = method(Element.prototype, 'querySelectorAll');
const innerHtml = getter(Element.prototype, 'innerHTML');
const outerHtml = getter(Element.prototype, 'outerHTML');
const documentElement = getter(Document.prototype, 'documentElement');
const inputType = getter(HTMLInputElement.prototype, 'type');

/** The elements of a list, so that callers can use array methods. @returns {Element[]} */
const list = (nodes) => Array.prototype.slice.call(nodes);
