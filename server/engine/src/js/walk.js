// The walk: one pass over the flat tree that yields the lines of a snapshot.
//
// It is the hot path of every agent turn, so it asks for a style once per
// element, computes names only for what it emits, and keeps no objects.

import { callContext } from './call-context.js';
import { DRAG_CURSORS, emitClickable, holdsItems, isClickable, isDrawing, readClues } from './clickable.js';
import { isShownFold } from './details.js';
import { ELEMENT, TEXT, closest, documentSelectAll, firstChild, firstElementChild, hasAttribute, hasAttributes, labelControl, localName, nextElementSibling, nextSibling, nodeType, selectFirst, styleOf, textData, tidy } from './dom.js';
import { isDrawn } from './drawn.js';
import { isEditor } from './editing.js';
import { visitFrame } from './frames.js';
import { emitGrid, gridAround, isCell, isSheet } from './grids.js';
import { isHiddenWhole, isTextHidden } from './hidden.js';
import { idReferences } from './names.js';
import { DIALOGS, NOTICES, emitNotice, isLive } from './notices.js';
import { attribute, list } from './primordials.js';
import { hasAuthorName, implicitRole, roleOf } from './roles.js';
import { emit, noteSuspect, push } from './snapshot.js';
import { focusedElement } from './states.js';
import { hasAny } from './dom-cache.js';
import { HOST_TAGS, INTERACTIVE, SKIPPED_TAGS } from './tags.js';
import { PRIVATE_USE, readSheets, renderedText, sheetFacts } from './text.js';
import { flatContains, flatParent, foreignChildren, shadowOf } from './tree.js';
import { isHiddenFromTree, modalDialog } from './visibility.js';

/** Roles that are no line of their own: their children move up. */
export const WRAPPERS = new Set('generic none paragraph label legend mark br strong emphasis code subscript superscript insertion deletion time caption rowgroup term definition blockquote canvas embed object audio hidden'.split(' '));

/** Wrappers that are worth a line when their author named them. */
export const NAMED_ONLY = new Set(['group', 'img', 'region', 'form', 'figure', 'audio', 'video', 'object', 'embed', 'canvas', 'article', 'separator', 'math', 'blockquote', 'application']);

/** Roles whose text is their name, so that it is not repeated below them. */
const TEXT_IS_NAME = new Set('button link checkbox radio switch option menuitem menuitemcheckbox menuitemradio tab treeitem heading tooltip'.split(' '));

// What a node passes on to its children.
const MUTE = 1; // Their text is part of a name already.
export const OUT_OF_TREE = 2; // aria-hidden, inert, or behind a modal dialog.
const POINTER = 4; // An ancestor has the pointer cursor.
const INSIDE = 8; // An ancestor can be operated.
const INVISIBLE = 16; // visibility: hidden, which a descendant may undo.
const SKIPPED = 32; // Below content-visibility: hidden.
const UNSEEN = 64; // Rendered, and seen by nobody.
const GRAB = 128; // An ancestor has a cursor for dragging.
const NOTICE = 256; // An ancestor's notice has their text.

/**
 * @typedef {{interactive: boolean, cursor: boolean, detail: boolean, seen?: boolean}} WalkOptions
 * @typedef {{options: WalkOptions, nodes: any[], elements: Element[], buffer: string, level: number, owned: ?Map<Element, Element>, modal: ?Element, grid: ?Element, suspects: Element[], messages: [number, string][], hints: [number, string][], folds: [number, string][]}} Walk
 */

/** Prepares what every function of one call may rely on. */
export const beginCall = () => {
  callContext.nesting = 0;
  callContext.dataTables = new WeakMap();
  callContext.labelsByRoot = new WeakMap();
  callContext.anyAriaDisabled = hasAny('[aria-disabled=true]');
  callContext.focused = focusedElement();
  callContext.clues = readClues();
  readSheets(knownRoots());
};

/** Shadow roots met so far in this document. @type {Set<WeakRef<ShadowRoot>>} */
export const metRoots = new Set();
const metRootsByRoot = new WeakSet();

export const meetRoot = (root) => {
  if (metRootsByRoot.has(root)) return;
  metRootsByRoot.add(root);
  metRoots.add(new WeakRef(root));
  for (const sheet of [...list(root.styleSheets), ...root.adoptedStyleSheets]) {
    const facts = sheetFacts(sheet);
    callContext.usesTransform = callContext.usesTransform || facts.transform;
    callContext.usesGenerated = callContext.usesGenerated || facts.generated;
    callContext.usesSkipping = callContext.usesSkipping || facts.skipping;
  }
};

export const knownRoots = () => {
  const roots = [];
  for (const weak of metRoots) {
    const root = weak.deref();
    if (root) roots.push(root);
    else metRoots.delete(weak);
  }
  return roots;
};

