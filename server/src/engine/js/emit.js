// Lines of a snapshot: what is emitted, and with which ref.
//
// Nodes leave the page as one flat array, six fields each:
//   depth, role, name, ref, states (joined with |), value
// ref is 0 for none, a number of the tab that was committed before, or
// -(index + 1) for the index-th new element of this snapshot. The value of an
// iframe is the number of its owner element (see frames.js).

const FIELDS = 6;

/** What a field says is wrong with it, for the line that comes next. */
const noteMessage = (walk, message) => {
  if (message !== '') walk.messages.push([walk.elements.length, whole(shorten(message, MOST_MESSAGE))]);
};

const MOST_MESSAGE = 160;

/** What its author calls something that has no name, for the line that comes next. */
const noteHint = (walk, element) => {
  const hint = walk.options.interactive ? hintFor(element) : '';
  if (hint !== '') walk.hints.push([walk.elements.length, hint]);
};

/** Ids and classes that say what something is, and not how it is laid out or that a tool made them up. */
const TELLING = /^(?=.*[a-z]{3})[a-z][a-z0-9]*(?:[-_]{1,2}[a-z][a-z0-9]*)*$/i;
const MOST_HINT = 40;

/** Words that say nothing of what something is for, and names that tools make. */
const UNTELLING = /^(?:css|sc|jsx|jss|svelte|emotion|styled|tw|ng|v)-|^(?:image|img|icon|icons|svg|svg-icon|link|button|btn|wrapper|container|item|inner|outer|active|clickable|pointer|cursor-pointer|flex|relative|absolute|block|inline-block)$/i;

/** @returns {string} A word such as `trash` or `prev-month`, of letters, digits and dashes alone. */
const hintFor = (element) => {
  const within = list(selectAll(element, 'svg,use,i,span,img,path')).slice(0, 6);
  for (const one of [element, ...within]) {
    const href = localName(one) === 'use' ? (attribute(one, 'href') || attribute(one, 'xlink:href') || '').split('#').pop() : '';
    const source = localName(one) === 'img' ? (attribute(one, 'src') || '').split(/[?#]/)[0].split('/').pop().replace(/\.\w+$/, '') : '';
    const words = [attribute(one, 'data-testid'), attribute(one, 'data-icon'), attribute(one, 'name'), href, source, attribute(one, 'id'), ...(attribute(one, 'class') || '').split(/\s+/).reverse()];
    const telling = words.find((word) => word && word.length <= MOST_HINT && TELLING.test(word) && !UNTELLING.test(word));
    if (telling) return telling;
  }
  return '';
};

/** A text of at most `limit` characters. */
const shorten = (text, limit) => (text.length > limit ? `${text.slice(0, limit - 1).trimEnd()}…` : text);

const push = (walk, depth, role, name, ref, states, value, element) => {
  walk.nodes.push(depth, role, name.isWellFormed() ? name : name.toWellFormed(), ref, states, value);
  walk.elements.push(element);
};

/** @param {boolean} editor Whether a text begins here that a person can edit. @returns {boolean} Whether a line was made. */
const emit = (walk, element, role, tag, depth, flags, editor) => {
  const drawn = role === 'canvas';
  const operable = INTERACTIVE.has(role) || editor || drawn || isCell(walk, element, role, tag) || (role === 'gridcell' && isCellOfGrid(element));
  const dropdown = tag === 'option' && isDropdownOption(element);
  const name = CONTENT_BELOW.has(role) && !walk.options.interactive ? givenName(element) : nameOf(element, role);
  if (name === '') {
    if (operable && !dropdown && tag !== 'input' && tag !== 'textarea' && role !== 'gridcell' && !hasArea(element)) return false;
    if (!operable && NAMED_ONLY.has(role) && role !== 'article' && role !== 'form' && role !== 'separator') return false;
  }
  flushText(walk, depth);
  const ref = (operable && !dropdown) || (name !== '' && !dropdown) ? refFor(element) : 0;
  const states = statesOf(element, role);
  const type = tag === 'input' ? inputType(element) : '';
  if (FORMATTED_INPUTS.has(type)) states.push(`type=${type}`);
  if (editor && !INTERACTIVE.has(role)) states.push('editable');
  if (clues.draggable && isDraggable(element)) states.push('draggable');
  if (isUnseenHere(element, flags)) states.push('unseen');
  // The text of an editor stands below it in the whole tree.
  let value = editor ? (walk.options.interactive || hasAttribute(element, 'role') ? editorText(element) : '') : HAS_VALUE.has(role) ? valueOf(element, role) : '';
  if (value === '' && HAS_VALUE.has(role) && holdsSecret(element)) states.push('filled');
  if (value === name && role !== 'textbox') value = '';
  if (name === '' && operable && value === '' && !editor && !dropdown) noteHint(walk, element);
  if (states.includes('invalid')) noteMessage(walk, errorText(element));
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

/** Elements the daemon should ask about, because they may hold a closed shadow root. */
const noteSuspect = (walk, element) => {
  if (!shadowOf(element) && !isAsked(element) && isSuspect(element)) walk.suspects.push(element);
};
