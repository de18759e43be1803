// Refs are identities: a number belongs to one element for as long as it
// lives, and to no other ever. Numbers come from the daemon; until it commits
// them, new elements are known by their index within one snapshot.

/** @type {WeakMap<Element, number>} */
const numbers = new WeakMap();
/** @type {Map<number, WeakRef<Element>>} */
const referenced = new Map();
/** Elements of the latest call that wait for their numbers. @type {{serial: number, elements: Element[], indices: Map<Element, number>}} */
let pending = { serial: 0, elements: [], indices: new Map() };

const beginRefs = () => {
  pending = { serial: pending.serial + 1, elements: [], indices: new Map() };
};

/** @param {Element} element @returns {number} Its number, or -(index + 1) while it has none. */
const refFor = (element) => {
  const number = numbers.get(element);
  if (number !== undefined) return number;
  const known = pending.indices.get(element);
  if (known !== undefined) return -known - 1;
  const index = pending.elements.push(element) - 1;
  pending.indices.set(element, index);
  return -index - 1;
};

/** Gives the new elements of the call `serial` the numbers from `base` on. */
const commit = (serial, base) => {
  if (pending.serial !== serial) return;
  pending.elements.forEach((element, index) => {
    numbers.set(element, base + index);
    referenced.set(base + index, new WeakRef(element));
  });
  beginRefs();
};

/** @param {number} number @returns {?Element} Null when it left this document or never was in it. */
const elementOf = (number) => {
  const weak = referenced.get(number);
  const element = weak && weak.deref();
  if (element === undefined) {
    referenced.delete(number);
    return null;
  }
  return isConnected(element) && ownerDocument(element) === document ? element : null;
};
