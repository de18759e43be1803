// What a page says or shows after an action: messages, values, what is invalid.
//
// What was there before is noted between the answer to the aiming and the first
// event of the gesture, while the daemon is on its way: it costs the action nothing.
// Every fact is a row: label, role, name, text and note. Label, role and note are
// ours, name and text are the page's.

import { isCoveredControl } from './aim.js';
import { core } from './typed-text.js';
import { ownField, watched } from './changes.js';
import { ELEMENT, TEXT, animationsOf, areaValue, boundingRect, checkVisibility, closest, contains, documentById, documentByTag, documentSelectAll, firstElementChild, innerText, inputChecked, inputValue, isConnected, localName, nextNode, nodeType, parentNode, selectFirst, shadowHost, shadowSelectAll, styleOf, textData, tidy, walkerOver } from './dom.js';
import { editorText } from './editing.js';
import { isEditable } from './fill.js';
import { validationMessage } from './forms.js';
import { attribute, inputType, list, selectAll, textContent } from './primordials.js';
import { roleOf } from './roles.js';
import { isFormControl, isSecret } from './secrets.js';
import { CHECKABLE, checkedState, expandedState, selectedLabels, valueOf } from './states.js';
import { labelOf } from './targets.js';
import { flatContains, flatParent, treeOf } from './tree.js';
import { isShown, isVisible } from './visibility.js';
import { beginCall, knownRoots } from './walk.js';

/** @typedef {{regions: Map<Element, string>, fields: Map<Element, string|boolean>, hidden: Set<Element>, generated: string, widget: string}} Baseline */

/** What tells a person something, by HTML and ARIA. */
const REGIONS = 'dialog,output,[role=alert],[role=status],[role=log],[role=alertdialog],[role=dialog],[aria-live=polite],[aria-live=assertive]';

/** Fields whose values are compared; of a page with more, those of the form. */
const MOST_FIELDS = 300;

/** Elements around the target that are looked at for what shows and did not. */
const MAX_NEWS_AROUND = 200;

/** Characters of a message or a value in a receipt. */
const LONGEST_NEWS = 500;

/** Facts of one kind. */
const MOST_ALIKE = 3;

const cutNews = (text, longest = LONGEST_NEWS) => {
  const whole = text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
  return whole.isWellFormed() ? whole : whole.toWellFormed();
};

/** The elements of a document and its known shadow trees. */
const selectEverywhere = (selector) => [document, ...knownRoots()].flatMap((root) => list(root === document ? documentSelectAll(document, selector) : shadowSelectAll(root, selector)));

/** Notes what is there, once for each action. */
export const takeBaseline = () => {
  const state = watched;
  if (!state || state.baseline) return;
  const regions = new Map();
  for (const region of selectEverywhere(REGIONS)) regions.set(region, regionText(region));
  const around = state.element && isConnected(state.element) ? surroundings(state.element) : [];
  const hidden = new Set(around.filter((element) => !isSeenAsIs(element)));
  state.baseline = { regions, fields: withPromised(fieldsOf(state.element)), hidden, generated: drawnText(state.element), widget: widgetWord(state.element) };
};

/** What the answers of earlier actions said that fields hold: a page may change that a moment later. @type {Map<Element, string|boolean>} */
const promised = new Map();

const MOST_PROMISED = 50;

export const promise = (field) => {
  promised.delete(field);
  promised.set(field, heldBy(field));
  if (promised.size > MOST_PROMISED) promised.delete(promised.keys().next().value);
};

/** What became of such a field since is news of the next action: of an editor, that it lost the text. */
const withPromised = (fields) => {
  for (const [field, value] of promised) {
    if (!isConnected(field)) {
      promised.delete(field);
    } else if (!isFormControl(field)) {
      fields.set(field, heldBy(field).includes(value) ? heldBy(field) : value);
    } else if (heldBy(field) !== value) {
      promised.delete(field);
      if (fields.has(field)) fields.set(field, value);
    }
  }
  return fields;
};

/** What an action itself changed is told by its own answer. */
const endPromised = () => {
  for (const [field, value] of promised) if (!isConnected(field) || heldBy(field) !== value) promised.delete(field);
};

