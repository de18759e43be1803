// Text in the colour of what lies behind it.

/** Red, green, blue and alpha of a computed colour; null for what is none. @returns {?number[]} */
const colourParts = (colour) => {
  const [, space, inner] = /^(rgba?|color)\(([^)]*)\)$/.exec(colour) || [];
  if (!space) return paintedParts(colour);
  const numbers = inner.replace(/^srgb /, '').split(/[ ,/]+/).filter(Boolean).map(Number);
  if (space === 'color') {
    if (!inner.startsWith('srgb ')) return paintedParts(colour);
    for (let index = 0; index < 3; index++) numbers[index] *= 255;
  }
  if (numbers.length < 3 || numbers.some(Number.isNaN)) return null;
  return [numbers[0], numbers[1], numbers[2], numbers.length > 3 ? numbers[3] : 1];
};

/** Colours in other notations, as they are painted. @type {Map<string, ?number[]>} */
const paintedColours = new Map();
const MOST_COLOURS = 500;
let palette = null;

const paintedParts = (colour) => {
  if (!/^(?:color|ok|lab|lch|hsl|hwb)/.test(colour)) return null;
  if (!paintedColours.has(colour)) {
    if (paintedColours.size >= MOST_COLOURS) paintedColours.clear();
    palette = palette || new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    palette.clearRect(0, 0, 1, 1);
    palette.fillStyle = colour;
    palette.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = palette.getImageData(0, 0, 1, 1).data;
    paintedColours.set(colour, [red, green, blue, alpha / 255]);
  }
  return paintedColours.get(colour) || null;
};

const channelLight = (value) => (value <= 10.3 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);

const luminance = ([red, green, blue]) => 0.2126 * channelLight(red) + 0.7152 * channelLight(green) + 0.0722 * channelLight(blue);

/** Below this contrast nobody reads; #f3f3f3 on white has it. Source: WCAG 2.2, contrast ratio. */
const LEAST_CONTRAST = 1.1;

const isSameColour = (text, behind) => {
  if (text[3] < 0.1) return true;
  if (text.every((value, index) => index === 3 || Math.abs(value - behind[index]) < 3)) return true;
  const [one, other] = [luminance(text) + 0.05, luminance(behind) + 0.05];
  const share = text[3];
  const contrast = one > other ? one / other : other / one;
  return 1 + (contrast - 1) * share < LEAST_CONTRAST;
};

const WHITE = [255, 255, 255, 1];

/** What a browser paints a page of a dark scheme on. */
const NIGHT = [18, 18, 18, 1];

/**
 * The colour that a document without a ground shows: that of its scheme, or in
 * a frame what lies behind the frame. What lies behind one of another origin
 * is taken for white.
 * @param {Window} view @returns {?number[]}
 */
const colourBelow = (view) => {
  const root = documentElement(view.document);
  const own = root === null ? '' : styleOf(root).colorScheme;
  const scheme = own === 'normal' ? schemeSaid(view.document) : own;
  const isDark = scheme.includes('dark') && (!scheme.includes('light') || view.matchMedia('(prefers-color-scheme: dark)').matches);
  if (isDark) return NIGHT;
  try {
    const frame = view.parent === view ? null : view.frameElement;
    if (frame === null) return WHITE;
    noteFleeting();
    return colourBehind(frame, new Map(), view.parent);
  } catch {
    return WHITE;
  }
};

/** The schemes that a page says it has. */
const schemeSaid = (page) => {
  const said = documentSelectFirst(page, 'meta[name="color-scheme" i]');
  return said === null ? '' : (attribute(said, 'content') || '').toLowerCase();
};

/**
 * The colour behind an element, by its ancestors; null where a picture or a
 * shade makes it unknown.
 * @param {Map<Element, ?number[]>} known
 */
