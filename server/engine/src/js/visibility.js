// What of a document is rendered, and what of it assistive technology may see.

import { ELEMENT, TEXT, boundingRect, checkVisibility, clientRects, documentSelectAll, firstElementChild, hasAttribute, hasAttributes, isConnected, nodeType, styleOf, textData, tidy } from './dom.js';
import { attribute } from './primordials.js';
import { eachChild, flatContains, flatParent } from './tree.js';

const CSS_VISIBLE = { visibilityProperty: true };

/** Whether it is rendered, not skipped and not `visibility: hidden`. */
export const isShown = (element) => checkVisibility(element, CSS_VISIBLE);

/** Shown, and with an area: what a person could see and click. */
export const isVisible = (element) => {
  if (!isConnected(element)) return false;
  const style = styleOf(element);
  if (style.display === 'contents') return style.visibility === 'visible' && hasVisibleContent(element);
  if (!isShown(element)) return false;
  for (const box of clientRects(element)) if (box.width > 0 && box.height > 0) return true;
  return hasVisibleContent(element);
};

/** An element without an area of its own may still have children that overflow it. */
export const hasVisibleContent = (element) => {
  let found = false;
  eachChild(element, (child) => {
    if (found) return;
    if (nodeType(child) === ELEMENT) found = isVisible(child);
    else if (nodeType(child) === TEXT && tidy(textData(child)) !== '') {
      const range = document.createRange();
      range.selectNodeContents(child);
      const box = range.getBoundingClientRect();
      found = box.width > 0 && box.height > 0;
    }
  });
  return found;
};

/** The modal dialog on top: all outside of it is inert. @returns {?Element} */
export const modalDialog = () => {
  const open = documentSelectAll(document, 'dialog:modal');
  return open.length > 0 ? open[open.length - 1] : null;
};

/** Whether an ancestor in the flat tree (or the element) is out of reach of assistive technology. */
export const isHiddenFromTree = (element) => {
  const modal = modalDialog();
  if (modal && !flatContains(modal, element)) return true;
  for (let node = element; node && nodeType(node) === ELEMENT; node = flatParent(node)) {
    if (hasAttributes(node) && (attribute(node, 'aria-hidden') === 'true' || hasAttribute(node, 'inert'))) return true;
  }
  return false;
};

// === What a person cannot see although it is rendered: faded, clipped away, moved ===
// off the page. Costs a style and a box for each element, so it is asked only
// of what is to be read closely.

/** @param {Element} element @param {CSSStyleDeclaration} style Its computed style. */
export const isSeen = (element, style) => {
  if (style.display === 'none') return false;
  if (style.display === 'contents') return true;
  if (!checkVisibility(element)) return false;
  if (parseFloat(style.opacity) < 0.1) return false;
  // What it holds may have a size and a place of its own.
  if (firstElementChild(element) === null && (parseFloat(style.fontSize) < 1 || parseFloat(style.textIndent) < -900)) return false;
  const apart = style.position === 'absolute' || style.position === 'fixed';
  return !(apart && isClippedAway(element, style)) && !(apart && isOffPage(element));
};

/** The ways in which text is kept for screen readers alone. */
const isClippedAway = (element, style) => {
  if (/^rect\((?:0(?:px)?|1px)(?:,? (?:0(?:px)?|1px)){3}\)$/.test(style.clip)) return true;
  if (/^inset\((?:50|100)%/.test(style.clipPath)) return true;
  const box = boundingRect(element);
  return style.overflow !== 'visible' && box.width <= 1 && box.height <= 1;
};

const isOffPage = (element) => {
  const box = boundingRect(element);
  return box.right + scrollX < -500 || box.bottom + scrollY < -500;
};
