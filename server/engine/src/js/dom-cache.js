// What was found in the document and stays true until an element or attribute
// of it changes, so that who reads a page twice looks for it once.

import { documentSelectFirst } from './dom.js';

/** @type {Map<string, {key: object, found: object}>} */
const findings = new Map();

/** A page that is not read again keeps no lists of its elements. Held weakly, they would be gone with every other reading. */
const FINDINGS_LIFE_MS = 20_000;

let findingsTimer = 0;

let isWatchingFindings = false;

const forgetFindings = () => {
  clearTimeout(findingsTimer);
  findingsTimer = 0;
  findings.clear();
  findingsObserver.disconnect();
  isWatchingFindings = false;
};

/** Hears of the first change and of no other, so that a busy page pays for one. */
const findingsObserver = new MutationObserver(forgetFindings);

/**
 * What `find` finds in the document, as found before when nothing changed. It
 * must ask for elements and attributes of the document alone: styles, layout
 * and shadow trees change without being heard of here. Who keeps more, compares it.
 * @template {object} T
 * @param {string} name What is looked for. @param {object} key Found for another one, it is looked for anew.
 * @param {() => T} find @returns {T} Not to be changed.
 */
export const cachedInDom = (name, key, find) => {
  if (isWatchingFindings && findingsObserver.takeRecords().length > 0) forgetFindings();
  if (!isWatchingFindings) {
    findingsObserver.observe(document, { subtree: true, childList: true, attributes: true });
    isWatchingFindings = true;
  }
  if (findingsTimer === 0) findingsTimer = setTimeout(forgetFindings, FINDINGS_LIFE_MS);
  const known = findings.get(name);
  if (known && known.key === key) return /** @type {any} */ (known.found);
  const found = find();
  findings.set(name, { key, found });
  return found;
};

/** Whether the document holds an element that a selector of attributes matches. */
export const hasAny = (selector) => cachedInDom(selector, document, () => ({ any: documentSelectFirst(document, selector) !== null })).any;