const colourBehind = (element, known, view = window) => {
  const asked = [];
  let behind = undefined;
  let from = null;
  for (let node = element; node && nodeType(node) === ELEMENT; from = node, node = flatParent(node)) {
    // What it is for depends on where one comes from.
    const fold = folds.size > 0 && folds.has(node) ? groundOfFold(node, from) : undefined;
    if (fold !== undefined) {
      behind = fold;
      break;
    }
    if (known.has(node)) {
      behind = known.get(node);
      break;
    }
    asked.push(node);
    const style = styleOf(node);
    const inset = oddGrounds.has(node) ? insetOf(node, style) : undefined;
    if (inset !== undefined) {
      behind = inset;
      break;
    }
    const own = style.backgroundColor;
    if (style.backgroundImage !== 'none' && !isClear(style.backgroundImage)) {
      behind = evenGradient(style);
      break;
    }
    if (own === 'rgba(0, 0, 0, 0)') continue;
    const parts = colourParts(own);
    if (parts && parts[3] < 0.05) continue;
    behind = parts && parts[3] <= 0.9 ? blend(parts, colourAround(node, known, view)) : parts;
    break;
  }
  if (behind === undefined) behind = colourBelow(view);
  for (const node of asked) known.set(node, behind);
  return behind;
};

/** The colour behind what holds an element. @returns {?number[]} */
const colourAround = (element, known, view) => {
  const around = flatParent(element);
  return around && nodeType(around) === ELEMENT ? colourBehind(around, known, view) : colourBelow(view);
};

/** A see-through colour before another. @param {number[]} veil @param {?number[]} behind @returns {?number[]} */
const blend = (veil, behind) => behind && [...[0, 1, 2].map((index) => veil[index] * veil[3] + behind[index] * (1 - veil[3])), 1];

/** Texts whose surroundings are asked for: that is slow, and honest pages have few. */
const MOST_ASKED = 300;

const PICTURES = 'img,video,canvas,svg,iframe,object,embed';

/** What matches in an element, and in every shadow tree that is known. */
const selectThrough = (top, selector) => [top, ...knownRoots()].flatMap((root) => list(nodeType(root) === ELEMENT ? selectAll(root, selector) : shadowSelectAll(root, selector)));

const picturesWithin = (top) => selectThrough(top, PICTURES).filter(isPainted).map((element) => ({ element, box: boundingRect(element), stays: staysInView(element) }));

/** Whether it stays where it is while the page is scrolled, and so may come to lie behind anything. */
const staysInView = (element) => {
  for (let node = element; node && nodeType(node) === ELEMENT; node = flatParent(node)) if (/fixed|sticky/.test(styleOf(node).position)) return true;
  return false;
};

/** Whether something that paints lies at a point of a text; what stays in view comes to lie there if it is as high as the text. */
const liesAt = ({ box, stays }, x, y, text) => (stays ? box.left <= x && x <= box.right && box.height >= text.height : holdsPoint(box, x, y));

const PAINTED = { visibilityProperty: true, opacityProperty: true };

/** Whether it paints what a person can see: not what is see-through, or has nothing to show. */
const isPainted = (element) => checkVisibility(element, PAINTED) && parseFloat(styleOf(element).opacity) > 0.1 && (localName(element) !== 'svg' || firstElementChild(element) !== null);

/** Elements of a page that are asked for what they paint; of larger ones no text that is out of view counts as unseen for its colour alone. */
const MOST_PAINTERS = 12_000;

/**
 * What has a ground of its own, and so may lie behind the text of others: a
 * margin moves what stays in the flow, too.
 * @returns {?{element: Element, box: DOMRect, stays: boolean, ground: ?number[]}[]} Null when there is too much to ask.
 */
const paintersWithin = (top) => {
  const all = selectThrough(top, '*');
  if (all.length > MOST_PAINTERS) return null;
  const found = [];
  for (let index = 0; index < all.length; index++) {
    const element = all[index];
    const style = styleOf(element);
    const ground = groundOf(style);
    if (ground !== undefined && isPainted(element)) found.push({ element, box: boundingRect(element), stays: staysInView(element), ground });
  }
  return found;
};

