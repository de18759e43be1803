// Text past the edge of a box that cuts off what overflows it, and that nobody
// scrolls: pushed out by a margin, a padding, an offset or a transform.
//
// Slides of a carousel and the folded end of an article lie past an edge, too,
// and a person gets at them: what goes on from what shows, or is of the same
// kind, is kept.

/** Boxes that are looked at, those with text alone, and parts: a page of boxes costs no more. */
const MOST_CLIPS = 250;
const MOST_BARE_CLIPS = 100;
const MOST_PARTS = 1000;
const MOST_TEXTS = 40;

/** A part of a text that goes on begins this near to what is before it. */
const NEAR = 60;

const scrollHeightOf = getter(Element.prototype, 'scrollHeight');
const scrollWidthOf = getter(Element.prototype, 'scrollWidth');
const clientHeightOf = getter(Element.prototype, 'clientHeight');
const clientWidthOf = getter(Element.prototype, 'clientWidth');

/** @param {Set<Element>} clips Elements that a style may make cut off. @param {Set<Element>} moved Those that a style may push out. @returns {Map<Element, number>} Each with its mark. */
const pastEdges = (clips, moved) => {
  const found = new Map();
  const looking = { found, left: MOST_PARTS };
  let [clipped, bare] = [0, 0];
  for (const clip of clips) {
    if (looking.left <= 0) break;
    const isBare = firstElementChild(clip) === null;
    if (isBare ? ++bare > MOST_BARE_CLIPS : ++clipped > MOST_CLIPS) {
      noteExcess();
      continue;
    }
    const over = scrollHeightOf(clip) > clientHeightOf(clip) + 1 || scrollWidthOf(clip) > clientWidthOf(clip) + 1;
    if (!over || isPageItself(clip) || !checkVisibility(clip)) continue;
    const box = clipBox(clip);
    if (box === null) continue;
    if (isStrip(box)) found.set(clip, GONE);
    else if (scrollWidthOf(clip) > clientWidthOf(clip) + 1 && isColumned(styleOf(clip))) found.set(clip, AWAITED);
    else if (isOwnTextPast(clip, box)) found.set(clip, MUTED);
    if (!isBare) lookPast(looking, clip, clip, box);
  }
  if (looking.left <= 0) noteExcess();
  // To the other side nothing overflows, by what a box says of itself.
  const around = new Map();
  for (const element of moved) {
    if (looking.left <= 0) break;
    const clip = clipAround(element, clips, around);
    if (clip === null) continue;
    const box = clipBox(clip);
    if (box !== null) judgePart(looking, element, clip, box, false);
  }
  return found;
};

const isPageItself = (element) => element === documentBody(document) || element === documentElement(document);

/** What a box lets through; null for one that cuts off nothing. @returns {?{left: number, top: number, right: number, bottom: number}} */
const clipBox = (clip) => {
  // A script scrolls it: what it cut off before was seen, or will be.
  if (scrollTopOf(clip) !== 0 || scrollLeftOf(clip) !== 0) return null;
  const style = styleOf(clip);
  const paints = /paint|strict|content/.test(style.contain);
  const cuts = (overflow) => paints || overflow === 'hidden' || overflow === 'clip';
  const rect = boundingRect(clip);
  const [across, down] = [cuts(style.overflowX), cuts(style.overflowY) && !holdsView(clip, rect)];
  if (!across && !down) return null;
  return { left: across ? rect.left : -Infinity, right: across ? rect.right : Infinity, top: down ? rect.top : -Infinity, bottom: down ? rect.bottom : Infinity };
};

/** A page that may not be scrolled while something is asked of the user, and was not scrolled by itself. */
const holdsView = (clip, rect) => rect.height >= innerHeight * 0.9 && scrollTopOf(clip) === 0;

/** Whether a box with an area lies outside of what is let through. */
const isPast = (box, clip) => (box.width > 0 || box.height > 0) && (box.right <= clip.left + 1 || box.left >= clip.right - 1 || box.bottom <= clip.top + 1 || box.top >= clip.bottom - 1);

