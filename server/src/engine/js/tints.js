// Colours on their way to the screen: what filters and blending make of text
// and of what lies behind it, so that both come out alike.
//
// Asked only of what a style filters or blends. Where a picture lies behind, any
// colour may: only what makes all of them one counts.

/** Texts that are filtered or blended and asked for. */
const MOST_TINTED = 400;

/** A blur of this part of the size of letters leaves none to be told. */
const LEAST_BLUR = 0.3;

/** A page blurs itself by less while it asks something: such text comes back. */
const STRONG_BLUR = 12;

/** @typedef {(colour: number[]) => number[]} Tint */

const clampColour = (colour) => colour.map((value, index) => (index === 3 ? value : Math.min(255, Math.max(0, value))));

const eachChannel = (make) => ([red, green, blue, alpha]) => [make(red), make(green), make(blue), alpha];

const towardsGrey = (share) => ([red, green, blue, alpha]) => {
  const grey = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return [red, green, blue].map((value) => grey + (value - grey) * share).concat(alpha);
};

/** What the functions of a filter do to a colour, by their names. Hues are left as they are. */
const FILTERS = {
  brightness: (amount) => eachChannel((value) => value * amount),
  contrast: (amount) => eachChannel((value) => (value - 127.5) * amount + 127.5),
  invert: (amount) => eachChannel((value) => value + (255 - 2 * value) * Math.min(1, amount)),
  grayscale: (amount) => towardsGrey(1 - Math.min(1, amount)),
  saturate: (amount) => towardsGrey(amount),
  opacity: (amount) => ([red, green, blue, alpha]) => [red, green, blue, alpha * amount],
};

const filterSteps = (filter) => [...filter.matchAll(/([a-z-]+)\(((?:[^()]|\([^()]*\))*)\)/g)].map(([, name, inner]) => ({ name, inner, amount: inner.endsWith('%') ? parseFloat(inner) / 100 : parseFloat(inner) }));

/** How far a filter blurs, in pixels. */
const blurOf = (filter) => Math.hypot(...filterSteps(filter).filter(({ name }) => name === 'blur').map(({ amount }) => amount));

/** @returns {Tint} */
const tintOf = (filter) => {
  const steps = filterSteps(filter).filter(({ name, amount }) => FILTERS[name] && !Number.isNaN(amount)).map(({ name, amount }) => FILTERS[name](amount));
  return (colour) => steps.reduce((now, step) => clampColour(step(now)), colour);
};

/** What blending makes of a channel over another, each from 0 to 1. Source: Compositing and Blending Level 1. */
const BLENDS = {
  multiply: (own, below) => own * below,
  screen: (own, below) => own + below - own * below,
  overlay: (own, below) => BLENDS['hard-light'](below, own),
  darken: Math.min,
  lighten: Math.max,
  'color-dodge': (own, below) => (below === 0 ? 0 : own === 1 ? 1 : Math.min(1, below / (1 - own))),
  'color-burn': (own, below) => (below === 1 ? 1 : own === 0 ? 0 : 1 - Math.min(1, (1 - below) / own)),
  'hard-light': (own, below) => (own <= 0.5 ? 2 * own * below : own + own - 1 + below - (own + own - 1) * below),
  'soft-light': (own, below) => below + (own + own - 1) * (own <= 0.5 ? below - below * below : Math.sqrt(below) - below),
  difference: (own, below) => Math.abs(own - below),
  exclusion: (own, below) => own + below - 2 * own * below,
  'plus-lighter': (own, below) => Math.min(1, own + below),
  // The light of what is below stays, and it is light that letters are told by.
  hue: (own, below) => below,
  saturation: (own, below) => below,
  color: (own, below) => below,
};

const blended = (mode, own, below) => {
  const blend = BLENDS[mode];
  return blend ? [0, 1, 2].map((index) => 255 * blend(own[index] / 255, below[index] / 255)).concat(own[3]) : own;
};

const BLACK = [0, 0, 0, 1];

const ANY_GROUND = [BLACK, WHITE];

/** Makes a layer of its own, which what is in it is blended within. */
const isLayer = (style) => style.isolation === 'isolate' || parseFloat(style.opacity) < 1 || style.filter !== 'none' || style.transform !== 'none' || style.mixBlendMode !== 'normal' || (style.position !== 'static' && style.zIndex !== 'auto') || /fixed|sticky/.test(style.position);

/** What an element is blended with: undefined for nothing, null for what is not known. @returns {?number[]|undefined} */
const backdropOf = (element) => {
  for (let node = flatParent(element); node && nodeType(node) === ELEMENT; node = flatParent(node)) {
    const style = styleOf(node);
    const ground = groundOf(style);
    if (ground !== undefined) return ground !== null && ground[3] > 0.9 ? ground : null;
    if (isLayer(style) && node !== documentElement(document)) return undefined;
  }
  return colourBelow(window) || null;
};

