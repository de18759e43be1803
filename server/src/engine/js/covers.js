// Text that lies behind other elements and moves with them, so that no
// scrolling brings it out. What covers it may be one box or several.

/** Boxes that cover, texts for each, and parts of larger ones that are looked at: a page of boxes costs no more. */
const MOST_COVERS = 400;
const MOST_COVERED = 600;
const MOST_INNER = 1500;

/** What a person opens over a page, and closes. */
const OPENED = 'dialog,[role=dialog],[role=alertdialog],[aria-modal=true],[role=menu],[role=listbox],[role=tooltip],[popover]';

/** A text that is covered by more is covered; by more than the other, it is told of. */
const COVERED_SHARE = 0.88;
const HALF_COVERED_SHARE = 0.6;

const freshCovering = (top, fixed = []) => ({ top, fixed, painters: null, pictures: null, within: new Map(), boxes: new Map(), clips: new Map(), pieces: new Map(), covered: new Map(), innerLeft: MOST_INNER, coversLeft: MOST_COVERS });

/**
 * @param {Set<Element>} suspects Elements that a style may put over others.
 * @param {Element} top
 * @returns {Map<Element, [number, string]>} What they hide, with its mark and means.
 */
const coveredBy = (suspects, top) => {
  const placed = [];
  for (const cover of suspects) if (checkVisibility(cover)) placed.push({ cover, style: styleOf(cover), position: styleOf(cover).position });
  const looking = freshCovering(top, placed.filter(({ position }) => position === 'fixed').map(({ cover }) => cover));
  const { covered } = looking;
  for (const { cover, style, position } of placed) {
    const sinks = position !== 'static' && parseInt(style.zIndex, 10) < 0;
    if (sinks && liesUnder(cover)) covered.set(cover, [GONE, 'cover']);
    if (sinks) continue;
    const found = lidsWithin(looking, cover, style);
    if (found === null) continue;
    if (--looking.coversLeft < 0) {
      noteExcess();
      break;
    }
    const sight = sightOf(cover, style);
    for (const [element, lids] of found) layLids(looking, element, lids, sight, cover);
  }
  settlePieces(looking);
  return covered;
};

/** What an element, or else what it holds, paints over others. @returns {?[Element, Lid[]][]} */
const lidsWithin = (looking, cover, style) => {
  const own = ownLids(looking, cover, style);
  if (own.length > 0) return [[cover, own]];
  const found = [];
  addInner(looking, cover, found, 0);
  return found.length > 0 ? found : null;
};

const ownLids = (looking, element, style) => {
  if (style.visibility !== 'visible' || style.display === 'contents') return [];
  const box = boundingRect(element);
  const isSmall = box.width * box.height < LEAST_LID;
  const lids = isSmall && !usesThick ? [] : seenOf(element, style, box, lidsOf(element, style, box));
  return lids.length === 0 ? lids : uncutLids(lids, clipOf(looking.clips, element));
};

/** What is left of lids by the boxes around that cut off what overflows them. @param {Lid[]} lids */
const uncutLids = (lids, clip) =>
  lids
    .map((lid) => ({ ...lid, box: common(lid.box, clip) }))
    .filter(({ box }) => (box.right - box.left) * (box.bottom - box.top) >= LEAST_LID && box.right > box.left)
    .map((lid) => ({ ...lid, box: boxOf(lid.box.left, lid.box.top, lid.box.right, lid.box.bottom) }));

/** What is below the element that is placed over others stands in it as usual, and so fills it. */
const MOST_DEEP = 4;
const MOST_BESIDE = 24;

const besideFirst = (holder) => {
  const parts = [];
  for (let part = firstElementChild(holder); part && parts.length < MOST_BESIDE; part = nextElementSibling(part)) parts.push(part);
  return parts;
};

const addInner = (looking, holder, found, depth) => {
  for (const part of shadowOf(holder) === null ? besideFirst(holder) : flatElements(holder)) {
    if (SKIPPED_TAGS.has(localName(part))) continue;
    if (--looking.innerLeft < 0) return;
    const box = boundingRect(part);
    if (box.width * box.height < LEAST_LID || !checkVisibility(part)) continue;
    const lids = ownLids(looking, part, styleOf(part));
    if (lids.length > 0) found.push([part, lids]);
    else if (depth < MOST_DEEP && !PICTURE_TAGS.has(localName(part))) addInner(looking, part, found, depth + 1);
  }
};