/** @param {Element} scope @param {WalkOptions} options @returns {Walk} */
export const walkFrom = (scope, options) => {
  const walk = { options, nodes: [], elements: [], buffer: '', level: 0, owned: ownedElements(), modal: modalDialog(), grid: gridAround(scope), suspects: [], messages: [], hints: [], folds: [] };
  let flags = isHiddenFromTree(scope) && !(walk.modal && flatContains(scope, walk.modal)) ? OUT_OF_TREE : 0;
  if (walk.modal && !flatContains(walk.modal, scope)) flags |= OUT_OF_TREE;
  const parent = flatParent(scope);
  if (parent && nodeType(parent) === ELEMENT && styleOf(parent).cursor === 'pointer') flags |= POINTER;
  visitElement(walk, scope, 0, flags);
  flushText(walk, 0);
  return walk;
};

/** Elements that aria-owns puts elsewhere: element -> owner; null when there are none. */
const ownedElements = () => {
  const owned = new Map();
  for (const owner of documentSelectAll(document, '[aria-owns]')) {
    for (const element of idReferences(owner, 'aria-owns')) {
      if (!owned.has(element) && !holds(element, owner, owned)) owned.set(element, owner);
    }
  }
  return owned.size > 0 ? owned : null;
};

/** Whether `element` is above `other`, as aria-owns has it: elements that own each other would be in no tree. */
const holds = (element, other, owned) => {
  for (let node = other; node && nodeType(node) === ELEMENT; node = owned.get(node) || flatParent(node)) if (node === element) return true;
  return false;
};

/** Deeper than any parser builds; a script that nests more gets what fits. */
export const MAX_LEVEL = 1500;

const visitChildren = (walk, element, depth, flags) => {
  if (walk.level > MAX_LEVEL) return;
  walk.level += 1;
  const foreign = foreignChildren(element);
  if (foreign) {
    const root = shadowOf(element);
    if (root) meetRoot(root);
    for (let index = 0; index < foreign.length; index++) visitNode(walk, foreign[index], element, depth, flags);
  } else {
    for (let child = firstChild(element); child; child = nextSibling(child)) {
      // As visitNode does, without its stack frame.
      const type = nodeType(child);
      if (type === TEXT) visitText(walk, child, element, flags);
      else if (type === ELEMENT && (walk.owned === null || !walk.owned.has(child))) visitElement(walk, child, depth, flags);
    }
  }
  if (walk.owned !== null && hasAttribute(element, 'aria-owns')) {
    for (const child of idReferences(element, 'aria-owns')) if (walk.owned.get(child) === element) visitElement(walk, child, depth, flags);
  }
  walk.level -= 1;
};

const visitNode = (walk, child, parent, depth, flags) => {
  const type = nodeType(child);
  if (type === TEXT) visitText(walk, child, parent, flags);
  else if (type === ELEMENT && (walk.owned === null || !walk.owned.has(child))) visitElement(walk, child, depth, flags);
};

const visitText = (walk, node, parent, flags) => {
  if (walk.options.interactive || flags & (MUTE | OUT_OF_TREE | INVISIBLE | UNSEEN)) return;
  if (callContext.hidden !== null && isTextHidden(callContext.hidden, parent)) return;
  const data = textData(node);
  walk.buffer += callContext.usesTransform ? renderedText(data, parent) : data;
};

/** Ends a run of text and makes it a line. */
export const flushText = (walk, depth) => {
  if (walk.buffer === '') return;
  const text = tidy(walk.buffer.replace(PRIVATE_USE, ''));
  walk.buffer = '';
  if (text !== '') push(walk, depth, 'text', text, 0, '', '', null);
};

