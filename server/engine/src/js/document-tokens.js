// A document as a flat list of what it is made of, for traces: without scripts, handlers and
// what nobody is shown. It stands without the rest of the engine, see `build.rs`.

import { documentElement, getter, method } from './primordials.js';
import { MASK, isFormControl, isSecret } from './secrets.js';
import { whole } from './markup.js';

/** What begins in the list: an element, a text, the end of an element. */
const OPEN_TOKEN = 1;
const TEXT_TOKEN = 2;
const CLOSE_TOKEN = 3;

/** Characters of a document: what comes after them is left out. */
const MAX_TRACED_CHARS = 8_000_000;

/** Characters of the address of a file: longer ones are data. */
const MAX_FILE_ADDRESS = 2_000;

/** Nodes of a document. */
const MAX_TRACED_NODES = 60_000;

/** Elements within each other: a viewer walks them by calls within calls. */
const MAX_TRACED_DEPTH = 500;

/** Characters of an address: longer ones are data. */
const MAX_TRACED_VALUE = 100_000;


/** How the DOM is read: a page cannot bend it. */
const traceDom = {
  nodeTypeOf: getter(Node.prototype, 'nodeType'),
  nodeNameOf: getter(Node.prototype, 'nodeName'),
  nodeValueOf: getter(Node.prototype, 'nodeValue'),
  firstChildOf: getter(Node.prototype, 'firstChild'),
  nextSiblingOf: getter(Node.prototype, 'nextSibling'),
  baseUriOf: getter(Node.prototype, 'baseURI'),
  textOf: getter(Node.prototype, 'textContent'),
  attributesOf: getter(Element.prototype, 'attributes'),
  shadowRootOf: getter(Element.prototype, 'shadowRoot'),
  scrollTopOf: getter(Element.prototype, 'scrollTop'),
  scrollLeftOf: getter(Element.prototype, 'scrollLeft'),
  rectOf: method(Element.prototype, 'getBoundingClientRect'),
  closestOf: method(Element.prototype, 'closest'),
  matchesSelector: method(Element.prototype, 'matches'),
  attributeOf: method(Element.prototype, 'getAttribute'),
  windowOfFrame: getter(HTMLIFrameElement.prototype, 'contentWindow'),
  adoptedSheetsOf: getter(Document.prototype, 'adoptedStyleSheets'),
  documentTypeOf: getter(Document.prototype, 'doctype'),
  typeNameOf: getter(DocumentType.prototype, 'name'),
  adoptedSheetsOfShadow: getter(ShadowRoot.prototype, 'adoptedStyleSheets'),
};

const HANDLER_NAME = /^on/i;
const SCRIPT_URL = /^\s*(?:javascript|vbscript):/i;
const TOKEN_META = /csrf|xsrf|token|nonce|secret|session/i;
const FILE_KINDS = { IMG: 'image', LINK: 'style' };

/**
 * The document as JSON: tokens with their texts, its type, and the addresses of what it shows.
 * The windows of its frames are left in `browseTraceFrames`, each behind its number.
 */