/** @returns {?{ink: number[], grounds: number[][]}} How text of this colour, and what lies behind it, come to the screen; null when that is not known. */
const throughTints = (text, ink) => {
  let grounds = null;
  for (let node = text; node && nodeType(node) === ELEMENT; node = flatParent(node)) {
    const style = styleOf(node);
    const own = grounds === null ? groundOf(style) : undefined;
    if (own !== undefined) grounds = own !== null && own[3] > 0.9 ? [own] : ANY_GROUND;
    if (style.filter !== 'none') {
      // That of the root reaches what is below the page in ways of its own.
      if (grounds === null && node === documentElement(document)) return null;
      const tint = tintOf(style.filter);
      ink = tint(ink);
      if (grounds !== null) grounds = grounds.map(tint);
    }
    const mode = style.mixBlendMode;
    const below = mode === 'normal' ? undefined : backdropOf(node);
    if (below === null) return null;
    if (below !== undefined) {
      ink = blended(mode, ink, below);
      if (grounds !== null) grounds = grounds.map((ground) => blended(mode, ground, below));
    }
  }
  return { ink, grounds: grounds || [colourBelow(window)] };
};

/** Filters by which no two colours become one, or by little. */
const isHarmless = (filter) =>
  filterSteps(filter).every(({ name, amount }) => {
    if (name === 'brightness' || name === 'contrast') return amount > 0.5 && amount < 1.6;
    return name === 'invert' ? amount <= 0.2 : name !== 'url';
  });

/**
 * Texts that are painted over, blurred, or come out like their ground.
 * @param {Set<Element>} painted What a style may do this to. @param {Element} top
 * @returns {Map<Element, [number, string]>} Mark and means.
 */
const paintedAway = (painted, top) => {
  const found = new Map();
  const looking = { found, top, asked: 0, others: null };
  for (const element of painted) {
    if (!checkVisibility(element)) continue;
    const style = styleOf(element);
    for (const text of barredWithin(element, style)) found.set(text, [MUTED, 'line']);
    if (parseFloat(style.webkitTextStrokeWidth) > 0) for (const text of strokedAway(element)) found.set(text, [MUTED, 'colour']);
    if (style.backdropFilter !== 'none') for (const text of lostOnFiltered(element, style)) found.set(text, [AWAITED, 'filter']);
    const { filter, mixBlendMode } = style;
    if (filter !== 'none') addBlurred(found, element, filter);
    if (mixBlendMode !== 'normal' || (filter !== 'none' && !isHarmless(filter))) addTinted(looking, element, mixBlendMode === 'normal' ? 'filter' : 'blend');
  }
  return found;
};

const addTinted = (looking, element, means) => {
  for (const text of firstTexts(element, MOST_TINTED)) {
    if (looking.asked++ > MOST_TINTED) return noteExcess();
    if (looking.found.has(text) || text instanceof SVGElement) continue;
    const style = styleOf(text);
    const ink = colourParts(style.webkitTextFillColor);
    const seen = ink === null ? null : throughTints(text, ink);
    if (seen === null || !seen.grounds.every((ground) => isSameColour(seen.ink, ground))) continue;
    // What else lies there, or is cast by the letters, may still tell them.
    const isSure = style.textShadow === 'none' && !(parseFloat(style.webkitTextStrokeWidth) > 0) && !liesOnAny(looking, text);
    looking.found.set(text, [isSure ? MUTED : AWAITED, means]);
  }
};

/** Whether anything but its ancestors paints where a text is. */
const liesOnAny = (looking, text) => {
  if (looking.others === null) looking.others = [...picturesWithin(looking.top), ...(paintersWithin(looking.top) || [])];
  const box = contentBox(text);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  return looking.others.some((one) => liesAt(one, x, y, box) && areApart(one.element, text));
};

/** Adds what a blur leaves no letter of, and what a filter of the document makes nothing of or may make anything of. */
const addBlurred = (found, element, filter) => {
  const blur = blurOf(filter);
  const drawn = filterSteps(filter).filter(({ name }) => name === 'url').map(({ inner }) => drawnFilter(inner));
  if (blur < 2 && drawn.length === 0) return;
  for (const text of firstTexts(element, MOST_TINTED)) {
    const size = parseFloat(styleOf(text).fontSize);
    if (drawn.includes(GONE)) found.set(text, [MUTED, 'filter']);
    else if (blur >= Math.max(STRONG_BLUR, size * LEAST_BLUR)) found.set(text, [MUTED, 'filter']);
    else if (blur >= size * LEAST_BLUR || drawn.includes(AWAITED)) found.set(text, [AWAITED, 'filter']);
  }
};

/** Filters of a drawing that leave letters what they are. */
const MILD_FILTERS = /^fe(?:DropShadow|Turbulence|Merge|MergeNode|Blend)$/;

/** @returns {number} What a filter of the document does: without steps nothing is left; others may do anything. */
const drawnFilter = (inner) => {
  const [, id] = /#([^"]+)"?$/.exec(inner) || [];
  const filter = id ? documentById(document, id) : null;
  if (filter === null || localName(filter) !== 'filter') return 0;
  const steps = flatElements(filter);
  return steps.length === 0 ? GONE : steps.every((step) => MILD_FILTERS.test(localName(step))) ? 0 : AWAITED;
};
