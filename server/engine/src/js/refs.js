// Refs are identities: a number belongs to one element for as long as it
// lives, and to no other ever. Numbers come from the daemon; until it commits
// them, new elements are known by their index within one snapshot.

import { isConnected, ownerDocument } from './dom.js';

/** @type {WeakMap<Element, number>} */
export const numbers = new WeakMap();
/** @type {Map<number, WeakRef<Element>>} */
const referenced = new Map();
/**
 * Elements that wait for their numbers, by call. Calls may overlap: an element
 * that two of them met before the first commit answers to both numbers.
 * @typedef {{serial: number, elements: Element[], indices: Map<Element, number>}} Pending
 * @type {Map<number, Pending>}
 */
const uncommitted = new Map();
/** Those of the running call. @type {Pending} */
export let pending = { serial: 0, elements: [], indices: new Map() };

/** Calls that may be without their numbers; what was given up is forgotten. */
const MAX_UNCOMMITTED = 16;

export const beginRefs = () => {
  pending = { serial: pending.serial + 1, elements: [], indices: new Map() };
  uncommitted.set(pending.serial, pending);
  if (uncommitted.size > MAX_UNCOMMITTED) uncommitted.delete(uncommitted.keys().next().value);
};

/** @param {Element} element @returns {number} Its number, or -(index + 1) while it has none. */
export const refFor = (element) => {
  const number = numbers.get(element);
  if (number !== undefined) return number;
  const known = pending.indices.get(element);
  if (known !== undefined) return -known - 1;
  const index = pending.elements.push(element) - 1;
  pending.indices.set(element, index);
  return -index - 1;
};

/** Gives the new elements of the call `serial` the numbers from `base` on. */
export const commit = (serial, base) => {
  const call = uncommitted.get(serial);
  if (!call) return;
  uncommitted.delete(serial);
  call.elements.forEach((element, index) => {
    if (!numbers.has(element)) numbers.set(element, base + index);
    referenced.set(base + index, new WeakRef(element));
  });
  if (referenced.size > sweepAt) sweep();
};

/** Grows with what lives, so that sweeping stays cheap. */
let sweepAt = 20_000;

/** Forgets numbers whose elements are gone for good. */
const sweep = () => {
  for (const [number, weak] of referenced) if (weak.deref() === undefined) referenced.delete(number);
  sweepAt = Math.max(20_000, referenced.size * 2);
};

/** @param {number} number @returns {?Element} Null when it left this document or never was in it. */
export const elementOf = (number) => {
  const weak = referenced.get(number);
  const element = weak && weak.deref();
  if (element === undefined) {
    referenced.delete(number);
    return null;
  }
  return isConnected(element) && ownerDocument(element) === document ? element : null;
};
