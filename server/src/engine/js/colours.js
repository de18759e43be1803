// Text in the colour of what lies behind it.

/** Red, green, blue and alpha of a computed colour; null for notations that are rare. @returns {?number[]} */
const colourParts = (colour) => {
  const [, space, inner] = /^(rgba?|color)\(([^)]*)\)$/.exec(colour) || [];
  if (!space) return null;
  const numbers = inner.replace(/^srgb /, '').split(/[ ,/]+/).filter(Boolean).map(Number);
  if (space === 'color') {
    if (!inner.startsWith('srgb ')) return null;
    for (let index = 0; index < 3; index++) numbers[index] *= 255;
  }
  if (numbers.length < 3 || numbers.some(Number.isNaN)) return null;
  return [numbers[0], numbers[1], numbers[2], numbers.length > 3 ? numbers[3] : 1];
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

/**
 * The colour behind an element, by its ancestors; null where a picture or a
 * shade makes it unknown.
 * @param {Map<Element, ?number[]>} known
 */
const colourBehind = (element, known) => {
  const asked = [];
  let behind = WHITE;
  for (let node = element; node && nodeType(node) === ELEMENT; node = flatParent(node)) {
    if (known.has(node)) {
      behind = known.get(node);
      break;
    }
    asked.push(node);
    const style = styleOf(node);
    const own = style.backgroundColor;
    if (style.backgroundImage !== 'none') {
      behind = null;
      break;
    }
    if (own === 'rgba(0, 0, 0, 0)') continue;
    const parts = colourParts(own);
    if (parts && parts[3] < 0.05) continue;
    behind = parts && parts[3] > 0.9 ? parts : null;
    break;
  }
  for (const node of asked) known.set(node, behind);
  return behind;
};

/** Texts whose surroundings are asked for: that is slow, and honest pages have few. */
const MOST_ASKED = 300;

const picturesWithin = (top) => list(selectAll(top, 'img,video,canvas,svg,iframe,object,embed')).map((element) => ({ element, box: boundingRect(element) }));

/** Whether something that is no ancestor is painted at the text, as a picture behind a title is. */
const liesOnOthers = (text, pictures) => {
  const box = contentBox(text);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  if (pictures.some((picture) => holdsPoint(picture.box, x, y) && !contains(text, picture.element))) return true;
  for (const element of documentElementsFromPoint(document, x, y)) {
    if (flatContains(element, text) || flatContains(text, element)) continue;
    const style = styleOf(element);
    if (style.backgroundImage !== 'none' || !/^rgba\(.*, 0\)$/.test(style.backgroundColor)) return true;
  }
  return false;
};

const holdsPoint = (box, x, y) => box.left <= x && x <= box.right && box.top <= y && y <= box.bottom;

/** Elements whose own text has the colour of what is behind it. @param {Element|ShadowRoot} scope @returns {Element[]} */
const sameColoured = (scope, top) => {
  const found = [];
  const behinds = new Map();
  const verdicts = new Map();
  const walker = walkerOver(scope, NodeFilter.SHOW_TEXT);
  let last = null;
  let pictures = null;
  let asked = 0;
  for (let node = nextNode(walker); node; node = nextNode(walker)) {
    const parent = parentNode(node);
    if (parent === last || nodeType(parent) !== ELEMENT || !/\S/.test(textData(node))) continue;
    last = parent;
    if (SKIPPED_TAGS.has(localName(parent)) || !checkVisibility(parent)) continue;
    const style = styleOf(parent);
    const colour = style.webkitTextFillColor;
    const behind = colourBehind(parent, behinds);
    if (behind === null) continue;
    let verdict = verdicts.get(colour);
    if (!verdict) verdicts.set(colour, (verdict = new Map()));
    if (!verdict.has(behind)) {
      const parts = colourParts(colour);
      verdict.set(behind, parts !== null && isSameColour(parts, behind));
    }
    if (!verdict.get(behind) || style.textShadow !== 'none') continue;
    pictures = pictures || picturesWithin(top);
    asked += 1;
    if (asked > MOST_ASKED || !liesOnOthers(parent, pictures)) found.push(parent);
  }
  return found;
};
