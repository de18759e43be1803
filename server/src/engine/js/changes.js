// What changed in a document since an action was aimed: the facts of a receipt.

/** @type {?{observer: MutationObserver, bump: () => void, count: number, focus: ?Element, url: string, title: string, element: ?Element, before: string, scroll: number[]}} */
let watched = null;

/** Starts to count. @param {?Element} element The element the action is for. */
const watchChanges = (element) => {
  if (watched) stopWatching(watched);
  const state = { observer: null, bump: null, count: 0, focus: focusedElement(), url: location.href, title: documentTitle(document), element, before: fieldState(element), scroll: scrollState() };
  state.observer = new MutationObserver((records) => {
    state.count += records.length;
  });
  state.bump = () => (state.count += 1);
  // What is popped up changes no attribute.
  addEventListener('beforetoggle', state.bump, true);
  const everything = { subtree: true, childList: true, attributes: true, characterData: true };
  state.observer.observe(document, everything);
  const root = element && rootNode(element);
  if (root instanceof ShadowRoot) state.observer.observe(root, everything);
  for (const known of knownRoots()) if (known !== root) state.observer.observe(known, everything);
  watched = state;
};

const stopWatching = (state) => {
  state.observer.disconnect();
  removeEventListener('beforetoggle', state.bump, true);
};

/** What a person could read off a field: value and check mark. */
const fieldState = (element) => {
  if (!element || !isConnected(element)) return '';
  const field = element instanceof HTMLLabelElement && labelControl(element) ? labelControl(element) : element;
  const role = roleOf(field);
  return `${checkedState(field, role, localName(field))}\n${field instanceof HTMLInputElement ? inputValue(field) : valueOf(field, role)}`;
};

const scrollState = () => {
  const scroller = scrollingElement(document);
  return scroller ? [Math.round(scroller.scrollLeft), Math.round(scroller.scrollTop)] : [0, 0];
};

const takeChanges = () => {
  if (!watched) return { url: location.href, mutations: 0 };
  const state = watched;
  watched = null;
  const mutations = state.count + state.observer.takeRecords().length;
  stopWatching(state);
  const focus = focusedElement();
  // A button that was clicked has the focus of course; a field that got it is news.
  const own = state.element && focus && (flatContains(state.element, focus) || flatContains(focus, state.element));
  const moved = focus !== state.focus && focus !== null && (!own || isEditable(focus));
  const after = state.element && isConnected(state.element) ? fieldState(state.element) : state.before;
  const scroll = scrollState();
  return {
    mutations,
    url: location.href,
    title: documentTitle(document) !== state.title ? documentTitle(document) : null,
    focus: moved ? labelOf(focus) : null,
    field: after !== state.before,
    checked: state.element && isConnected(state.element) ? checkedWord(state.element) : null,
    scrolled: scroll[0] !== state.scroll[0] || scroll[1] !== state.scroll[1] ? scroll : null,
  };
};

const checkedWord = (element) => {
  const field = element instanceof HTMLLabelElement && labelControl(element) ? labelControl(element) : element;
  const role = roleOf(field);
  return CHECKABLE.has(role) && role !== 'option' && role !== 'treeitem' ? checkedState(field, role, localName(field)) || 'unchecked' : null;
};

/** For actions of the keyboard, which have no target of their own. */
const watch = () => {
  beginCall();
  watchChanges(focusedElement());
  const focus = focusedElement();
  return { focus: focus ? labelOf(focus) : null, frame: focus && frameWindow(focus) ? ownerNumber(focus) : 0, takes: focus !== null && isEditable(focus) };
};

const report = () => {
  beginCall();
  return takeChanges();
};
