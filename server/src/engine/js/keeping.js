// A look at what is unseen is good for as long as the browser does not style or
// lay out anything: to look again takes longer than to read the page.
//
// The daemon says with a question how often the browser had done so (`renders`,
// see kept.rs), and asks again should it have done so by the end of the answer.
// What changes without that is compared here, or keeps a look from being kept.

/** How often, by the question that is answered; empty when it does not say. */
let rendersNow = '';

/** Whether the answer rests on a look of an earlier question. */
let restsOnKept = false;

/** Begins an answer that does. No answer begins so by itself. */
const KEPT_MARK = '=';

/** Whether what is looked at now may look otherwise with the next question, and nothing would tell. */
let isFleeting = false;

const noteFleeting = () => {
  isFleeting = true;
};

/** What pictures looked like in the look that is taken: they may load later. @type {[object|string, Function, Look|boolean][]} */
let picturesSeen = [];

/** @template T @param {object|string} source @param {(source: *) => T} look @returns {T} */
const notingLook = (source, look) => {
  const found = look(source);
  picturesSeen.push([source, look, found]);
  return found;
};

/** Whether something that was found out before is still so, for the count says that nothing was rendered since. The answer rests on it. */
const isAsRendered = ({ renders }) => {
  const isSame = rendersNow !== '' && renders === rendersNow;
  restsOnKept = restsOnKept || isSame;
  return isSame;
};

/** @typedef {{top: Element, roots: ShadowRoot[], renders: string, ruling: object, view: string, scrolled: [Element, number, number][], pictures: [object|string, Function, Look|boolean][], unseen: ?Unseen}} KeptLook */

/** Looks that are kept of a document. */
const MOST_LOOKS_KEPT = 4;

/** Nothing that was found out before is kept: the script knows more now. */
const forgetLooks = () => findings.delete('looks');

/** @returns {KeptLook[]} Gone with the first change of an element. */
const looksKept = () => steady('looks', document, () => []);

/** @param {Element} top @param {ShadowRoot[]} roots Those below it. @returns {?Unseen} Not to be changed; null when all is seen. */
const unseenIn = (top, roots) => {
  if (rendersNow === '') return lookForAll(top, roots);
  // From here on nothing waits to be styled or laid out.
  boundingRect(documentElement(document));
  const looks = looksKept();
  const known = looks.findIndex((look) => look.top === top && isAlikeList(look.roots, roots));
  if (known >= 0) {
    if (isStillTrue(looks[known])) return looks[known].unseen;
    looks.splice(known, 1);
  }
  isFleeting = false;
  picturesSeen = [];
  const unseen = lookForAll(top, roots);
  if (isFleeting || isUnsteady(roots)) return unseen;
  if (looks.length >= MOST_LOOKS_KEPT) looks.shift();
  looks.push({ top, roots, renders: rendersNow, ruling: rulingFor(document), view: viewNow(), scrolled: scrolledIn(top, roots), pictures: picturesSeen, unseen });
  return unseen;
};

const isStillTrue = (look) => {
  looksLeft = MOST_LOOKS;
  return (
    isAsRendered(look) &&
    look.ruling === rulingFor(document) &&
    look.view === viewNow() &&
    look.scrolled.every(([element, left, top]) => scrollLeftOf(element) === left && scrollTopOf(element) === top) &&
    look.pictures.every(([source, ask, found]) => ask(source) === found)
  );
};

/** How the document lies in its window, what that is said to prefer, and how many ranges are marked. */
const viewNow = () => `${innerWidth} ${innerHeight} ${scrollX} ${scrollY} ${matchMedia('(prefers-color-scheme: dark)').matches} ${fullscreenElement(document) === null} ${CSS.highlights.size}`;

/** Whether anything moves by itself, or is marked by ranges alone, which is shown without a style; or not all is known that a style may do. @param {ShadowRoot[]} roots */
const isUnsteady = (roots) =>
  documentByTag(document, 'marquee').length > 0 ||
  CSS.highlights.size > 0 ||
  hasMoreSlots ||
  !knowsSlots() ||
  [document, ...roots].some((root) => rulingFor(root).closed || skipsAny(root)) ||
  documentAnimations(document).some(({ playState }) => playState !== 'finished' && playState !== 'idle');

/** Whether the browser may leave out to style what is out of view. */
const skipsAny = (root) => rulingFor(root).skipping.length > 0 || (root === document ? hasAny(SKIPPING_BY_HAND) : shadowSelectAll(root, SKIPPING_BY_HAND).length > 0);

const SKIPPING_BY_HAND = '[style*="content-visibility" i],[hidden=until-found]';

/** What the browser's own sheet lets be scrolled. */
const SCROLLED_UNASKED = 'dialog,[popover]';

/** What a style lets be scrolled, by a script at least, and how far it is: nothing is laid out for that. @returns {[Element, number, number][]} */
const scrolledIn = (top, roots) => {
  const found = new Set();
  const add = (scope, root) => {
    const ruling = rulingFor(root);
    const styled = styledWithin((nodeType(scope) === ELEMENT ? selectAll : shadowSelectAll)(scope, '[style]'));
    for (const element of [...styled.clipping, ...styled.scrolling]) found.add(element);
    addMatches(found, scope, ruling, 'clipping');
    addMatches(found, scope, ruling, 'scrolling');
    addSelected(found, scope, [SCROLLED_UNASKED]);
  };
  add(documentElement(document), document);
  for (const root of roots) add(root, root);
  // What holds a tree of its own that was read by itself.
  for (let node = top; node && nodeType(node) === ELEMENT; node = flatParent(node)) found.add(node);
  return [...found].map((element) => [element, scrollLeftOf(element), scrollTopOf(element)]);
};
