// How the DOM is reached so that a page cannot bend it, and what little of it the
// markup of a document takes: each interface that is named costs its making.
//
// An isolated world has its own prototypes, so patched methods of the page do
// not reach it. Named fields of a form (and named elements of a document) do:
// `form.firstChild` may be an <input name=firstChild>. Hence every accessor is
// taken from its prototype once and called with the node as receiver.

/** @param {object} proto @param {string} name @returns {(object: any) => any} */
export const getter = (proto, name) => {
  const read = Object.getOwnPropertyDescriptor(proto, name).get;
  return (object) => read.call(object);
};

/** @param {object} proto @param {string} name @returns {(object: any, value: any) => void} */
export const setter = (proto, name) => {
  const write = Object.getOwnPropertyDescriptor(proto, name).set;
  return (object, value) => write.call(object, value);
};

/** @param {object} proto @param {string} name @returns {(object: any, a?: any, b?: any) => any} */
export const method = (proto, name) => {
  const call = proto[name];
  return (object, a, b) => call.call(object, a, b);
};

export const textContent = getter(Node.prototype, 'textContent');
export const attribute = method(Element.prototype, 'getAttribute');
export const selectAll = method(Element.prototype, 'querySelectorAll');
export const innerHtml = getter(Element.prototype, 'innerHTML');
export const outerHtml = getter(Element.prototype, 'outerHTML');
export const documentElement = getter(Document.prototype, 'documentElement');
export const inputType = getter(HTMLInputElement.prototype, 'type');

/** The members of a list, so that callers can use array methods. @returns {any[]} */
export const list = (nodes) => Array.prototype.slice.call(nodes);
