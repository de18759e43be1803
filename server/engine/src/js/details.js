// What the browser does not lay out for now: out of view (`content-visibility:
// auto`), which a person scrolls to and reads while innerText leaves it out, and
// what `details` fold away, which a style reaches by `::details-content` alone.

import { ELEMENT, adoptedSheets, checkVisibility, documentSelectFirst, documentSheets, firstElementChild, innerText, localName, nextNode, nodeType, parentNode, shadowSelectFirst, styleOf, textData, walkerOver } from './dom.js';
import { sheetFacts } from './text.js';
import { flatElements, flatParent, treeOf } from './tree.js';

const SKIPS = { contentVisibilityAuto: true };

export const SKIPPING_STYLE = '[style*="content-visibility" i],[hidden=until-found]';

/**
 * The elements whose content is skipped for now, `top` among them.
 * @param {ShadowRoot[]} roots Those below it.
 * @returns {Set<Element>}
 */
export const skippedWithin = (top, roots) => {
  const found = new Set();
  if (isSkipping(top)) found.add(top);
  for (const scope of [top, ...roots]) {
    if (!maySkip(scope === top ? treeOf(top) : scope)) continue;
    const walker = walkerOver(scope, NodeFilter.SHOW_TEXT);
    for (let text = nextNode(walker); text; text = nextNode(walker)) {
      if (!/\S/.test(textData(text))) continue;
      const parent = parentNode(text);
      if (nodeType(parent) !== ELEMENT || !isSkipped(parent)) {
        if (nodeType(parent) === ELEMENT && isSkipping(parent)) found.add(parent);
        continue;
      }
      for (let node = flatParent(parent); node && nodeType(node) === ELEMENT; node = flatParent(node)) {
        if (found.has(node)) break;
        if (!isSkipped(node)) {
          found.add(node);
          break;
        }
      }
    }
  }
  return found;
};

/** Whether a sheet of a root, or a style attribute, says it; a sheet that cannot be read may. @param {Document|ShadowRoot} root */
const maySkip = (root) => {
  const isDocument = nodeType(root) === DOCUMENT;
  if ((isDocument ? documentSelectFirst : shadowSelectFirst)(root, SKIPPING_STYLE) !== null) return true;
  for (const sheets of [isDocument ? documentSheets(root) : root.styleSheets, isDocument ? adoptedSheets(root) : root.adoptedStyleSheets]) {
    for (let index = 0; index < sheets.length; index++) if (!sheets[index].disabled && sheetFacts(sheets[index]).skipping) return true;
  }
  return false;
};

export const DOCUMENT = 9;

/** Asked of what it holds: the element itself has a box of its own. */
const isSkipping = (element) => {
  if (!(element instanceof HTMLElement) || styleOf(element).contentVisibility !== 'auto' || !checkVisibility(element)) return false;
  const inner = firstElementChild(element);
  return inner === null ? innerText(element) === '' : !checkVisibility(inner, SKIPS);
};

/** Whether an ancestor skips an element. */
export const isSkipped = (element) => checkVisibility(element) && !checkVisibility(element, SKIPS);

/** Whether text of an element is folded away by itself, in no element that could be asked. */
export const keepsFolded = (element) => {
  if (localName(element) !== 'details') return false;
  const style = styleOf(element, '::details-content');
  return style.contentVisibility === 'hidden' && style.display !== 'contents' && style.display !== 'inline';
};

/** Whether a closed `details` element shows what it holds all the same: all but its first summary. */
export const isShownFold = (details) => {
  const parts = flatElements(details);
  const summary = parts.findIndex((part) => localName(part) === 'summary');
  return parts.some((part, index) => index !== summary && checkVisibility(part));
};