/** @returns {Map<Element, string|boolean>} The fields of the document, or of the form, and what they hold. */
const fieldsOf = (element) => {
  let fields = ['input', 'textarea', 'select'].flatMap((tag) => {
    const all = documentByTag(document, tag);
    return all.length > MOST_FIELDS ? [] : list(all);
  });
  if (fields.length > MOST_FIELDS || fields.length === 0) {
    const form = element && isConnected(element) ? closest(element, 'form,fieldset,dialog,[role=dialog],[role=form],[role=radiogroup]') : null;
    fields = form ? list(selectAll(form, 'input,textarea,select')).slice(0, MOST_FIELDS) : [];
  }
  for (const root of knownRoots().slice(0, 50)) fields.push(...list(shadowSelectAll(root, 'input,textarea,select')).slice(0, 50));
  return new Map(fields.map((field) => [field, heldBy(field)]));
};

const isTicked = (field) => field instanceof HTMLInputElement && (inputType(field) === 'checkbox' || inputType(field) === 'radio');

/** What a field holds, raw: only ever compared. */
const heldBy = (field) => {
  if (isTicked(field)) return inputChecked(field);
  if (field instanceof HTMLInputElement) return inputValue(field);
  if (field instanceof HTMLTextAreaElement) return areaValue(field);
  return field instanceof HTMLSelectElement ? selectedLabels(field) : isEditable(field) ? core(editorText(field)) : '';
};

/** The elements near the target: of the outermost ancestor that holds few. @returns {Element[]} */
const surroundings = (element) => {
  let found = list(selectAll(element, '*'));
  if (found.length > MAX_NEWS_AROUND) return [];
  for (let scope = parentNode(element), up = 0; scope && nodeType(scope) === ELEMENT && up < 4; scope = parentNode(scope), up++) {
    const more = selectAll(scope, '*');
    if (more.length > MAX_NEWS_AROUND) break;
    found = list(more);
  }
  return found;
};

const CSS_SEEN = { visibilityProperty: true, opacityProperty: true };

const isSeenAsIs = (element) => checkVisibility(element, CSS_SEEN);

/** Seen now, or about to be: what is being faded in. */
const isSeenNow = (element) => isSeenAsIs(element) || (isShown(element) && isFadingIn(element));

const isFadingIn = (element) => {
  for (let node = element, up = 0; node && nodeType(node) === ELEMENT && up < 8; node = flatParent(node), up++) {
    for (const animation of animationsOf(node)) {
      if (animation.playState !== 'running' || !animation.effect) continue;
      const last = animation.effect.getKeyframes().pop();
      if (last && last.opacity !== undefined && Number(last.opacity) > 0) return true;
    }
  }
  return false;
};

/** Whether it is more than the words for screen readers alone, which are cut off after a pixel. */
const hasRoom = (element) => {
  for (let node = element, up = 0; node && nodeType(node) === ELEMENT && up < 4; node = flatParent(node), up++) {
    const { width, height } = boundingRect(node);
    if ((width < 4 || height < 4) && (width > 0 || height > 0) && styleOf(node).overflowX !== 'visible') return false;
  }
  return true;
};

/** What a region says to a person; empty when it does not show. */
const regionText = (region) => {
  if (!(region instanceof HTMLElement) || !isSeenNow(region) || !hasRoom(region)) return '';
  return tidy(textContent(region).length > 5000 ? firstText(region, LONGEST_NEWS) : innerText(region)).slice(0, 5000);
};

const showsText = (text) => {
  const parent = parentNode(text);
  const holder = parent instanceof ShadowRoot ? shadowHost(parent) : parent;
  return holder !== null && nodeType(holder) === ELEMENT && isSeenNow(holder) && hasRoom(holder);
};

/** The first words that show within a node. */
const firstText = (node, longest) => {
  if (nodeType(node) === TEXT) return showsText(node) ? tidy(textData(node)) : '';
  const walker = walkerOver(node, NodeFilter.SHOW_TEXT);
  const words = [];
  for (let length = 0, looked = 0, text = nextNode(walker); text && length <= longest && looked < 300; text = nextNode(walker), looked++) {
    const said = tidy(textData(text));
    if (said === '' || !showsText(text)) continue;
    words.push(said);
    length += said.length + 1;
  }
  return words.join(' ');
};

