// What the browser does not lay out because it is out of view
// (`content-visibility: auto`). A person scrolls to it and reads it, while
// innerText leaves it out.

const SKIPS = { contentVisibilityAuto: true };

/**
 * The elements whose content is skipped for now, `top` among them.
 * @param {ShadowRoot[]} roots Those below it.
 * @param {boolean} seen Whether the sheets were read for what they conceal.
 * @returns {Set<Element>}
 */
const skippedWithin = (top, roots, seen) => {
  const suspects = new Set([top]);
  addSkipping(suspects, top, treeOf(top), seen);
  for (const root of roots) addSkipping(suspects, root, root, seen);
  const found = new Set();
  for (const element of suspects) if (isSkipping(element)) found.add(element);
  return found;
};

const SKIPPING_STYLE = '[style*="content-visibility" i]';

const addSkipping = (suspects, scope, root, seen) => {
  const findStyled = () => (nodeType(scope) === ELEMENT ? selectAll : shadowSelectAll)(scope, SKIPPING_STYLE);
  const styled = isHeard(scope) ? steady('skipping', scope, findStyled) : findStyled();
  for (let index = 0; index < styled.length; index++) suspects.add(styled[index]);
  // Who asked what is concealed has read the sheets just now.
  const known = seen ? wholeRulings.get(root) : undefined;
  if (known && known.whole.closed) for (const element of bearersOfText(scope)) suspects.add(element);
  if (known) addSelected(suspects, scope, known.whole.skipping);
  else if (maySkip(root)) addSelected(suspects, scope, rulingFor(root).skipping);
};

/** Sheets of other origins: to ask for their rules is slow, and stays in vain. */
const closedSheets = new WeakSet();

/** Whether a sheet of a root says it: known once and for all, unlike what it conceals. @param {Document|ShadowRoot} root */
const maySkip = (root) => {
  const isDocument = nodeType(root) === DOCUMENT;
  for (const sheets of [isDocument ? documentSheets(root) : root.styleSheets, isDocument ? adoptedSheets(root) : root.adoptedStyleSheets]) {
    for (let index = 0; index < sheets.length; index++) {
      const sheet = sheets[index];
      if (sheet.disabled || closedSheets.has(sheet)) continue;
      const { length, skipping } = sheetFacts(sheet);
      if (length === -1) closedSheets.add(sheet);
      else if (skipping) return true;
    }
  }
  return false;
};

/** Asked of what it holds: the element itself has a box of its own. */
const isSkipping = (element) => {
  if (!(element instanceof HTMLElement) || styleOf(element).contentVisibility !== 'auto' || !checkVisibility(element)) return false;
  const inner = firstElementChild(element);
  return inner === null ? innerText(element) === '' : !checkVisibility(inner, SKIPS);
};

/** Whether an ancestor skips an element. */
const isSkipped = (element) => checkVisibility(element) && !checkVisibility(element, SKIPS);
