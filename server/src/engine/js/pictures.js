// What pictures show: nothing yet, one colour, or so much that text stands out.
//
// A picture is looked at only where a text has the colour of what is behind it.
// One of another origin lets nobody look.

/** A picture as it looks: its colours, taken down to few; `closed` for one of another origin, `missing` for none. @typedef {'missing'|'closed'|number[][]} Look */

const LOOK_SIDE = 8;
let easel = null;

/** Pictures that one reading looks at: to unpack one takes as long as a hundred texts. */
const MOST_LOOKS = 30;
let looksLeft = 0;

/** @returns {Look} */
const lookAt = (source) => {
  if (--looksLeft < 0) {
    noteExcess();
    return 'closed';
  }
  easel = easel || new OffscreenCanvas(LOOK_SIDE, LOOK_SIDE).getContext('2d', { willReadFrequently: true });
  try {
    easel.clearRect(0, 0, LOOK_SIDE, LOOK_SIDE);
    easel.drawImage(source, 0, 0, LOOK_SIDE, LOOK_SIDE);
    const { data } = easel.getImageData(0, 0, LOOK_SIDE, LOOK_SIDE);
    const colours = [];
    for (let index = 0; index < data.length; index += 4) colours.push([data[index], data[index + 1], data[index + 2], data[index + 3] / 255]);
    return colours;
  } catch {
    // What was drawn of another origin spoils what it was drawn on.
    easel = null;
    return 'closed';
  }
};

/** Those of addresses, and of images by their address. @type {Map<string, Look>} */
const knownLooks = new Map();
const MOST_KNOWN_LOOKS = 200;

const keepLook = (address, look) => {
  if (knownLooks.size >= MOST_KNOWN_LOOKS) knownLooks.clear();
  if (look !== 'missing') knownLooks.set(address, look);
  return look;
};

/**
 * The picture of an address that the page has loaded: what is in memory is there
 * at once, and nothing else is asked for.
 * @returns {Look}
 */
const lookInMemory = (address) => {
  const known = knownLooks.get(address);
  if (known !== undefined) return known;
  const image = new Image();
  image.src = address;
  if (image.complete && image.naturalWidth > 0) return keepLook(address, lookAt(image));
  // Before anything is sent for it.
  image.removeAttribute('src');
  return 'missing';
};

const lookOfAddress = (address) => notingLook(address, lookInMemory);

/** @returns {Look} What a layer of a style shows. */
const lookOfImage = (image) => {
  const [, address] = /^url\("((?:[^"\\]|\\.)*)"\)$/.exec(image) || [];
  return address === undefined ? 'closed' : lookOfAddress(address.replace(/\\(.)/g, '$1'));
};

/** @returns {?Look} What an element that is a picture shows; null for what cannot be looked at. */
const lookAtElement = (element) => {
  switch (localName(element)) {
    case 'img': {
      if (!(element instanceof HTMLImageElement)) return null;
      if (!element.complete || element.naturalWidth === 0) return 'missing';
      const known = knownLooks.get(element.currentSrc);
      return known !== undefined ? known : keepLook(element.currentSrc, lookAt(element));
    }
    case 'video':
      if (!(element instanceof HTMLVideoElement)) return null;
      return element.readyState >= 2 ? lookAt(element) : element.poster !== '' ? lookOfAddress(element.poster) : 'missing';
    case 'canvas':
      return lookOfCanvas(element);
    case 'object':
      return hasAttribute(element, 'data') ? null : 'missing';
    case 'embed':
      return hasAttribute(element, 'src') ? null : 'missing';
  }
  return null;
};

const lookOfElement = (element) => notingLook(element, lookAtElement);

/** @returns {Look} One that draws by other means than this looks empty from here. */
const lookOfCanvas = (canvas) => {
  const look = canvas instanceof HTMLCanvasElement && canvas.width > 0 && canvas.height > 0 ? lookAt(canvas) : 'missing';
  return look !== 'closed' && look !== 'missing' && look.every((colour) => colour[3] < 0.05) ? 'missing' : look;
};

/** The share of a picture that looks like a colour, where what is behind it is another. @param {number[][]} colours */
const shareLike = (colours, ink, behind) => colours.filter((colour) => isSameColour(ink, colour[3] > 0.95 ? colour : blend(colour, behind))).length / colours.length;

/** What something paints where a text is that has the colour of what is behind. */
const SHOWS_NOTHING = 0;
const SHOWS_MAYBE = 1;
const SHOWS = 2;

/** Whether a picture lets a text of this colour stand out. */
const showsByLook = (look, ink, behind) => {
  if (look === null || look === 'closed') return SHOWS;
  if (look === 'missing') return SHOWS_MAYBE;
  const share = shareLike(look, ink, behind);
  return share > 0.98 ? SHOWS_NOTHING : share > 0.5 ? SHOWS_MAYBE : SHOWS;
};

/** Drawings that are asked for what they paint. @type {Map<Element, ?object[]>} */
let shapesByDrawing = new Map();

/** What a picture beside or behind a text lets be seen of it. @param {{ink: number[], behind: number[], x: number, y: number}} looking */
const showsByPicture = (element, { ink, behind, x, y }) => {
  if (localName(element) === 'svg') {
    const shapes = remembered(shapesByDrawing, element, shapesOf);
    const there = shapes === null ? null : shapes.filter(({ box }) => holdsPoint(box, x, y));
    return there === null || there.some(({ ground }) => ground === null || !isSameColour(ink, ground)) ? SHOWS : SHOWS_NOTHING;
  }
  if (localName(element) === 'iframe') return notingLook(element, isBlank) ? SHOWS_NOTHING : SHOWS;
  return showsByLook(lookOfElement(element), ink, behind);
};

/** Whether nothing is in a frame, and it lets through what is behind it. */
const isBlank = (frame) => {
  const page = contentDocument(frame);
  const body = page === null ? null : documentBody(page);
  if (body === null || firstElementChild(body) !== null || /\S/.test(textContent(body))) return false;
  return [body, documentElement(page)].every((part) => groundOf(getComputedStyle(part)) === undefined);
};