export const documentTokens = () => {
  const strings = [];
  const places = new Map();
  const tokens = [];
  const resources = new Map();
  const frames = [];
  const sheetTexts = new Map();
  let nodes = 0;
  let left = MAX_TRACED_CHARS;

  const placeOf = (given) => {
    // Each use counts: the daemon writes a text as often as it stands in the document.
    const text = given.length <= left ? given : '';
    left -= text.length;
    const known = places.get(text);
    if (known !== undefined) return known;
    places.set(text, strings.length);
    strings.push(whole(text));
    return strings.length - 1;
  };
  const open = (name, attributes) => {
    tokens.push(OPEN_TOKEN, placeOf(name), attributes.length);
    for (const [key, value] of attributes) tokens.push(placeOf(key), placeOf(value));
  };
  const text = (value) => tokens.push(TEXT_TOKEN, placeOf(value));
  const close = () => tokens.push(CLOSE_TOKEN);

  const sheetText = (sheet) => {
    if (sheetTexts.has(sheet)) return sheetTexts.get(sheet);
    let text = '';
    try {
      for (const rule of sheet.cssRules) {
        if (text.length > left) break;
        text += `${rule.cssText}\n`;
      }
    } catch {
      // One of another origin.
    }
    sheetTexts.set(sheet, text);
    return text;
  };
  const adoptedSheets = (sheets) => {
    for (const sheet of sheets) {
      open('template', [['__playwright_style_sheet_', sheetText(sheet)]]);
      close();
    }
  };

  const ownAttributes = (element, name) => {
    const kept = [];
    const hidden = isFormControl(element) && (isSecret(element) || (name === 'INPUT' && traceDom.attributeOf(element, 'type')?.toLowerCase() === 'hidden'));
    for (const { name: key, value } of Array.from(traceDom.attributesOf(element))) {
      if (HANDLER_NAME.test(key) || key === 'nonce' || key === 'integrity' || key.startsWith('__playwright')) continue;
      if (name === 'IFRAME' && (key === 'src' || key === 'srcdoc' || key === 'sandbox')) continue;
      if (name === 'DIALOG' && key === 'open') continue;
      if (value.length > MAX_TRACED_VALUE || SCRIPT_URL.test(value)) continue;
      const isToken = name === 'META' && key === 'content' && TOKEN_META.test(traceDom.attributeOf(element, 'name') ?? traceDom.attributeOf(element, 'property') ?? '');
      kept.push([key, isToken || (hidden && key === 'value') ? MASK : value]);
    }
    return kept;
  };

  /** What an element shows that its attributes do not say. */
  const stateOf = (element) => {
    const state = [];
    if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
      const isHidden = isSecret(element) || element.type === 'hidden';
      if (element.type !== 'file') state.push(['__playwright_value_', isHidden && element.value ? MASK : element.value]);
      if (element instanceof HTMLInputElement && (element.type === 'checkbox' || element.type === 'radio')) state.push(['__playwright_checked_', String(element.checked)]);
    } else if (element instanceof HTMLOptionElement) {
      const list = traceDom.closestOf(element, 'select');
      if (!list || !isSecret(list)) state.push(['__playwright_selected_', String(element.selected)]);
    } else if (element instanceof HTMLDialogElement && element.open) state.push(['__playwright_dialog_open_', traceDom.matchesSelector(element, ':modal') ? 'modal' : 'true']);
    else if (element instanceof HTMLImageElement) {
      const url = element.currentSrc;
      state.push(['__playwright_current_src__', SCRIPT_URL.test(url) || url.length > MAX_TRACED_VALUE ? '' : url]);
    } else if (element instanceof HTMLCanvasElement || element instanceof HTMLIFrameElement) {
      const { left, top, right, bottom } = traceDom.rectOf(element);
      state.push(['__playwright_bounding_rect__', JSON.stringify({ left, top, right, bottom })]);
    }
    if (traceDom.attributeOf(element, 'popover') !== null && traceDom.matchesSelector(element, ':popover-open')) state.push(['__playwright_popover_open_', 'true']);
    const [top, left] = [traceDom.scrollTopOf(element), traceDom.scrollLeftOf(element)];
    if (top) state.push(['__playwright_scroll_top_', String(top)]);
    if (left) state.push(['__playwright_scroll_left_', String(left)]);
    return state;
  };

  const frameOf = (element) => {
    const view = traceDom.windowOfFrame(element);
    if (!view) return [];
    frames.push(frames.length / 2 + 1, view);
    return [['src', `/snapshot/frame-number@${frames.length / 2}`]];
  };

  const noteFile = (element, name) => {
    const isSheet = element instanceof HTMLLinkElement && /(?:^|\s)stylesheet(?:\s|$)/i.test(traceDom.attributeOf(element, 'rel') ?? '');
    const url = element instanceof HTMLImageElement ? element.currentSrc : isSheet ? element.href : '';
    if (url && url.length <= MAX_FILE_ADDRESS && !url.startsWith('data:')) resources.set(url.replace(/#.*/, ''), FILE_KINDS[name]);
  };

  const walk = (node, depth) => {
    const type = traceDom.nodeTypeOf(node);
    nodes += 1;
    if (nodes > MAX_TRACED_NODES || depth > MAX_TRACED_DEPTH || left < MAX_FILE_ADDRESS) return;
    if (type === Node.TEXT_NODE) {
      text(traceDom.nodeValueOf(node) ?? '');
      return;
    }
    if (type !== Node.ELEMENT_NODE) return;
    const name = traceDom.nodeNameOf(node);
    const upper = name.toUpperCase();
    if (upper === 'SCRIPT' || upper === 'NOSCRIPT' || upper === 'OBJECT' || upper === 'EMBED') return;
    if (upper === 'META' && (traceDom.attributeOf(node, 'http-equiv') ?? '').trim() !== '') return;
    if (upper === 'LINK' && /^(?:preload|prefetch|modulepreload|preconnect|dns-prefetch)$/i.test(traceDom.attributeOf(node, 'rel') ?? '')) return;
    if (upper === 'STYLE') {
      open(name, []);
      // One that a script filled has no text.
      text(traceDom.textOf(node) || (node.sheet ? sheetText(node.sheet) : ''));
      close();
      return;
    }
    noteFile(node, upper);
    open(name, [...stateOf(node), ...ownAttributes(node, upper), ...(node instanceof HTMLIFrameElement ? frameOf(node) : [])]);
    if (upper === 'HEAD') {
      open('BASE', [['href', traceDom.baseUriOf(node)]]);
      close();
    }
    const shadow = traceDom.shadowRootOf(node);
    if (shadow) {
      open('template', [['__playwright_shadow_root_', 'open']]);
      for (let child = traceDom.firstChildOf(shadow); child; child = traceDom.nextSiblingOf(child)) walk(child, depth + 1);
      adoptedSheets(traceDom.adoptedSheetsOfShadow(shadow));
      close();
    }
    if (upper !== 'TEXTAREA') for (let child = traceDom.firstChildOf(node); child; child = traceDom.nextSiblingOf(child)) walk(child, depth + 1);
    if (depth === 0) adoptedSheets(traceDom.adoptedSheetsOf(document));
    close();
  };

  const top = documentElement(document);
  if (top) walk(top, 0);
  globalThis.browseTraceFrames = frames;
  const type = traceDom.documentTypeOf(document);
  return JSON.stringify({
    tokens,
    strings,
    doctype: type ? traceDom.typeNameOf(type) : '',
    resources: Array.from(resources),
    frames: frames.length / 2,
  });
};