const isWithin = (box, clip) => box.left >= clip.left - 1 && box.right <= clip.right + 1 && box.top >= clip.top - 1 && box.bottom <= clip.bottom + 1;

/** Whether an element has text of its own, and none of it is let through. */
const isOwnTextPast = (clip, box) => {
  let said = 0;
  for (let child = firstChild(clip); child; child = nextSibling(child)) {
    if (nodeType(child) !== TEXT || !WORDS.test(textData(child))) continue;
    said += 1;
    if (said > MOST_TEXTS || !isPast(textBox(child), box)) return false;
  }
  return said > 0;
};

/** Looks for parts of `holder` that a clip cuts off. */
const lookPast = (looking, holder, clip, box) => {
  for (const part of flatElements(holder)) {
    if (looking.left <= 0) return;
    if (FIELD_TAGS.has(localName(part))) continue;
    looking.left -= 1;
    const own = boundingRect(part);
    if (scrollWidthOf(part) > clientWidthOf(part) + 1 && isColumned(styleOf(part)) && isCutBy(part, clip)) looking.found.set(part, AWAITED);
    if (isPast(own, box)) judgePart(looking, part, clip, box, true);
    else if (!isWithin(own, box) || own.width === 0 || own.height === 0) {
      const style = styleOf(part);
      // A person scrolls in it.
      if (/auto|scroll/.test(style.overflow)) continue;
      if (isOwnTextPast(part, box) && isCutBy(part, clip) && !goesOn(part, box)) looking.found.set(part, travels(part, clip) ? AWAITED : MUTED);
      lookPast(looking, part, clip, box);
    }
  }
};

const judgePart = (looking, part, clip, box, isKnownPast) => {
  looking.left -= 1;
  if (looking.found.has(part) || SKIPPED_TAGS.has(localName(part)) || (!isKnownPast && !isPast(boundingRect(part), box)) || !checkVisibility(part)) return;
  const content = contentBox(part);
  if (!isPast(content, box) || !saysWords(part, GONE) || !isCutBy(part, clip)) return;
  if (!goesOn(part, box)) looking.found.set(part, appears(part, styleOf(part), SLIDING) || travels(part, clip) || isFolded(clip, box) ? AWAITED : GONE);
};

/** Whether something of a box shows, and a control comes right after it, as one that unfolds it does. */
const isFolded = (clip, box) => {
  const after = nextElementSibling(clip);
  return after !== null && box.bottom - box.top > NEAR / 2 && (matches(after, OPERATED) || selectFirst(after, OPERATED) !== null) && isVisible(after) && isNear(boundingRect(clip), boundingRect(after));
};

/** Whether an animation without end moves a part, or what holds it: the news of a ticker come by. */
const travels = (part, clip) => {
  for (let node = part; node && node !== clip && nodeType(node) === ELEMENT; node = flatParent(node)) {
    for (const { playState, effect } of node.getAnimations()) {
      if (playState !== 'running' || !(effect instanceof KeyframeEffect) || effect.getTiming().iterations !== Infinity) continue;
      if (effect.getKeyframes().some((frame) => 'transform' in frame || 'translate' in frame || 'left' in frame || 'marginLeft' in frame)) return true;
    }
  }
  return false;
};

/** The nearest ancestor that cuts off. @param {Map<Element, ?Element>} known */
const clipAround = (element, clips, known) => {
  const asked = [];
  let clip = null;
  for (let node = flatParent(element); node && nodeType(node) === ELEMENT; node = flatParent(node)) {
    if (known.has(node)) {
      clip = known.get(node);
      break;
    }
    asked.push(node);
    if (clips.has(node) && !isPageItself(node)) {
      clip = node;
      break;
    }
  }
  for (const node of asked) known.set(node, clip);
  return clip;
};

/** Whether nothing between lets an element out, or lets a person scroll to it. */
const isCutBy = (element, clip) => {
  let free = '';
  for (let node = element; node && node !== clip; node = flatParent(node)) {
    if (nodeType(node) !== ELEMENT) continue;
    const style = styleOf(node);
    if (free !== '' && holdsFree(style, free)) free = '';
    if (free === '' && node !== element && /auto|scroll/.test(style.overflow)) return false;
    if (free === '' && (style.position === 'absolute' || style.position === 'fixed')) free = style.position;
  }
  return free === '' || holdsFree(styleOf(clip), free);
};