/** What the target draws by itself, as tips made of style alone do. */
const drawnText = (element) => {
  if (!element || !isConnected(element)) return '';
  return ['::before', '::after']
    .map((pseudo) => {
      const style = getComputedStyle(element, pseudo);
      const content = /^"(.*)"$/.exec(style.content);
      return content && style.display !== 'none' && style.visibility === 'visible' && Number(style.opacity) > 0 ? tidy(content[1]) : '';
    })
    .join(' ')
    .trim();
};

/** Whether what the target belongs to is open, pressed or chosen. */
const widgetWord = (element) => {
  const widget = element && isConnected(element) ? closest(element, '[aria-expanded],[aria-pressed],[aria-selected],summary') : null;
  if (!widget) return '';
  const expanded = expandedState(widget, localName(widget));
  if (expanded !== '') return expanded;
  const pressed = attribute(widget, 'aria-pressed');
  if (pressed !== null) return pressed === 'true' ? 'pressed' : pressed === 'mixed' ? 'pressed in part' : 'not pressed';
  return attribute(widget, 'aria-selected') === 'true' ? 'selected' : 'not selected';
};

/** @returns {string[]} What the field of the action holds now. */
export const ownValue = (field) => valueFact(field, '', '');

const valueFact = (field, role, name) => {
  const own = roleOf(field);
  if (isSecret(field)) return [heldBy(field) === '' ? 'cleared' : 'filled', role, name, '', ''];
  const value = isTicked(field) ? '' : field instanceof HTMLSelectElement ? selectedLabels(field) : valueOf(field, own);
  if (isTicked(field)) return [checkedState(field, own, localName(field)) || 'unchecked', role, name, '', ''];
  return ['value', role, name, cutNews(value), value === '' ? 'is empty' : ''];
};

/** @returns {string[][]} The facts, the most telling first. */
export const newsOf = (state) => {
  const facts = [];
  const base = state.baseline;
  if (base && base.widget !== '') {
    const word = widgetWord(state.element);
    if (word !== '' && word !== base.widget) facts.push([word, '', '', '', '']);
  }
  const invalid = invalidNews(state);
  facts.push(...invalid);
  const told = new Set(invalid.map((fact) => fact[3]).filter((text) => text !== ''));
  if (base && state.count > 0) facts.push(...regionNews(state, base).filter((fact) => !told.has(fact[3])));
  if (base) facts.push(...fieldNews(state, base));
  if (base) endPromised();
  return facts;
};

/** What a document says that was just loaded: messages, and fields that the page says are not valid. @returns {string[][]} */
export const greeting = () => {
  beginCall();
  const wrong = selectEverywhere('[aria-invalid=true]').filter(isShown).slice(0, MOST_ALIKE);
  const facts = wrong.map((field) => ['invalid', ...labelOf(field), cutNews(describedAs(field)), '']);
  const told = new Set(facts.map((fact) => fact[3]));
  return [...facts, ...regionNews({ records: [] }, { regions: new Map() }).filter((fact) => !told.has(fact[3]))];
};

/** The fields that are not valid now: those that stopped a form, and those that the page says are not. */
const invalidNews = (state) => {
  const found = new Map();
  for (const field of state.invalid) if (isConnected(field) && !found.has(field)) found.set(field, isFormControl(field) ? tidy(validationMessage[localName(field)](field)) : '');
  const note = (element) => {
    if (attribute(element, 'aria-invalid') !== 'true' || found.has(element) || !isShown(element)) return;
    found.set(element, describedAs(element));
  };
  for (const record of state.records) {
    if (record.type === 'attributes') {
      if (record.attributeName === 'aria-invalid') note(record.target);
    } else {
      for (const added of list(record.addedNodes)) {
        if (nodeType(added) !== ELEMENT || !isConnected(added)) continue;
        note(added);
        if (firstElementChild(added)) list(selectAll(added, '[aria-invalid=true]')).forEach(note);
      }
    }
  }
  const facts = [...found].slice(0, MOST_ALIKE).map(([field, message]) => ['invalid', ...labelOf(field), cutNews(message || describedAs(field)), '']);
  if (found.size > MOST_ALIKE) facts.push([`${found.size - MOST_ALIKE} more are invalid`, '', '', '', '']);
  return facts;
};

