// Access to the DOM that a page cannot bend, see `reach.js`.

/** When the reading under way is to end, in milliseconds since 1970: nobody waits for it then. */
let untilNow = Infinity;
let stepsNow = 0;

/** Steps between two looks at the clock. */
const STEPS = 32;

/** Every walk comes by here at each node, some of them several times. */
const step = () => {
  stepsNow += 1;
  if (stepsNow % STEPS === 0 && untilNow !== Infinity && Date.now() > untilNow) throw new Refusal('late', { message: 'the reading came to its deadline' });
};

/** What a walk asks of a node, as a step of it. */
const counted = (ask) => (node, argument) => {
  step();
  return ask(node, argument);
};

const nodeType = getter(Node.prototype, 'nodeType');
const parentNode = counted(getter(Node.prototype, 'parentNode'));
const firstChild = getter(Node.prototype, 'firstChild');
const nextSibling = counted(getter(Node.prototype, 'nextSibling'));
const isConnected = getter(Node.prototype, 'isConnected');
const ownerDocument = getter(Node.prototype, 'ownerDocument');
const contains = method(Node.prototype, 'contains');
const rootNode = method(Node.prototype, 'getRootNode');
const comparePosition = method(Node.prototype, 'compareDocumentPosition');

const textData = counted(getter(CharacterData.prototype, 'data'));
const textSlot = getter(Text.prototype, 'assignedSlot');

const localName = getter(Element.prototype, 'localName');
const namespaceURI = getter(Element.prototype, 'namespaceURI');
const firstElementChild = getter(Element.prototype, 'firstElementChild');
const nextElementSibling = counted(getter(Element.prototype, 'nextElementSibling'));
const openShadowRoot = getter(Element.prototype, 'shadowRoot');
const assignedSlot = getter(Element.prototype, 'assignedSlot');
const hasAttributes = method(Element.prototype, 'hasAttributes');
const hasAttribute = counted(method(Element.prototype, 'hasAttribute'));
const attributeNames = method(Element.prototype, 'getAttributeNames');
const closest = counted(method(Element.prototype, 'closest'));
const matches = counted(method(Element.prototype, 'matches'));
const selectFirst = method(Element.prototype, 'querySelector');
const boundingRect = counted(method(Element.prototype, 'getBoundingClientRect'));
const clientRects = method(Element.prototype, 'getClientRects');
const checkVisibility = counted(method(Element.prototype, 'checkVisibility'));
const scrollIntoView = method(Element.prototype, 'scrollIntoView');
const animationsOf = method(Element.prototype, 'getAnimations');

const walkerOver = Document.prototype.createTreeWalker.bind(document);
const nextNode = counted(method(TreeWalker.prototype, 'nextNode'));

const shadowHost = getter(ShadowRoot.prototype, 'host');
const shadowSelectAll = method(DocumentFragment.prototype, 'querySelectorAll');
const shadowElementFromPoint = method(ShadowRoot.prototype, 'elementFromPoint');
const shadowActiveElement = getter(ShadowRoot.prototype, 'activeElement');

const documentBody = getter(Document.prototype, 'body');
const documentDesignMode = getter(Document.prototype, 'designMode');
const documentTitle = getter(Document.prototype, 'title');
const documentActive = getter(Document.prototype, 'activeElement');
const documentSelectAll = method(Document.prototype, 'querySelectorAll');
const documentSelectFirst = method(Document.prototype, 'querySelector');
const documentByTag = method(Document.prototype, 'getElementsByTagName');
const documentById = method(Document.prototype, 'getElementById');
const documentFromPoint = method(Document.prototype, 'elementFromPoint');
const documentAnimations = method(Document.prototype, 'getAnimations');
const documentRange = method(Document.prototype, 'createRange');
const documentElementsFromPoint = method(Document.prototype, 'elementsFromPoint');
const documentSheets = getter(Document.prototype, 'styleSheets');
const adoptedSheets = getter(Document.prototype, 'adoptedStyleSheets');
const fullscreenElement = getter(Document.prototype, 'fullscreenElement');
const scrollingElement = getter(Document.prototype, 'scrollingElement');

const assignedNodes = method(HTMLSlotElement.prototype, 'assignedNodes');
const innerText = getter(HTMLElement.prototype, 'innerText');
const offsetParent = getter(HTMLElement.prototype, 'offsetParent');
const offsetWidth = getter(HTMLElement.prototype, 'offsetWidth');
const isContentEditable = getter(HTMLElement.prototype, 'isContentEditable');
const tabIndexOf = getter(HTMLElement.prototype, 'tabIndex');
const focusElement = method(HTMLElement.prototype, 'focus');
const inputValue = getter(HTMLInputElement.prototype, 'value');
const inputChecked = getter(HTMLInputElement.prototype, 'checked');
const inputMixed = getter(HTMLInputElement.prototype, 'indeterminate');
const inputList = getter(HTMLInputElement.prototype, 'list');
const inputFiles = getter(HTMLInputElement.prototype, 'files');
const areaValue = getter(HTMLTextAreaElement.prototype, 'value');
const selectValue = getter(HTMLSelectElement.prototype, 'value');
const selectOptions = getter(HTMLSelectElement.prototype, 'options');
const selectMultiple = getter(HTMLSelectElement.prototype, 'multiple');
const selectSize = getter(HTMLSelectElement.prototype, 'size');
const optionSelected = getter(HTMLOptionElement.prototype, 'selected');
const optionLabel = getter(HTMLOptionElement.prototype, 'label');
const optionValue = getter(HTMLOptionElement.prototype, 'value');
const labelControl = getter(HTMLLabelElement.prototype, 'control');
const contentWindow = getter(HTMLIFrameElement.prototype, 'contentWindow');

const ELEMENT = 1;
const TEXT = 3;
const FRAGMENT = 11;
const SVG = 'http://www.w3.org/2000/svg';
const HTML = 'http://www.w3.org/1999/xhtml';

/** Whether `node` is an element with this HTML tag. @returns {boolean} */
const isTag = (node, tag) => localName(node) === tag && namespaceURI(node) === HTML;

const tidy = (text) => text.replace(/\s+/g, ' ').trim();

/** Computed styles tell what is so at any time: to find one again takes a fifth of asking for it. @type {WeakMap<Element, CSSStyleDeclaration>} */
let knownStyles = new WeakMap();
let stylesLeft = 0;

/** Styles that are kept of a document: they are small, and large documents have many. */
const MOST_STYLES = 20_000;

/** The computed style. @returns {CSSStyleDeclaration} */
const styleOf = (element, pseudo) => {
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
