// What of a document is rendered, and what of it assistive technology may see.

const CSS_VISIBLE = { visibilityProperty: true };

/** Whether it is rendered, not skipped and not `visibility: hidden`. */
const isShown = (element) => checkVisibility(element, CSS_VISIBLE);

/** Shown, and with an area: what a person could see and click. */
const isVisible = (element) => {
  if (!isConnected(element)) return false;
  const style = styleOf(element);
  if (style.display === 'contents') return style.visibility === 'visible' && hasVisibleContent(element);
  if (!isShown(element)) return false;
  for (const box of clientRects(element)) if (box.width > 0 && box.height > 0) return true;
  return hasVisibleContent(element);
};

/** An element without an area of its own may still have children that overflow it. */
const hasVisibleContent = (element) => {
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
const modalDialog = () => {
  const open = documentSelectAll(document, 'dialog:modal');
  return open.length > 0 ? open[open.length - 1] : null;
};

/** Whether an ancestor in the flat tree (or the element) is out of reach of assistive technology. */
const isHiddenFromTree = (element) => {
  const modal = modalDialog();
  if (modal && !flatContains(modal, element)) return true;
  for (let node = element; node && nodeType(node) === ELEMENT; node = flatParent(node)) {
    if (hasAttributes(node) && (attribute(node, 'aria-hidden') === 'true' || hasAttribute(node, 'inert'))) return true;
  }
  return false;
};