/** What the page says of a field beside it, where that shows. */
const describedAs = (element) => {
  const root = treeOf(element);
  const ids = [attribute(element, 'aria-errormessage'), attribute(element, 'aria-describedby')].flatMap((ids) => (ids || '').split(/\s+/)).filter((id) => id !== '');
  const said = ids.map((id) => (root === document ? documentById(document, id) : shadowSelectAll(root, `#${CSS.escape(id)}`)[0])).filter((one) => one && isSeenNow(one));
  return tidy([...new Set(said)].map((one) => (one instanceof HTMLElement ? innerText(one) : textContent(one))).join(' '));
};

const REGION_WORDS = new Map([['alert', 'alert'], ['alertdialog', 'dialog'], ['dialog', 'dialog'], ['log', 'log']]);

/** Messages and dialogs that came since. */
const regionNews = (state, base) => {
  const touched = touchedBy(state);
  const came = [];
  for (const region of selectEverywhere(REGIONS)) {
    const before = base.regions.get(region) || '';
    const role = roleOf(region);
    const isDialog = role === 'dialog' || role === 'alertdialog';
    if (isDialog && before !== '') continue;
    const text = regionText(region);
    if (text === '' || (text === before && !touched.has(region))) continue;
    const word = REGION_WORDS.get(role) || (attribute(region, 'aria-live') === 'assertive' ? 'alert' : 'status');
    came.push({ region, word, isDialog, text: isDialog ? firstText(region, 200) : addedTo(before, text) });
  }
  // Of messages within each other the innermost is the one; a dialog is told as a whole.
  const within = (outer, inner) => outer !== inner && flatContains(outer.region, inner.region);
  const told = came.filter((one) => (one.isDialog || !came.some((other) => within(one, other))) && !came.some((other) => other.isDialog && within(other, one)));
  return told.slice(0, MOST_ALIKE).map(({ region, word, isDialog, text }) => {
    if (!isDialog) return [word, '', '', cutNews(text), ''];
    const name = labelOf(region)[1];
    // What can be chosen in it is for a snapshot.
    const chooser = name !== '' && selectFirst(region, 'table,[role=grid],[role=listbox],[role=tree]') !== null;
    return [word, '', name, chooser ? '' : cutNews(text.startsWith(name) ? text.slice(name.length).trim() : text, 100), ''];
  });
};

/** The part of a text that was not there before, where it was added to. */
const addedTo = (before, text) => {
  if (before === '' || text === before) return text;
  if (text.startsWith(before)) return text.slice(before.length).trim();
  return text.endsWith(before) ? text.slice(0, text.length - before.length).trim() : text;
};

/** The regions in which something was written. @returns {Set<Element>} */
const touchedBy = (state) => {
  const touched = new Set();
  for (const record of state.records) {
    if (record.type === 'attributes' || (record.type === 'childList' && record.addedNodes.length === 0)) continue;
    for (let node = record.target; node; node = flatParent(node)) {
      if (touched.has(node)) break;
      touched.add(node);
    }
  }
  return touched;
};

/** Other fields that hold something else now, and widgets that say so. */
const fieldNews = (state, base) => {
  const own = state.element && ownField(state.element);
  const changed = [];
  for (const [field, before] of base.fields) {
    if (field === own || !isConnected(field) || heldBy(field) === before) continue;
    // Of a group of radio buttons the one that is chosen now.
    if (isTicked(field) && inputType(field) === 'radio' && !inputChecked(field)) continue;
    if ((field instanceof HTMLInputElement && inputType(field) === 'hidden') || attribute(field, 'aria-hidden') === 'true') continue;
    if (isVisible(field) || isCoveredControl(field)) changed.push(field);
  }
  const seen = new Set(changed);
  for (const record of state.records) {
    const widget = changedWidget(record);
    if (widget && widget !== own && !seen.has(widget) && isConnected(widget) && isVisible(widget)) {
      seen.add(widget);
      changed.push(widget);
    }
  }
  const facts = changed.slice(0, MOST_ALIKE).map((field) => {
    const [role, name] = labelOf(field);
    return isFormControl(field) || base.fields.has(field) ? valueFact(field, role, name) : widgetFact(field, role, name);
  });
  if (changed.length > MOST_ALIKE) facts.push([`${changed.length - MOST_ALIKE} more fields changed`, '', '', '', '']);
  return facts;
};