/** What is left of lids by a clip, a mask, and by how faded the element is. @param {Lid[]} lids */
const seenOf = (element, style, box, lids) => {
  if (lids.length === 0 || isTurnedAway(element, style)) return [];
  const opacity = opacityThrough(element);
  const passage = style.maskImage === 'none' ? 1 : passageInside(style, box);
  if (passage === 0) return [];
  const path = style.clipPath === 'none' ? null : keptByShape(style.clipPath, box.width, box.height);
  const isCut = style.clipPath !== 'none' && !/^(?:inset|rect|xywh)\(/.test(style.clipPath);
  const around = path === null || Object.values(path).some(Number.isNaN) ? null : boxOf(box.left + path.left, box.top + path.top, box.left + path.right, box.top + path.bottom);
  return lids
    .map((lid) => {
      const shown = around === null ? lid.box : common(lid.box, around);
      return { ...lid, box: boxOf(shown.left, shown.top, shown.right, shown.bottom), alpha: lid.alpha * opacity, isSure: lid.isSure && !isCut && passage !== null && passage > 0.95 };
    })
    .filter((lid) => lid.alpha >= LEAST_ALPHA && lid.box.width > 0 && lid.box.height > 0 && lid.box.width * lid.box.height >= LEAST_LID);
};

/** What a person operates, and so closes. */
const OPERATED = 'button,a[href],input,select,textarea,summary,[role=button],[tabindex],[onclick]';

/** Whether a cover asks something of a person, or is moved while something loads: what lies behind comes back. */
const isPassing = (cover) => animationsOf(cover, { subtree: true }).some(isEndless) || matches(cover, OPERATED) || list(selectAll(cover, OPERATED)).some((part) => isShown(part) && boundingRect(part).width >= 8) || isOpened(cover);

/** Whether a person opened it, and it has something to say: what says nothing is opened by nobody. */
const isOpened = (cover) => closest(cover, OPENED) !== null && WORDS.test(textContent(cover));

const isEndless = ({ playState, effect }) => playState === 'running' && effect !== null && effect.getTiming().iterations === Infinity;

/**
 * How a cover moves against a page that is scrolled. `stays`: it does not move;
 * `slides`: it stays for a while.
 * @typedef {{stays: boolean, slides: boolean, passes: ?boolean}} Sight
 */

/** @returns {Sight} */
const sightOf = (cover, style) => {
  let [stays, slides] = [false, false];
  for (let node = cover; node && nodeType(node) === ELEMENT; node = flatParent(node)) {
    const own = node === cover ? style : styleOf(node);
    if (own.position === 'fixed') stays = true;
    if (own.position === 'sticky' && [own.top, own.bottom, own.left, own.right].some((side) => side !== 'auto')) slides = true;
  }
  return { stays, slides, passes: null };
};

const isFixed = (element) => {
  for (let node = element; node && nodeType(node) === ELEMENT; node = flatParent(node)) if (styleOf(node).position === 'fixed') return true;
  return false;
};

/** Whether the page cannot be scrolled so that a text comes out from behind what stays. */
const staysBehind = (text, box) => {
  for (let node = flatParent(text); node && nodeType(node) === ELEMENT && node !== documentElement(document) && node !== documentBody(document); node = flatParent(node)) if (/auto|scroll/.test(styleOf(node).overflow)) return false;
  const scroller = scrollingElement(document) || documentElement(document);
  const [first, last] = [scrollTopOf(scroller), scroller.scrollHeight - scroller.clientHeight - scrollTopOf(scroller)];
  const own = contentBox(text);
  const [leastTop, mostBottom] = [own.top - last, own.bottom + first];
  // It leaves the view above and below while it is behind.
  const isBehindAbove = box.top <= 1 || leastTop >= box.top - 1;
  const isBehindBelow = box.bottom >= innerHeight - 1 || mostBottom <= box.bottom + 1;
  return isBehindAbove && isBehindBelow;
};

/** Lays what an element paints over the texts beside it. @param {Lid[]} lids @param {Sight} sight @param {Element} root What places it there. */
const layLids = (looking, element, lids, sight, root) => {
  const { covered, pieces } = looking;
  const around = boxOf(Math.min(...lids.map(({ box }) => box.left)), Math.min(...lids.map(({ box }) => box.top)), Math.max(...lids.map(({ box }) => box.right)), Math.max(...lids.map(({ box }) => box.bottom)));
  for (const [text, own] of textsBeside(looking, root, around, lids.some(({ isOver }) => isOver), sight.stays)) {
    const isOutline = lids.every(({ isOver }) => isOver);
    const order = flatContains(element, text) ? PAINTS_OVER : paintsOver(element, text, isOutline);
    if (order === PAINTS_BELOW) {
      const style = styleOf(element);
      if (!covered.has(text) && style.backgroundImage === 'none' && isWithin(own, around)) {
        const mark = lostOn(colourParts(style.backgroundColor), element, text, looking);
        if (mark !== 0) covered.set(text, [mark, 'colour']);
      }
      continue;
    }
    const isMoving = (sight.stays || sight.slides) && !isFixed(text);
    if (isMoving && !staysBehind(text, around)) continue;
    if (sight.passes === null) sight.passes = isPassing(root);
    const isSure = order === PAINTS_OVER && !sight.passes && !isMoving;
    const isOwn = flatContains(element, text);
    for (const lid of lids) if (lid.isOver || !isOwn) remembered(pieces, text, () => []).push({ ...lid, isSure: isSure && lid.isSure });
  }
};

/** What all that lies over a text leaves of it. */
const settlePieces = ({ pieces, covered }) => {
  for (const [text, lids] of pieces) {
    if (covered.has(text) && covered.get(text)[0] !== AWAITED) continue;
    const own = contentBox(text);
    const share = (all) => shareUnder(own, all.slice(0, MOST_PIECES).map(({ box }) => box));
    const dense = lids.filter(({ alpha }) => alpha >= 0.85);
    const sure = dense.filter(({ isSure, alpha }) => isSure && alpha > 0.95);
    if (share(sure) >= COVERED_SHARE) covered.set(text, [MUTED, 'cover']);
    else if (share(dense) >= HALF_COVERED_SHARE || leftThrough(own, lids) < 0.2) covered.set(text, [AWAITED, 'cover']);
  }
};

/** Boxes over one text that are put together. */
const MOST_PIECES = 60;

/** What several see-through covers let through. */
const leftThrough = (own, lids) => lids.reduce((left, { box, alpha }) => (isWithin(own, box) ? left * (1 - alpha) : left), 1);

/** What becomes of a text on a plate of its own colour where nothing else is painted: 0 if it shows. @param {?number[]} ground That of the plate. @param {Element} plate It, or what holds it. */
const lostOn = (ground, plate, text, looking) => {
  const ink = colourParts(styleOf(text).webkitTextFillColor);
  if (ground === null || ground[3] < 0.95 || ink === null || !isSameColour(ink, ground)) return 0;
  if (text instanceof SVGElement || paintedBetween(plate, text)) return 0;
  if (looking.pictures === null) {
    looking.pictures = picturesWithin(looking.top);
    looking.painters = paintersWithin(looking.top);
  }
  const own = styleOf(text);
  if (standsOutBy(own.textShadow, (colour) => !isSameColour(colour, ground))) return 0;
  const shows = showsOnOthers(text, contentBox(text), own, ink, ground, looking.pictures, looking.painters);
  return shows === SHOWS ? 0 : shows === SHOWS_MAYBE ? AWAITED : MUTED;
};

/** Whether what holds a text, and not the plate, has a ground: it is painted over the plate. */
const paintedBetween = (plate, text) => {
  for (let node = text; node && nodeType(node) === ELEMENT && !flatContains(node, plate); node = flatParent(node)) if (groundOf(styleOf(node)) !== undefined) return true;
  return false;
};

/** Texts that one reading asks for in what is clipped, made smaller, painted or plated. */
const MOST_TEXTS_ASKED = 6000;
let textsLeft = 0;

/** A dialog that is open as the only thing to operate may lie before a curtain that hides all the rest. */
const markCurtain = (unseen) => {
  if (documentByTag(document, 'dialog').length === 0) return;
  const dialog = modalDialog();
  if (dialog === null || flatContains(dialog, unseen.top)) return;
  const style = styleOf(dialog, '::backdrop');
  const lids = lidsOf(dialog, style, boxOf(0, 0, innerWidth, innerHeight), true);
  if (lids.some(({ box, alpha }) => alpha * parseFloat(style.opacity) >= 0.85 && isWithin({ left: 0, top: 0, right: innerWidth, bottom: innerHeight }, box))) countMeans(unseen, `cover${SHOWN}`);
};

/** The first texts within an element, as far as one reading asks for more. @returns {Element[]} */
const firstTexts = (scope, most) => {
  const share = Math.min(most, Math.max(0, textsLeft));
  const found = share > 0 ? textsWithin(scope, share + 1) : [];
  textsLeft -= found.length + 1;
  if (found.length <= share && textsLeft >= 0) return found;
  noteExcess();
  return found.slice(0, share);
};

/** Elements with text of their own that show within an element. @returns {Element[]} */
const textsWithin = (scope, most = Infinity) => {
  const found = new Set();
  const walker = walkerOver(scope, NodeFilter.SHOW_TEXT);
  for (let node = nextNode(walker); node; node = nextNode(walker)) {
    if (!/\S/.test(textData(node))) continue;
    const parent = parentNode(node);
    if (!found.has(parent) && nodeType(parent) === ELEMENT && checkVisibility(parent)) {
      found.add(parent);
      if (found.size >= most) break;
    }
  }
  return [...found];
};

const remembered = (known, key, make) => {
  let value = known.get(key);
  if (value === undefined) known.set(key, (value = make(key)));
  return value;
};

/** Elements with text of their own that a box lies over, with the box of that text. @returns {[Element, DOMRect][]} */
const textsBeside = (looking, cover, box, withOwn, stays = false) => {
  const found = [];
  let asked = 0;
  for (const element of stays ? textsUnder(looking, box) : remembered(looking.within, scopeOf(cover, box, looking.top), (scope) => textsWithin(scope))) {
    const own = remembered(looking.boxes, element, boundingRect);
    if (own.right <= box.left || own.left >= box.right || own.bottom <= box.top || own.top >= box.bottom) continue;
    if (!withOwn && flatContains(cover, element)) continue;
    if (++asked > MOST_COVERED) {
      noteExcess();
      break;
    }
    const text = contentBox(element);
    const shown = common(text, box);
    if (text.height > 0 && (shown.right - shown.left) * (shown.bottom - shown.top) >= LEAST_OVERLAP * text.width * text.height) found.push([element, text]);
  }
  return found;
};

/** Texts that may be behind what stays in its place: those that stay, too, and those at the ends of the page, from where nothing brings them out. */
const textsUnder = (looking, box) => {
  const scroller = scrollingElement(document) || documentElement(document);
  const isWhole = box.top <= 1 && box.bottom >= innerHeight - 1;
  if (isWhole || scroller.scrollHeight <= scroller.clientHeight + 1) return remembered(looking.within, looking.top, (scope) => textsWithin(scope));
  const found = new Set(looking.fixed.flatMap((element) => remembered(looking.within, element, (scope) => textsWithin(scope))));
  if (box.top > 1 && box.bottom < innerHeight - 1) return found;
  for (const across of ACROSS) {
    for (const down of DOWN) for (const hit of documentElementsFromPoint(document, box.left + box.width * across, box.top + box.height * down)) if (saysWords(hit, MUTED)) found.add(hit);
  }
  return found;
};

/** A box over less of a text leaves it legible, and hides it with no few others. */
const LEAST_OVERLAP = 0.03;

/** What holds a cover and all that it may lie over. */
const scopeOf = (cover, box, top) => {
  const holder = cover instanceof HTMLElement && styleOf(cover).position === 'absolute' ? offsetParent(cover) : null;
  let scope = holder || flatParent(cover);
  while (scope && scope !== top && nodeType(scope) === ELEMENT && flatContains(top, scope) && !isWithin(box, boundingRect(scope))) scope = flatParent(scope);
  return scope && nodeType(scope) === ELEMENT ? scope : top;
};
