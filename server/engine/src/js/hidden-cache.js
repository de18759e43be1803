// The latest scan for hidden text is kept while the document is as it was: one
// takes longer than all else of a reading.
//
// Changes of the document end it. Styles change without being observed, so what
// was hidden is judged anew each time: what a person sees by now is never left
// out. What became hidden by a style alone is found after some seconds.

import { adoptedSheets, boundingRect, documentByTag, documentSheets, fullscreenElement } from './dom.js';
import { freshDrawing } from './drawn.js';
import { judgeLeaf, scanHidden } from './hidden.js';
import { newScan } from './inherited.js';
import { documentElement } from './primordials.js';
import { sheetFacts } from './text.js';
import { shadowRootsWithin } from './tree.js';
/** @import { Leaf, Unseen } from './hidden.js' */

/** How long a scan is kept, in milliseconds. */
const SCAN_LIFETIME = 3000;

/** Parts that are judged anew: with more of them a page is scanned as fast. */
const MAX_REJUDGED = 200;

/** @type {?{top: Element, roots: ShadowRoot[], until: number, view: string, rules: number[], unseen: ?Unseen, leaves: Leaf[]}} */
let keptScan = null;

export const endKeptScan = () => {
  if (keptScan === null) return;
  keptScan = null;
  scanObserver.disconnect();
};

const scanObserver = new MutationObserver(endKeptScan);

const OBSERVED = { subtree: true, childList: true, attributes: true, characterData: true };

/** @param {Element} top @param {ShadowRoot[]} roots Those below it. @returns {?Unseen} Null when all is seen. */
export const hiddenWithin = (top, roots) => {
  if (scanObserver.takeRecords().length > 0) endKeptScan();
  const known = keptScan;
  if (known !== null && isStillTrue(known, top, roots)) return known.unseen;
  endKeptScan();
  const { unseen, leaves } = scanHidden(top, roots);
  if (leaves.length > MAX_REJUDGED) return unseen;
  keptScan = { top, roots, until: performance.now() + SCAN_LIFETIME, view: viewNow(), rules: ruleCounts(roots), unseen, leaves };
  for (const root of [document, ...roots]) scanObserver.observe(root, OBSERVED);
  return unseen;
};

const isStillTrue = (known, top, roots) => {
  const isSame = known.top === top && performance.now() < known.until && known.view === viewNow() && isSameList(known.roots, roots) && isSameList(known.rules, ruleCounts(roots));
  if (!isSame) return false;
  if (known.unseen === null) return true;
  // Boxes move when anything is scrolled.
  const scan = newScan(top);
  known.unseen.scan = scan;
  known.unseen.drawing = freshDrawing(known.unseen);
  return known.leaves.every((leaf) => {
    const found = judgeLeaf(scan, leaf);
    return found !== null && found.rule !== '';
  });
};

const isSameList = (one, other) => one.length === other.length && one.every((part, index) => part === other[index]);

/** How the document lies in its window, and what is on top of it. */
const viewNow = () => `${innerWidth} ${innerHeight} ${matchMedia('(prefers-color-scheme: dark)').matches} ${fullscreenElement(document) === null}`;

/** The rules of each sheet, as far as it can be read. @param {ShadowRoot[]} roots @returns {number[]} */
const ruleCounts = (roots) => {
  const counts = [];
  for (const root of [document, ...roots]) {
    const isDocument = root === document;
    for (const sheets of [isDocument ? documentSheets(root) : root.styleSheets, isDocument ? adoptedSheets(root) : root.adoptedStyleSheets]) {
      for (let index = 0; index < sheets.length; index++) counts.push(sheets[index].disabled ? -1 : sheetFacts(sheets[index]).length);
    }
  }
  return counts;
};

// === What is done in a document before anybody asks: the first reading would wait for it ===

/** Elements of a document that is scanned ahead: a larger page would stand still for longer than a person notices. */
const MAX_PREPARED = 6000;

/** Lays out the page, which one in the background is not, and scans it for hidden text. */
export const prepare = () => {
  const top = documentElement(document);
  if (top === null) return {};
  boundingRect(top);
  if (document.readyState === 'complete' && documentByTag(document, '*').length <= MAX_PREPARED) hiddenWithin(top, shadowRootsWithin(top));
  return {};
};
