// Access to the DOM that a page cannot bend, see `primordials.js`.

import { Refusal } from './refusal.js';
import { callContext } from './call-context.js';
import { getter, method } from './primordials.js';

let stepsNow = 0;

/** Steps between two looks at the clock. */
const STEPS = 32;

/** Every walk comes by here at each node, some of them several times. */
const step = () => {
  stepsNow += 1;
  if (stepsNow % STEPS === 0 && callContext.deadline !== Infinity && Date.now() > callContext.deadline) throw new Refusal('late', { message: 'the reading came to its deadline' });
};

/** What a walk asks of a node, as a step of it. */
const counted = (ask) => (node, argument) => {
  step();
  return ask(node, argument);
};

export const nodeType = getter(Node.prototype, 'nodeType');
export const parentNode = counted(getter(Node.prototype, 'parentNode'));
export const firstChild = getter(Node.prototype, 'firstChild');
export const nextSibling = counted(getter(Node.prototype, 'nextSibling'));
export const isConnected = getter(Node.prototype, 'isConnected');
export const ownerDocument = getter(Node.prototype, 'ownerDocument');
export const contains = method(Node.prototype, 'contains');
export const rootNode = method(Node.prototype, 'getRootNode');
export const comparePosition = method(Node.prototype, 'compareDocumentPosition');

export const textData = counted(getter(CharacterData.prototype, 'data'));
export const textSlot = getter(Text.prototype, 'assignedSlot');

export const localName = getter(Element.prototype, 'localName');
export const namespaceURI = getter(Element.prototype, 'namespaceURI');
export const firstElementChild = getter(Element.prototype, 'firstElementChild');
export const nextElementSibling = counted(getter(Element.prototype, 'nextElementSibling'));
export const openShadowRoot = getter(Element.prototype, 'shadowRoot');
export const assignedSlot = getter(Element.prototype, 'assignedSlot');
export const hasAttributes = method(Element.prototype, 'hasAttributes');
export const hasAttribute = counted(method(Element.prototype, 'hasAttribute'));
export const attributeNames = method(Element.prototype, 'getAttributeNames');
export const closest = counted(method(Element.prototype, 'closest'));
export const matches = counted(method(Element.prototype, 'matches'));
export const selectFirst = method(Element.prototype, 'querySelector');
export const boundingRect = counted(method(Element.prototype, 'getBoundingClientRect'));
export const clientRects = method(Element.prototype, 'getClientRects');
export const checkVisibility = counted(method(Element.prototype, 'checkVisibility'));
export const scrollIntoView = method(Element.prototype, 'scrollIntoView');
export const animationsOf = method(Element.prototype, 'getAnimations');

export const walkerOver = Document.prototype.createTreeWalker.bind(document);
export const nextNode = counted(method(TreeWalker.prototype, 'nextNode'));

export const shadowHost = getter(ShadowRoot.prototype, 'host');
export const shadowSelectAll = method(DocumentFragment.prototype, 'querySelectorAll');
export const shadowSelectFirst = method(DocumentFragment.prototype, 'querySelector');
export const shadowElementFromPoint = method(ShadowRoot.prototype, 'elementFromPoint');
export const shadowActiveElement = getter(ShadowRoot.prototype, 'activeElement');

export const documentBody = getter(Document.prototype, 'body');
export const documentDesignMode = getter(Document.prototype, 'designMode');
const rawTitle = getter(Document.prototype, 'title');
/** The title, well formed: a page may cut it in the middle of a character. */
export const documentTitle = (of) => rawTitle(of).toWellFormed();
export const documentActive = getter(Document.prototype, 'activeElement');
export const documentSelectAll = method(Document.prototype, 'querySelectorAll');
export const documentSelectFirst = method(Document.prototype, 'querySelector');
export const documentByTag = method(Document.prototype, 'getElementsByTagName');
export const documentById = method(Document.prototype, 'getElementById');
export const documentFromPoint = method(Document.prototype, 'elementFromPoint');
export const documentRange = method(Document.prototype, 'createRange');
export const documentSheets = getter(Document.prototype, 'styleSheets');
export const adoptedSheets = getter(Document.prototype, 'adoptedStyleSheets');
export const fullscreenElement = getter(Document.prototype, 'fullscreenElement');
export const scrollingElement = getter(Document.prototype, 'scrollingElement');

const focusHtml = method(HTMLElement.prototype, 'focus');
const focusSvg = method(SVGElement.prototype, 'focus');
const focusMath = method(MathMLElement.prototype, 'focus');
/** Elements of other kinds take no focus. */
export const focusElement = (element) => {
  if (element instanceof HTMLElement) focusHtml(element);
  else if (element instanceof SVGElement) focusSvg(element);
  else if (element instanceof MathMLElement) focusMath(element);
};

export const assignedNodes = method(HTMLSlotElement.prototype, 'assignedNodes');
export const innerText = getter(HTMLElement.prototype, 'innerText');
export const offsetWidth = getter(HTMLElement.prototype, 'offsetWidth');
export const isContentEditable = getter(HTMLElement.prototype, 'isContentEditable');
export const inputValue = getter(HTMLInputElement.prototype, 'value');
export const inputChecked = getter(HTMLInputElement.prototype, 'checked');
export const inputMixed = getter(HTMLInputElement.prototype, 'indeterminate');
export const inputList = getter(HTMLInputElement.prototype, 'list');
export const inputFiles = getter(HTMLInputElement.prototype, 'files');
export const areaValue = getter(HTMLTextAreaElement.prototype, 'value');
export const selectValue = getter(HTMLSelectElement.prototype, 'value');
export const selectOptions = getter(HTMLSelectElement.prototype, 'options');
export const selectMultiple = getter(HTMLSelectElement.prototype, 'multiple');
export const selectSize = getter(HTMLSelectElement.prototype, 'size');
export const optionSelected = getter(HTMLOptionElement.prototype, 'selected');
export const optionLabel = getter(HTMLOptionElement.prototype, 'label');
export const optionValue = getter(HTMLOptionElement.prototype, 'value');
export const labelControl = getter(HTMLLabelElement.prototype, 'control');
export const contentWindow = getter(HTMLIFrameElement.prototype, 'contentWindow');

export const ELEMENT = 1;
export const TEXT = 3;
export const FRAGMENT = 11;
export const SVG = 'http://www.w3.org/2000/svg';
export const HTML = 'http://www.w3.org/1999/xhtml';

/** Whether `node` is an element with this HTML tag. @returns {boolean} */
export const isTag = (node, tag) => localName(node) === tag && namespaceURI(node) === HTML;

export const tidy = (text) => text.replace(/\s+/g, ' ').trim();

/** Computed styles tell what is so at any time: to find one again takes a fifth of asking for it. @type {WeakMap<Element, CSSStyleDeclaration>} */
let knownStyles = new WeakMap();
let stylesLeft = 0;

/** Styles that are kept of a document: they are small, and large documents have many. */
const MOST_STYLES = 20_000;

/** The computed style. @returns {CSSStyleDeclaration} */
export const styleOf = (element, pseudo) => {
  step();
  if (pseudo !== undefined) return getComputedStyle(element, pseudo);
  const known = knownStyles.get(element);
  if (known !== undefined) return known;
  stylesLeft -= 1;
  if (stylesLeft < 0) {
    knownStyles = new WeakMap();
    stylesLeft = MOST_STYLES;
  }
  const style = getComputedStyle(element);
  knownStyles.set(element, style);
  return style;
};