/** The colour that a style paints; null for a picture, undefined for nothing. @returns {?number[]|undefined} */
const groundOf = (style) => {
  if (style.backgroundImage !== 'none' && !isClear(style.backgroundImage)) return evenGradient(style);
  const parts = colourParts(style.backgroundColor);
  return parts !== null && parts[3] < 0.05 ? undefined : parts;
};

const areApart = (one, other) => !flatContains(one, other) && !flatContains(other, one);

/** Whether what paints may lie behind a text: it is beside it, or a child that is laid under all of it. @param {DOMRect} box Of the text. */
const mayLieBehind = (element, text, box) => {
  if (!flatContains(text, element)) return !flatContains(element, text);
  if (element === text) return false;
  const own = boundingRect(element);
  const holds = own.left <= box.left + 1 && own.right >= box.right - 1 && own.top <= box.top + 1 && own.bottom >= box.bottom - 1;
  return holds && styleOf(element).position !== 'static';
};

/** A thinner outline is none, in pixels. */
const LEAST_OUTLINE = 0.2;

/** Whether letters in the colour of their ground have an outline in another. */
const isOutlined = (style, colour) => {
  const stroke = colourParts(style.webkitTextStrokeColor);
  // See-through letters have no colour to compare with.
  return stroke === null || (stroke[3] >= 0.1 && (colour[3] < 0.1 || !isSameColour(stroke, colour)));
};

/**
 * Whether something else than its ancestors' grounds is painted at a text that
 * has the colour of what is behind it, as a picture behind a title is. When
 * that cannot be told, it is: text that a person reads must not be lost.
 * @param {Element} text What gives it its style. @param {DOMRect} box Where it is.
 * @returns {number} `SHOWS_NOTHING`, `SHOWS_MAYBE` or `SHOWS`.
 */
const showsOnOthers = (text, box, style, colour, behind, pictures, painters) => {
  if (parseFloat(style.webkitTextStrokeWidth) >= LEAST_OUTLINE && isOutlined(style, colour)) return SHOWS;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const looking = { ink: colour, behind, points: samplePoints(box), x, y };
  const tells = (ground) => (ground === null ? SHOWS : isSameColour(colour, ground) ? SHOWS_NOTHING : SHOWS);
  let shows = SHOWS_NOTHING;
  for (const picture of pictures) {
    if (shows === SHOWS) return SHOWS;
    if (liesAt(picture, x, y, box) && mayLieBehind(picture.element, text, box)) shows = Math.max(shows, showsByPicture(picture.element, looking));
  }
  const tellsOf = (element, ground) => (ground === null ? showsByStyle(styleOf(element), boundingRect(element), colour, behind, looking.points) : tells(ground));
  if (painters === null) {
    // Only what is in the viewport can be asked for.
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) {
      noteExcess();
      return SHOWS;
    }
  } else {
    for (const one of painters) {
      if (shows === SHOWS) return SHOWS;
      if (liesAt(one, x, y, box) && mayLieBehind(one.element, text, box)) shows = Math.max(shows, tellsOf(one.element, one.ground));
    }
  }
  const root = rootNode(text);
  const hits = root instanceof ShadowRoot ? root.elementsFromPoint(x, y) : documentElementsFromPoint(document, x, y);
  for (const element of hits) {
    if (shows === SHOWS) return SHOWS;
    if (!mayLieBehind(element, text, box)) continue;
    const ground = groundOf(styleOf(element));
    if (ground !== undefined) shows = Math.max(shows, tellsOf(element, ground));
  }
  return shows === SHOWS ? SHOWS : Math.max(shows, showsOnAncestors(text, looking));
};

/** The same for ancestors, as far as they paint by other means than their own ground. */
const showsOnAncestors = (text, { ink, behind, points, x, y }) => {
  const tells = (ground) => ground === null || !isSameColour(ink, ground);
  let shows = SHOWS_NOTHING;
  for (let node = text; node && nodeType(node) === ELEMENT; node = flatParent(node)) {
    // What is drawn behind markup in a drawing is no ground of an element.
    if (node instanceof SVGForeignObjectElement) return SHOWS;
    const own = styleOf(node);
    const inset = own.boxShadow.includes('inset');
    if ((inset && insetOf(node, own) === undefined) || own.mixBlendMode !== 'normal' || paintsAround(node, own, x, y, tells)) return SHOWS;
    for (const pseudo of ['::before', '::after']) {
      const style = styleOf(node, pseudo);
      if (style.content === 'none' || style.content === 'normal') continue;
      const ground = groundOf(style);
      if (ground === null) shows = Math.max(shows, showsByStyle(style, null, ink, behind, points));
      else if (ground !== undefined && tells(ground)) return SHOWS;
    }
  }
  return shows;
};