/** The widget of ARIA whose value a record is about. @returns {?Element} */
const changedWidget = (record) => {
  if (record.type !== 'attributes') {
    const target = nodeType(record.target) === ELEMENT ? record.target : parentNode(record.target);
    const list = target && nodeType(target) === ELEMENT ? closest(target, '[role=combobox]') : null;
    return list && !isFormControl(list) && !selectFirst(list, 'input,textarea') ? list : null;
  }
  const { target, attributeName } = record;
  if (isFormControl(target)) return null;
  const role = attribute(target, 'role');
  if (attributeName === 'aria-checked') return CHECKABLE.has(role) && (role !== 'radio' && role !== 'menuitemradio' || attribute(target, 'aria-checked') === 'true') ? target : null;
  if (attributeName === 'aria-selected') return role === 'tab' && attribute(target, 'aria-selected') === 'true' ? target : null;
  return (attributeName === 'aria-valuenow' || attributeName === 'aria-valuetext') && (role === 'slider' || role === 'spinbutton') ? target : null;
};

const widgetFact = (widget, role, name) => {
  if (role === 'tab') return ['selected', role, name, '', ''];
  if (CHECKABLE.has(role)) return [checkedState(widget, role, localName(widget)) || 'unchecked', role, name, '', ''];
  const value = role === 'combobox' ? firstText(widget, 200) : valueOf(widget, role);
  return ['value', role, name, cutNews(value), value === '' ? 'is empty' : ''];
};

/** @returns {?Element} */
const closestElement = (node, selector) => (nodeType(node) === ELEMENT ? closest(node, selector) : null);

/** Text that shows now and did not, for a page that says nothing better; or text that went. @returns {?string[]} Label and text. */
export const shownSince = (state) => {
  const parts = [];
  const taken = [];
  const add = (node, text) => {
    if (text === '' || taken.some((other) => contains(other, node))) return;
    taken.push(node);
    parts.push(text);
  };
  if (state.baseline) {
    for (const element of state.baseline.hidden) if (isConnected(element) && isSeenNow(element)) add(element, firstText(element, 100));
    const generated = drawnText(state.element);
    if (generated !== state.baseline.generated && generated !== '') parts.push(generated);
  }
  // What stands in another place now, or was drawn again.
  const moved = new Set(state.records.flatMap((record) => list(record.removedNodes)).slice(0, MAX_NEWS_AROUND).map((node) => tidy(textContent(node))));
  for (const record of state.records) {
    if (parts.length > 9) break;
    if (record.type === 'characterData' && isConnected(record.target)) add(record.target, firstText(record.target, 100));
    for (const node of list(record.addedNodes)) if (isConnected(node) && (nodeType(node) === TEXT || nodeType(node) === ELEMENT) && !moved.has(tidy(textContent(node)))) add(node, firstText(node, 100));
  }
  if (parts.length > 0) return ['new text', cutNews(parts.join(' '), 100)];
  const gone = state.records.filter((record) => closestElement(record.target, 'head,script,style,template') === null).flatMap((record) => list(record.removedNodes)).filter((node) => !isConnected(node) && (nodeType(node) === TEXT || (node instanceof HTMLElement && !/^(?:script|style|template)$/.test(localName(node)))));
  const stays = new Set(state.records.flatMap((record) => list(record.addedNodes)).filter(isConnected).map((node) => tidy(textContent(node))));
  const text = tidy(gone.filter((node) => !stays.has(tidy(textContent(node)))).slice(0, 10).map(textContent).join(' '));
  return text === '' ? null : ['removed text', cutNews(text, 80)];
};