const NO_CLIP = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };

/** What the boxes around an element let through of it, those that are scrolled included. @param {Map<Element, Map<string, object>>} known */
const clipOf = (known, element) => clipFor(known, flatParent(element), freedomOf(styleOf(element)));

/** How an element gets out of the boxes around it. */
const freedomOf = ({ position }) => (position === 'absolute' || position === 'fixed' ? position : '');

/** The same for what an element holds. */
const clipFor = (known, holder, free) => {
  if (!holder || nodeType(holder) !== ELEMENT || isPageItself(holder)) return NO_CLIP;
  const byFreedom = remembered(known, holder, () => new Map());
  return remembered(byFreedom, free, () => {
    const style = styleOf(holder);
    if (free !== '' && !holdsFree(style, free)) return clipFor(known, flatParent(holder), free);
    const outer = clipFor(known, flatParent(holder), freedomOf(style));
    const paints = style.contain !== 'none' && /paint|strict|content/.test(style.contain);
    const [across, down] = [paints || style.overflowX !== 'visible', paints || style.overflowY !== 'visible'];
    if (!across && !down) return outer;
    const rect = boundingRect(holder);
    return common(outer, { left: across ? rect.left : -Infinity, right: across ? rect.right : Infinity, top: down ? rect.top : -Infinity, bottom: down ? rect.bottom : Infinity });
  });
};

/** Whether a style makes what is positioned within stay within. */
const holdsFree = (style, position) => (position === 'absolute' && style.position !== 'static') || style.transform !== 'none' || style.filter !== 'none' || /paint|strict|content/.test(style.contain);

/** Whether a part goes on from what shows before it, or is one of several of which some show. */
const goesOn = (part, box) => {
  const holder = flatParent(part);
  if (!holder || nodeType(holder) !== ELEMENT) return false;
  const style = styleOf(part);
  if (style.position === 'static' && style.display.startsWith('inline') && showsWords(holder, box)) return true;
  const flows = style.position === 'static' || style.position === 'relative' || style.position === 'sticky';
  let before = null;
  let verdict = null;
  eachChild(holder, (child) => {
    if (verdict !== null) return;
    if (child === part) {
      if (flows && before !== null && isNear(before, contentBox(part)) && showsWords(holder, box)) verdict = true;
    } else if (nodeType(child) === ELEMENT) {
      const own = boundingRect(child);
      if (own.width === 0 || own.height === 0) return;
      before = own;
      if (isAlike(part, child) && !isPast(own, box)) verdict = true;
    } else if (nodeType(child) === TEXT && WORDS.test(textData(child))) before = textBox(child);
  });
  return verdict === true;
};

const textBox = (text) => {
  const range = documentRange(document);
  range.selectNodeContents(text);
  return range.getBoundingClientRect();
};

/** Below it, or beside it on its line. */
const isNear = (one, other) => Math.abs(other.top - one.bottom) < NEAR || (other.top < one.bottom && Math.abs(other.left - one.right) < NEAR);

/** Whether some text of an element lies within a clip. */
const showsWords = (element, box) => {
  const walker = walkerOver(element, NodeFilter.SHOW_TEXT);
  let asked = 0;
  for (let node = nextNode(walker); node && asked < MOST_TEXTS; node = nextNode(walker)) {
    if (!WORDS.test(textData(node))) continue;
    asked += 1;
    const own = textBox(node);
    if (own.width > 0 && !isPast(own, box)) return true;
  }
  return false;
};

/** Whether two elements are of one kind, as slides of a carousel are. */
const isAlike = (one, other) => {
  if (localName(one) !== localName(other)) return false;
  const [mine, theirs] = [one, other].map((element) => (attribute(element, 'class') || '').split(/\s+/).filter(Boolean));
  return mine.length === 0 ? theirs.length === 0 : mine.some((name) => theirs.includes(name));
};
