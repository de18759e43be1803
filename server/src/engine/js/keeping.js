// A look at what is unseen is good for as long as the browser does not style or
// lay out anything: to look again takes longer than to read the page.
//
// The daemon says with a question how often the browser had done so (`renders`,
// see kept.rs), and asks again should it have done so by the end of the answer.
// That takes longer than most looks, so it is done where one was said to be dear.
// What changes without that is compared here, or keeps a look from being kept.
// The first reading after a change of an element keeps nothing: mostly it is the last.

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

/** @typedef {{top: Element, roots: ShadowRoot[], renders: string, rulings: object[], view: string, scrolled: [Element, number, number][], pictures: [object|string, Function, Look|boolean][], unseen: ?Unseen}} KeptLook */

/** Looks that are kept of a document. */
const MOST_LOOKS_KEPT = 4;

/** Nothing that was found out before is kept: the script knows more now. */
const forgetLooks = () => findings.delete('looks');

/** The looks, whether there was a reading, and whether there is too much to compare. Gone with the first change of an element; all else is compared before a look is used. @returns {{looks: KeptLook[], isRead: boolean, isTooMuch: boolean}} */
const looksKept = () => steady('looks', document, () => ({ looks: [], isRead: false, isTooMuch: false }));

/** @param {Element} top @param {ShadowRoot[]} roots Those below it. @param {boolean} isAhead Whether nobody waits for it. @returns {?Unseen} Not to be changed; null when all is seen. */
const unseenIn = (top, roots, isAhead = false) => {
  const kept = looksKept();
  const { looks } = kept;
  const isRepeated = isAhead || kept.isRead;
  kept.isRead = true;
  // From here on nothing waits to be styled or laid out.
  if (rendersNow !== '') boundingRect(documentElement(document));
  const known = looks.findIndex((look) => look.top === top && isAlikeList(look.roots, roots));
  if (known >= 0) {
    if (isStillTrue(looks[known])) return looks[known].unseen;
    looks.splice(known, 1);
  }
  isFleeting = false;
  picturesSeen = [];
  const unseen = pricedLook(top, roots);
  if (rendersNow === '' || !isRepeated || (isAhead && !isDear) || kept.isTooMuch || isFleeting || picturesSeen.length > MOST_COMPARED) return unseen;
  const trees = treesOf(top, roots);
  if (isUnsteady(trees)) return unseen;
  const scrolled = scrolledIn(trees);
  kept.isTooMuch = scrolled === null;
  if (scrolled === null) return unseen;
  if (looks.length >= MOST_LOOKS_KEPT) looks.shift();
  looks.push({ top, roots, renders: rendersNow, rulings: trees.map(rulingFor), view: viewNow(), scrolled, pictures: picturesSeen, unseen });
  return unseen;
};

/** From how many milliseconds on a look is worth two round trips to the browser. */
const DEAR_MS = 3;

/** Whether a look of the question that is answered took so long. */
let isDear = false;

/** Begins an answer that took a dear look, behind the other mark. */
const DEAR_MARK = '+';

/** Whether there was a look: the first makes ready what all others have. */
let hasLooked = false;

const pricedLook = (top, roots) => {
  const begun = performance.now();
  const unseen = lookForAll(top, roots);
  isDear = isDear || (hasLooked && performance.now() - begun >= DEAR_MS);
  hasLooked = true;
  return unseen;
};

/** Whose styles and scroll positions a look depends on: what is around it, too. @returns {(Document|ShadowRoot)[]} */
const treesOf = (top, roots) => {
  const trees = new Set([document, ...roots]);
  for (let node = top; node && nodeType(node) === ELEMENT; node = flatParent(node)) trees.add(treeOf(node));
  return [...trees];
};

const isStillTrue = (look) => {
  looksLeft = MOST_LOOKS;
  return (
    isAsRendered(look) &&
    isAlikeList(look.rulings, treesOf(look.top, look.roots).map(rulingFor)) &&
    look.view === viewNow() &&
    look.scrolled.every(([element, left, top]) => scrollLeftOf(element) === left && scrollTopOf(element) === top) &&
    look.pictures.every(([source, ask, found]) => ask(source) === found)
  );
};

/** Scroll positions, and pictures, that are compared: with more of them a page is looked at as fast. */
const MOST_COMPARED = 300;

/** How the document lies in its window, what that is said to prefer, and whether ranges are marked. */
const viewNow = () => `${innerWidth} ${innerHeight} ${scrollX} ${scrollY} ${matchMedia('(prefers-color-scheme: dark)').matches} ${fullscreenElement(document) === null} ${marksRanges()}`;

/** Whether ranges have a style of their own: nothing is styled or laid out when there are others. */
const marksRanges = () => {
  const selection = getSelection();
  return CSS.highlights.size > 0 || (selection !== null && !selection.isCollapsed);
};

/** Whether anything moves by itself, or not all is known that a style may do. @param {(Document|ShadowRoot)[]} trees */
const isUnsteady = (trees) =>
  documentByTag(document, 'marquee').length > 0 ||
  marksRanges() ||
  hasMoreSlots ||
  !knowsSlots() ||
  trees.some((root) => rulingFor(root).closed || rulingFor(root).folds.length > 0 || skipsAny(root)) ||
  documentAnimations(document).some(isRestless);

/** Whether an animation goes on, or has the browser leave out to style what is out of view. */
const isRestless = ({ playState, effect }) => {
  if (playState !== 'finished' && playState !== 'idle') return true;
  return !(effect instanceof KeyframeEffect) || effect.getKeyframes().some((frame) => 'contentVisibility' in frame);
};

/** Whether the browser may leave out to style what is out of view. */
const skipsAny = (root) => rulingFor(root).skipping.length > 0 || (root === document ? hasAny(SKIPPING_BY_HAND) : shadowSelectAll(root, SKIPPING_BY_HAND).length > 0);

const SKIPPING_BY_HAND = '[style*="content-visibility" i],[hidden=until-found]';

/** Pictures cut off what overflows them. What a field scrolls is its value, which is not looked at. */
const mayScroll = (element, overflow) => overflow !== 'visible' && overflow !== 'clip' && !(element instanceof SVGSVGElement);

/** Elements that are asked whether they can be scrolled. */
const MOST_SCROLLERS_ASKED = 12_000;

/** What a person or a script can scroll, and how far it is: nothing is styled or laid out for that. @param {(Document|ShadowRoot)[]} trees @returns {?[Element, number, number][]} Null when it is too much. */
const scrolledIn = (trees) => {
  const found = [];
  let asked = 0;
  for (const root of trees) {
    const all = root === document ? documentSelectAll(document, '*') : shadowSelectAll(root, '*');
    asked += all.length;
    if (asked > MOST_SCROLLERS_ASKED) return null;
    for (let index = 0; index < all.length; index++) {
      const element = all[index];
      if (!checkVisibility(element) || !mayScroll(element, styleOf(element).overflow)) continue;
      if (found.length === MOST_COMPARED) return null;
      found.push([element, scrollLeftOf(element), scrollTopOf(element)]);
    }
  }
  return found;
};
