// Roles: the ARIA role an element has, by WAI-ARIA 1.2 and HTML-AAM.

import { callContext } from './call-context.js';
import { ELEMENT, HTML, SVG, closest, firstElementChild, hasAttribute, hasAttributes, inputList, localName, namespaceURI, nextElementSibling, nodeType, parentNode, selectMultiple, selectSize } from './dom.js';
import { isEditor } from './editing.js';
import { attribute, inputType, list } from './primordials.js';
import { isNativelyDisabled } from './states.js';

/** Roles an author may set; anything else in `role` is skipped for the next token. */
const ARIA_ROLES = new Set(
  ('alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox comment complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid gridcell group heading image img insertion link list listbox listitem log main mark marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox sectionfooter sectionheader separator slider spinbutton status strong subscript suggestion superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem').split(' '),
);

/** Attributes that keep an element in the tree although its author says `role=none`. */
const GLOBAL_ARIA = ['aria-atomic', 'aria-busy', 'aria-controls', 'aria-current', 'aria-describedby', 'aria-description', 'aria-details', 'aria-dropeffect', 'aria-flowto', 'aria-grabbed', 'aria-hidden', 'aria-keyshortcuts', 'aria-label', 'aria-labelledby', 'aria-live', 'aria-owns', 'aria-relevant', 'aria-roledescription'];

const SECTIONING = 'article,aside,main,nav,section,[role=article],[role=complementary],[role=main],[role=navigation],[role=region]';

/** Elements whose role never depends on anything but their tag. */
const PLAIN_ROLES = new Map(
  Object.entries({
    address: 'group', article: 'article', blockquote: 'blockquote', button: 'button', caption: 'caption', code: 'code', datalist: 'listbox',
    dd: 'definition', del: 'deletion', details: 'group', dfn: 'term', dialog: 'dialog', dl: 'list', dt: 'term', em: 'emphasis', fieldset: 'group',
    figcaption: 'caption', figure: 'figure', form: 'form', h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading', h5: 'heading', h6: 'heading', hgroup: 'group',
    hr: 'separator', iframe: 'iframe', frame: 'iframe', ins: 'insertion', legend: 'legend', main: 'main', mark: 'mark', math: 'math', menu: 'list', meter: 'meter', nav: 'navigation',
    ol: 'list', optgroup: 'group', option: 'option', output: 'status', p: 'paragraph', progress: 'progressbar', s: 'deletion', search: 'search',
    strong: 'strong', sub: 'subscript', sup: 'superscript', textarea: 'textbox', time: 'time', ul: 'list',
    audio: 'audio', video: 'video', canvas: 'canvas', embed: 'embed', label: 'label', br: 'br', object: 'object',
  }),
);

const INPUT_ROLES = new Map(
  Object.entries({
    button: 'button', submit: 'button', reset: 'button', image: 'button', file: 'button', color: 'textbox', checkbox: 'checkbox', radio: 'radio', range: 'slider',
    number: 'spinbutton', search: 'searchbox', date: 'textbox', month: 'textbox', week: 'textbox', 'datetime-local': 'textbox', time: 'textbox', hidden: 'none',
  }),
);

/** @param {Element} element @returns {string} */
export const roleOf = (element) => {
  const tag = localName(element);
  return hasAttributes(element) ? explicitRole(element, tag) || implicitRole(element, tag) : implicitRole(element, tag);
};

/** @returns {string} The role the author set, or '' when the native one counts. */
export const explicitRole = (element, tag) => {
  const value = attribute(element, 'role');
  if (!value) return '';
  for (const token of value.toLowerCase().split(/\s+/)) {
    if (!ARIA_ROLES.has(token)) continue;
    if (token === 'none' || token === 'presentation') return keepsSemantics(element, tag) ? '' : 'none';
    if (token === 'form' && !hasAuthorName(element)) continue;
    if (token === 'region' && !hasAuthorName(element)) continue;
    if (token === 'image') return 'img';
    if (token === 'directory') return 'list';
    if (token === 'generic') return 'generic';
    if (token === 'textbox' && tag === 'input' && inputList(element)) return 'combobox';
    return token;
  }
  return '';
};

/** Presentational conflict resolution: what can be focused or is named stays. */
const keepsSemantics = (element, tag) =>
  tag === 'iframe' || isFocusable(element) || GLOBAL_ARIA.some((name) => name !== 'aria-hidden' && hasAttribute(element, name));

export const hasAuthorName = (element) => hasAttribute(element, 'aria-label') || hasAttribute(element, 'aria-labelledby') || hasAttribute(element, 'aria-labeledby') || !!attribute(element, 'title');

/** Whether the keyboard or a script may focus it. */
const isFocusable = (element) => {
  if (hasAttribute(element, 'tabindex') && !Number.isNaN(parseInt(attribute(element, 'tabindex'), 10))) return !isNativelyDisabled(element);
  switch (localName(element)) {
    case 'a':
    case 'area':
      return hasAttribute(element, 'href');
    case 'input':
      return !(element instanceof HTMLInputElement && inputType(element) === 'hidden') && !isNativelyDisabled(element);
    case 'button':
    case 'select':
    case 'textarea':
      return !isNativelyDisabled(element);
    case 'iframe':
      return true;
    case 'summary':
      return isDisclosure(element);
    case 'audio':
    case 'video':
      return hasAttribute(element, 'controls');
  }
  return isEditingHost(element);
};

export const isEditingHost = (element) => {
  const value = attribute(element, 'contenteditable');
  return value !== null && ['', 'true', 'plaintext-only'].includes(value.toLowerCase());
};