const holdsPoint = (box, x, y) => box.left <= x && x <= box.right && box.top <= y && y <= box.bottom;

/** Texts that a person may see, each with its element, in order. @returns {{texts: Text[], holders: Element[]}} */
const textsHeld = (scope) => {
  const [texts, holders] = [[], []];
  const walker = walkerOver(scope, NodeFilter.SHOW_TEXT);
  for (let node = nextNode(walker); node; node = nextNode(walker)) {
    const holder = parentNode(node);
    if (nodeType(holder) !== ELEMENT || SKIPPED_TAGS.has(localName(holder)) || localName(holder) === 'textarea') continue;
    texts.push(node);
    holders.push(holder);
  }
  return { texts, holders };
};

/** Elements and slots whose own text has the colour of what is behind it, with their marks. @param {Element|ShadowRoot} scope @returns {Map<Element, number>} */
const sameColoured = (scope, top) => {
  const found = new Map();
  const doubts = freshDoubts();
  const behinds = new Map();
  const drawings = new Map();
  const verdicts = new Map();
  const { texts, holders } = isHeard(scope) ? steady('texts', scope, () => textsHeld(scope)) : textsHeld(scope);
  let last = null;
  let pictures = null;
  let painters = null;
  let asked = 0;
  for (let index = 0; index < texts.length; index++) {
    const parent = holders[index];
    if (!/\S/.test(textData(texts[index]))) continue;
    const bearer = bearerOf(texts[index]);
    if (bearer === null || bearer === last) continue;
    last = bearer;
    if (!checkVisibility(parent)) continue;
    const style = styleOf(bearer);
    const isDrawn = parent instanceof SVGElement;
    const drawn = isDrawn ? drawnColour(style) : null;
    if (isDrawn && drawn === null) continue;
    const colour = isDrawn ? `rgba(${drawn.join(', ')})` : inkOf(bearer, style);
    const within = isDrawn ? groundInDrawing(parent, drawings) : undefined;
    const behind = within === undefined ? colourBehind(oddGrounds.has(bearer) && style.backgroundClip === 'text' ? flatParent(bearer) : bearer, behinds) : within;
    let [mark, ground] = [MUTED, behind];
    if (behind === null || colour === 'none') {
      const ink = isDrawn ? null : colourParts(colour === 'none' ? style.webkitTextFillColor : colour);
      const lost = ink === null ? null : lostOnGrounds(bearer, ink, doubts);
      if (lost === null) continue;
      ({ mark, ground } = lost);
    } else {
      let verdict = verdicts.get(colour);
      if (!verdict) verdicts.set(colour, (verdict = new Map()));
      if (!verdict.has(behind)) {
        const ink = colourParts(colour);
        verdict.set(behind, ink !== null && isSameColour(ink, behind));
      }
      if (!verdict.get(behind)) continue;
    }
    if (standsOutBy(style.textShadow, (shade) => !isSameColour(shade, ground))) continue;
    if (within !== undefined) {
      found.set(bearer, MUTED);
      continue;
    }
    if (pictures === null) {
      pictures = picturesWithin(top);
      painters = paintersWithin(top);
    }
    asked += 1;
    if (asked > MOST_ASKED) {
      noteExcess();
      break;
    }
    const shows = showsOnOthers(bearer, contentBox(parent), style, colourParts(colour) || WHITE, ground, pictures, painters);
    if (shows !== SHOWS) found.set(bearer, shows === SHOWS_MAYBE ? AWAITED : mark);
  }
  return found;
};
