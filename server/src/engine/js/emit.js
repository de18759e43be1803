// Lines of a snapshot: what is emitted, and with which ref.
//
// Nodes leave the page as one flat array, six fields each:
//   depth, role, name, ref, states (joined with |), value
// ref is 0 for none, a number of the tab that was committed before, or
// -(index + 1) for the index-th new element of this snapshot. The value of an
// iframe is the number of its owner element (see frames.js).

const FIELDS = 6;

const push = (walk, depth, role, name, ref, states, value, element) => {
  walk.nodes.push(depth, role, name.isWellFormed() ? name : name.toWellFormed(), ref, states, value);
  walk.elements.push(element);
};

/** @returns {boolean} Whether a line was made. */
const emit = (walk, element, role, tag, depth, flags) => {
  const operable = INTERACTIVE.has(role);
  const dropdown = tag === 'option' && isDropdownOption(element);
  const name = CONTENT_BELOW.has(role) ? givenName(element) : nameOf(element, role);
  if (name === '') {
    if (operable && !dropdown && tag !== 'input' && !hasArea(element)) return false;
    if (!operable && NAMED_ONLY.has(role) && role !== 'article' && role !== 'form' && role !== 'separator') return false;
  }
  flushText(walk, depth);
  const ref = (operable && !dropdown) || (name !== '' && !dropdown) ? refFor(element) : 0;
  const states = statesOf(element, role);
  const type = tag === 'input' ? inputType(element) : '';
  if (FORMATTED_INPUTS.has(type)) states.push(`type=${type}`);
  if (isUnseenHere(element, flags)) states.push('unseen');
  let value = HAS_VALUE.has(role) ? valueOf(element, role) : '';
  if (value === name && role !== 'textbox') value = '';
  push(walk, depth, role, name, ref, states.length > 0 ? states.join('|') : '', value.isWellFormed() ? value : value.toWellFormed(), element);
  return true;
};

/** Roles whose content stands below them, so that their name is only what their author gave. */
const CONTENT_BELOW = new Set(['row', 'cell', 'gridcell', 'columnheader', 'rowheader']);

const HAS_VALUE = new Set(['textbox', 'searchbox', 'combobox', 'listbox', 'slider', 'spinbutton', 'scrollbar', 'progressbar', 'meter']);

/** Inputs that take their text in a format of their own. */
const FORMATTED_INPUTS = new Set(['date', 'month', 'week', 'datetime-local', 'time', 'color', 'password', 'file']);

const hasArea = (element) => {
  for (const box of clientRects(element)) if (box.width > 0 && box.height > 0) return true;
  return hasVisibleContent(element);
};

/** Whether people can tell that it is to be clicked, although its role does not say so. */
const isClickable = (element, tag, bare, pointer) => {
  if (tag === 'html' || tag === 'body' || tag === 'label' || tag === 'option' || tag === 'br') return false;
  if (pointer) return true;
  if (bare) return false;
  if (hasAttribute(element, 'onclick')) return true;
  const index = attribute(element, 'tabindex');
  return index !== null && parseInt(index, 10) >= 0;
};

const emitClickable = (walk, element, depth, flags) => {
  if (!isVisible(element) || isDisabled(element)) return false;
  if (isUnseenHere(element, flags)) return false;
  const strong = hasAttribute(element, 'onclick') || hasAttribute(element, 'tabindex');
  const text = ownText(element);
  if (!strong && text === '' && selectFirst(element, OPERABLE)) return false;
  const name = ariaLabel(element) || text || tidy(attribute(element, 'title') || '') || altWithin(element);
  if (!strong && name === '' && !looksLikeIcon(element)) return false;
  flushText(walk, depth);
  push(walk, depth, 'clickable', name.length > 80 ? `${name.slice(0, 79).trimEnd()}…` : name, refFor(element), isFocused(element) ? 'focused' : '', '', element);
  return true;
};

const OPERABLE = 'a[href],button,input,select,textarea,summary,[role=button],[role=link],[role=checkbox],[role=tab],[role=menuitem],[role=switch],[role=radio],[role=combobox],[role=textbox],[contenteditable=""],[contenteditable=true]';

/** Its text outside of elements that are listed themselves. */
const ownText = (element) => {
  let text = '';
  const collect = (node) =>
    eachChild(node, (child) => {
      if (text.length > 400) return;
      if (nodeType(child) === TEXT) text += renderedText(textData(child), nodeType(parentNode(child)) === ELEMENT ? parentNode(child) : node);
      else if (nodeType(child) === ELEMENT && !SKIPPED_TAGS.has(localName(child)) && !matches(child, OPERABLE)) {
        const style = styleOf(child);
        if (style.display === 'none' || style.visibility !== 'visible') return;
        const block = !style.display.startsWith('inline');
        if (block) text += ' ';
        collect(child);
        if (block) text += ' ';
      }
    });
  collect(element);
  return tidy(text.replace(PRIVATE_USE, ''));
};

const altWithin = (element) => {
  const image = selectFirst(element, 'img[alt]:not([alt=""]),svg[aria-label],[aria-label]');
  return image ? tidy(attribute(image, 'alt') || attribute(image, 'aria-label') || '') : '';
};

const looksLikeIcon = (element) => {
  const box = boundingRect(element);
  return box.width >= 8 && box.height >= 8 && box.width * box.height <= 40000;
};

/** Elements the daemon should ask about, because they may hold a closed shadow root. */
const noteSuspect = (walk, element) => {
  if (!shadowOf(element) && !isAsked(element) && isSuspect(element)) walk.suspects.push(element);
};