const visitElement = (walk, element, depth, flags) => {
  const tag = localName(element);
  if (SKIPPED_TAGS.has(tag)) return;
  const style = styleOf(element);
  const display = style.display;
  if (display === 'none') return;
  const hidden = (flags & SKIPPED) !== 0 || style.visibility !== 'visible';
  flags = hidden ? flags | INVISIBLE : flags & ~INVISIBLE;
  const bare = !hasAttributes(element);
  if (callContext.hidden !== null && isHiddenWhole(callContext.hidden, element)) flags |= UNSEEN;
  if (element === walk.modal) flags &= ~OUT_OF_TREE;
  if (!bare && (attribute(element, 'aria-hidden') === 'true' || hasAttribute(element, 'inert')) && tag !== 'body') flags |= OUT_OF_TREE;
  if (tag === 'iframe' || tag === 'frame' || tag === 'object') {
    // What can be operated in a frame that is not seen stays, as elsewhere.
    if (flags & UNSEEN && !walk.options.interactive) return;
    if (!hidden && visitFrame(walk, element, tag, depth, flags)) return;
  }
  if (tag.includes('-') || (HOST_TAGS.has(tag) && firstElementChild(element) === null)) noteSuspect(walk, element);

  const role = bare ? implicitRole(element, tag) : roleOf(element);
  const inline = display.startsWith('inline') || display === 'contents';
  if (!inline && walk.buffer !== '') flushText(walk, depth);
  let inner = depth;
  const editor = (!bare || tag === 'body' || tag === 'canvas') && isEditor(element, tag);
  if (!hidden && !(flags & OUT_OF_TREE) && (editor || isLine(walk, element, role, tag, flags)) && (editor || INTERACTIVE.has(role) || !isUnseenHere(element, flags))) {
    if (emit(walk, element, role, tag, depth, flags, editor)) {
      inner = depth + 1;
      if (INTERACTIVE.has(role)) flags |= INSIDE;
    }
    if (TEXT_IS_NAME.has(role)) flags |= MUTE;
  } else if (walk.options.cursor && !hidden && !(flags & INSIDE) && (!(flags & OUT_OF_TREE) || (walk.modal === null && !callContext.clues.modal))) {
    const cursor = style.cursor;
    const pointer = cursor === 'pointer';
    const grab = DRAG_CURSORS.has(cursor);
    if (walk.options.interactive && (NOTICES.has(role) || (callContext.clues.live && !bare && isLive(element))) && !(flags & (NOTICE | OUT_OF_TREE)) && (callContext.hidden === null || !isUnseenHere(element, flags)) && emitNotice(walk, element, role, depth)) {
      flags |= NOTICE;
      if (DIALOGS.has(role)) {
        inner = depth + 1;
        flags &= ~NOTICE;
      }
    }
    if (walk.options.interactive && walk.grid === null && (role === 'grid' || role === 'treegrid' || (tag === 'table' && isSheet(element))) && emitGrid(walk, element, role, depth)) inner = depth + 1;
    const items = pointer && !(flags & POINTER) && holdsItems(element);
    if (!items && isClickable(element, tag, bare, (pointer && !(flags & POINTER)) || (grab && !(flags & GRAB))) && emitClickable(walk, element, role, tag, depth, flags, grab)) {
      inner = depth + 1;
      flags |= MUTE;
    }
    flags = pointer && !items ? flags | POINTER : flags & ~POINTER;
    flags = grab ? flags | GRAB : flags & ~GRAB;
  }
  if (callContext.usesSkipping && style.contentVisibility === 'hidden') flags |= SKIPPED;
  if (tag === 'legend' || role === 'caption' || (element instanceof HTMLLabelElement && labelControl(element))) flags |= MUTE;
  if (editor && (walk.options.interactive || hasAttribute(element, 'role'))) flags |= MUTE;
  if (hasInside(walk, element, tag, role, inner, flags)) visitChildren(walk, element, inner, flags);
  if (inner !== depth || !inline) flushText(walk, inner);
};

/** What can be operated is a line all the same, which says so. */
export const isUnseenHere = (element, flags) => callContext.hidden !== null && ((flags & UNSEEN) !== 0 || isTextHidden(callContext.hidden, element)) && !isDrawn(callContext.hidden, element);

/** Whether a role is a line in this kind of snapshot. */
const isLine = (walk, element, role, tag, flags) => {
  if (role === 'canvas' && !(flags & INSIDE) && isDrawing(element)) return true;
  if (walk.options.interactive && isCell(walk, element, role, tag)) return true;
  if (walk.options.interactive) return INTERACTIVE.has(role) && !(tag === 'option' && flags & INSIDE && isDropdownOption(element));
  // What is in a name already is not said again, except what can be operated.
  if (flags & MUTE && !INTERACTIVE.has(role)) return false;
  return !WRAPPERS.has(role) || (NAMED_ONLY.has(role) && hasAuthorName(element));
};

/** Whether the children are to be visited; what stands for them is visited here. */
const hasInside = (walk, element, tag, role, depth, flags) => {
  switch (tag) {
    case 'br':
      if (!(flags & MUTE)) walk.buffer += ' ';
      return false;
    case 'input':
    case 'textarea':
    case 'iframe':
    case 'frame':
    // Scripts run here, and this is a browser that plays: what stands there is for others.
    case 'noscript':
    case 'video':
    case 'audio':
    case 'progress':
    case 'meter':
      return false;
    case 'select':
      return !walk.options.interactive || role === 'listbox';
    case 'details':
      if (hasAttribute(element, 'open') || (callContext.usesSkipping && isShownFold(element))) return true;
      visitSummary(walk, element, depth, flags);
      return false;
    case 'svg':
      return !walk.options.interactive || selectFirst(element, 'a,[role],[tabindex],[onclick],foreignObject') !== null;
  }
  return true;
};

/** Of a closed details element only the summary shows. */
const visitSummary = (walk, details, depth, flags) => {
  for (let child = firstElementChild(details); child; child = nextElementSibling(child)) {
    if (localName(child) === 'summary') return visitElement(walk, child, depth, flags);
  }
};

export const isDropdownOption = (option) => {
  const select = closest(option, 'select');
  return select !== null && implicitRole(select, 'select') === 'combobox';
};