/** The first summary of a details element is its button. */
export const isDisclosure = (element) => {
  const parent = parentNode(element);
  if (!parent || nodeType(parent) !== ELEMENT || localName(parent) !== 'details') return false;
  for (let child = firstElementChild(parent); child; child = nextElementSibling(child)) if (localName(child) === 'summary') return child === element;
  return false;
};

/** @param {Element} element @param {string} tag @returns {string} */
export const implicitRole = (element, tag) => {
  const plain = PLAIN_ROLES.get(tag);
  if (plain) return namespaceURI(element) === HTML || tag === 'math' ? plain : 'generic';
  switch (tag) {
    case 'a':
    case 'area':
      return hasAttribute(element, 'href') || element.hasAttributeNS('http://www.w3.org/1999/xlink', 'href') ? 'link' : 'generic';
    case 'input':
      return element instanceof HTMLInputElement ? inputRole(element) : 'generic';
    case 'select':
      return element instanceof HTMLSelectElement && (selectMultiple(element) || selectSize(element) > 1) ? 'listbox' : 'combobox';
    case 'img':
    case 'image':
      return imageRole(element);
    case 'svg':
      return 'img';
    case 'aside':
      return !closest(parentElement(element) || element, 'article,aside,nav,section') || isOutermost(element) || hasAuthorName(element) ? 'complementary' : 'generic';
    case 'header':
      return isPageScoped(element) ? 'banner' : 'generic';
    case 'footer':
      return isPageScoped(element) ? 'contentinfo' : 'generic';
    case 'section':
      return hasAuthorName(element) ? 'region' : 'generic';
    case 'li':
      return listItemRole(element);
    case 'summary':
      return isDisclosure(element) ? 'button' : 'generic';
    case 'table':
      return isDataTable(element) ? 'table' : 'none';
    case 'tr':
    case 'td':
    case 'th':
    case 'thead':
    case 'tbody':
    case 'tfoot':
      return tableRole(element, tag);
  }
  return isEditor(element, tag) ? 'textbox' : 'generic';
};

export const parentElement = (element) => {
  const parent = parentNode(element);
  return parent && nodeType(parent) === ELEMENT ? parent : null;
};

const isOutermost = (element) => {
  const parent = parentElement(element);
  return !parent || !closest(parent, 'article,aside,nav,section');
};

export const isPageScoped = (element) => {
  const parent = parentElement(element);
  return !parent || !closest(parent, SECTIONING);
};

const inputRole = (input) => {
  const type = inputType(input);
  const role = INPUT_ROLES.get(type) || 'textbox';
  if (role === 'checkbox' && hasAttribute(input, 'switch')) return 'switch';
  if (inputList(input) && ['text', 'search', 'tel', 'url', 'email'].includes(type)) return 'combobox';
  return role;
};

const imageRole = (image) => {
  if (namespaceURI(image) === SVG) return 'img';
  if (attribute(image, 'alt') === '' && !hasAttribute(image, 'aria-label') && !hasAttribute(image, 'aria-labelledby') && !attribute(image, 'title')) return 'none';
  return 'img';
};

/** A list whose author took its role away takes the items along. */
const listItemRole = (item) => {
  const owner = parentElement(item);
  if (!owner) return 'listitem';
  const role = attribute(owner, 'role');
  if (role === 'none' || role === 'presentation') return keepsSemantics(owner, localName(owner)) ? 'listitem' : 'none';
  return ['ul', 'ol', 'menu'].includes(localName(owner)) || role === 'list' || role === 'directory' || role === 'group' ? (role && !['list', 'group', 'directory'].includes(role) ? 'generic' : 'listitem') : 'listitem';
};

const tableRole = (element, tag) => {
  const table = closest(element, 'table');
  if (!table) return 'generic';
  const role = explicitRole(table, 'table');
  if (role === 'none' || (role === '' && !isDataTable(table)) || !['', 'table', 'grid', 'treegrid'].includes(role)) return 'none';
  if (tag === 'tr') return 'row';
  if (tag !== 'td' && tag !== 'th') return 'rowgroup';
  const cell = role === 'grid' || role === 'treegrid' ? 'gridcell' : 'cell';
  return tag === 'td' ? cell : headerRole(element);
};

const headerRole = (header) => {
  const scope = (attribute(header, 'scope') || '').toLowerCase();
  if (scope === 'row' || scope === 'rowgroup') return 'rowheader';
  if (scope === 'col' || scope === 'colgroup') return 'columnheader';
  const row = parentElement(header);
  const first = row && firstElementChild(row) === header;
  const onlyHeaders = row && !list(row.children).some((cell) => localName(cell) === 'td');
  return first && !onlyHeaders ? 'rowheader' : 'columnheader';
};

/** Whether a table holds data rather than a layout. */
export const isDataTable = (table) => {
  const known = callContext.dataTables.get(table);
  if (known !== undefined) return known;
  const data = hasTableMarkers(table);
  callContext.dataTables.set(table, data);
  return data;
};

const hasTableMarkers = (table) => {
  if (hasAuthorName(table) || hasAttribute(table, 'summary') || hasAttribute(table, 'rules') || isEditingHost(table)) return true;
  for (const part of list(table.children)) {
    const tag = localName(part);
    if (['caption', 'thead', 'tfoot', 'colgroup', 'col'].includes(tag)) return true;
    const rows = tag === 'tr' ? [part] : list(part.children);
    for (const row of rows) {
      for (let cell = firstElementChild(row); cell; cell = nextElementSibling(cell)) {
        if (localName(cell) === 'th' || hasAttribute(cell, 'headers') || hasAttribute(cell, 'scope') || hasAttribute(cell, 'abbr')) return true;
      }
    }
  }
  return parseInt(attribute(table, 'border') || '0', 10) > 0;
};
