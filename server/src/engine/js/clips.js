// What a clip leaves of an element: the shapes of `clip` and `clip-path`, as the
// box that holds what they let through.

/** A strip that is narrower lets no letter be read, in pixels. */
const LEAST_STRIP = 4;

/** Below this share of its text a clipped element is told of. */
const LEAST_SHARE = 0.5;

/** Texts of one clipped element that are asked for. */
const MOST_CLIPPED = 300;

const offsetHeight = getter(HTMLElement.prototype, 'offsetHeight');

/** @typedef {{left: number, top: number, right: number, bottom: number}} Kept Relative to the box of the element, in its own pixels. */

/** What a style lets through of a box. @returns {?{means: string, kept: Kept}} Null for all of it, and for what cannot be told. */
const keptBy = (style, width, height) => {
  const clip = style.clip;
  if (clip !== 'auto' && (style.position === 'absolute' || style.position === 'fixed')) {
    const [top, right, bottom, left] = (/^rect\((.*)\)$/.exec(clip) || ['', ''])[1].split(/,? /).map((side) => (side === 'auto' ? NaN : parseFloat(side)));
    return { means: 'clip', kept: { left: left || 0, top: top || 0, right: Number.isNaN(right) ? Infinity : right, bottom: Number.isNaN(bottom) ? Infinity : bottom } };
  }
  const path = style.clipPath;
  const kept = path === 'none' ? null : keptByShape(path, width, height);
  return kept && { means: 'clip-path', kept };
};

const NOTHING = { left: 0, top: 0, right: 0, bottom: 0 };

const keptByShape = (path, width, height) => {
  const [, shape, inner = ''] = /^([a-z-]+)\((.*)\)/.exec(path) || [];
  switch (shape) {
    case 'inset': {
      const [top, right = top, bottom = top, left = right] = partsOfValue(inner.split(' round ')[0]);
      return { left: lengthIn(left, width), top: lengthIn(top, height), right: width - lengthIn(right, width), bottom: height - lengthIn(bottom, height) };
    }
    case 'rect':
    case 'xywh': {
      const [one, two, three, four] = partsOfValue(inner.split(' round ')[0]).map((word, index) => lengthIn(word, (index % 2 === 0) === (shape === 'rect') ? height : width));
      return shape === 'rect' ? { left: four, top: one, right: two, bottom: three } : { left: one, top: two, right: one + three, bottom: two + four };
    }
    case 'circle':
    case 'ellipse':
      return keptByRound(shape, inner, width, height);
    case 'polygon':
      return keptByPolygon(inner, width, height);
    case 'path':
    case 'shape': {
      // Where no number is large, nothing is.
      const numbers = (inner.match(/[\d.]+(?:e-?\d+)?(?:%|px)?/g) || []).map((number) => lengthIn(number, Math.max(width, height)));
      return numbers.length > 0 && numbers.every((number) => number < LEAST_STRIP) ? NOTHING : null;
    }
    case 'url':
      return isEmptyClipElement(path) ? NOTHING : null;
  }
  return null;
};

const partsOfValue = (text) => text.trim().match(/(?:[^\s(]|\([^)]*\))+/g) || [];

/** A length of a computed style, of which a share is one of `whole`; NaN for what is none. */
const lengthIn = (text, whole) => {
  if (/(?:min|max|clamp|side|corner|[a-z]{3,})/.test(text.replace('calc', ''))) return NaN;
  let sum = NaN;
  for (const [, sign, number, unit] of text.matchAll(/(-?(?:\s+)?|\+\s+)([\d.]+(?:e-?\d+)?)(%|px)?/g)) {
    const value = (sign.startsWith('-') ? -1 : 1) * parseFloat(number) * (unit === '%' ? whole / 100 : 1);
    sum = Number.isNaN(sum) ? value : sum + value;
  }
  return sum;
};

const SIDES = { left: '0%', top: '0%', center: '50%', right: '100%', bottom: '100%' };

const keptByRound = (shape, inner, width, height) => {
  const [radii, place = '50% 50%'] = inner.split(/(?:^| )at /);
  const [x, y] = partsOfValue(place).map((word, index) => lengthIn(SIDES[word] || word, index === 0 ? width : height));
  const words = partsOfValue(radii);
  if (words.length === 0) return null;
  const across = lengthIn(words[0], shape === 'circle' ? Math.hypot(width, height) / Math.SQRT2 : width);
  const down = shape === 'circle' ? across : lengthIn(words[1] || words[0], height);
  return { left: x - across, top: y - down, right: x + across, bottom: y + down };
};

/** A polygon without an area lets nothing through, however far it reaches. */
const keptByPolygon = (inner, width, height) => {
  const points = inner.replace(/^(?:evenodd|nonzero),/, '').split(',').map((pair) => partsOfValue(pair).map((word, index) => lengthIn(word, index === 0 ? width : height)));
  const [across, down] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const kept = { left: Math.min(...across), top: Math.min(...down), right: Math.max(...across), bottom: Math.max(...down) };
  const twice = points.reduce((sum, [x, y], index) => sum + x * down[(index + 1) % points.length] - across[(index + 1) % points.length] * y, 0);
  const longest = Math.max(kept.right - kept.left, kept.bottom - kept.top);
  return Math.abs(twice) / 2 / Math.max(1, longest) < LEAST_STRIP / 2 ? NOTHING : kept;
};

/** Whether a path of the document is one in which nothing is drawn. */
const isEmptyClipElement = (path) => {
  const [, id] = /^url\("[^"#]*#([^"]+)"\)/.exec(path) || [];
  const clip = id ? documentById(document, id) : null;
  if (clip === null || localName(clip) !== 'clipPath') return false;
  const least = attribute(clip, 'clipPathUnits') === 'objectBoundingBox' ? 0.02 : LEAST_STRIP;
  return flatElements(clip).every((part) => {
    if (!(part instanceof SVGGraphicsElement) || localName(part) === 'use' || localName(part) === 'text') return !(part instanceof SVGGraphicsElement);
    const box = part.getBBox();
    return box.width < least || box.height < least;
  });
};

/**
 * What a clip does to an element: `GONE` with its means, or the parts of it of
 * which nothing is left.
 * @returns {?{means: string, mark: number, parts: Element[]}}
 */
const clippedBy = (element, style) => {
  if (style.clip === 'auto' && style.clipPath === 'none') return null;
  const box = boundingRect(element);
  const isBox = element instanceof HTMLElement && offsetWidth(element) > 0;
  const [width, height] = isBox ? [offsetWidth(element), offsetHeight(element)] : [box.width, box.height];
  const found = keptBy(style, width, height);
  const stencil = style.clipPath === 'none' ? null : stencilOf(style.clipPath, width, height);
  const isBoxed = found !== null && !Object.values(found.kept).some(Number.isNaN);
  if (isBoxed && isStrip(found.kept)) return { means: found.means, mark: GONE, parts: [] };
  if (!isBoxed && stencil === null) return null;
  // Where a transform turns it, what lies where is not followed.
  if (isBox && (Math.abs(box.width - width) > 1 || Math.abs(box.height - height) > 1)) return null;
  const content = contentBox(element);
  if (content.width === 0 || content.height === 0) return null;
  const means = isBoxed ? found.means : 'clip-path';
  const kept = isBoxed ? found.kept : { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };
  const around = { left: box.left + kept.left, top: box.top + kept.top, right: box.left + kept.right, bottom: box.top + kept.bottom };
  if (stencil === null && isWithin(content, around)) return null;
  if (isStrip(common(content, around))) return { means, mark: GONE, parts: [] };
  const share = (text) => (stencil === null ? shareIn(contentBox(text), around) : shareThrough(stencil, text, box));
  const texts = firstTexts(element, MOST_CLIPPED);
  const lost = texts.filter((text) => isStrip(common(contentBox(text), around)) || (stencil !== null && share(text) === 0));
  if (lost.length > 0) return { means, mark: MUTED, parts: lost };
  const cut = texts.filter((text) => share(text) < LEAST_SHARE);
  return cut.length > 0 ? { means, mark: AWAITED, parts: cut } : null;
};

const isStrip = (box) => box.right - box.left < LEAST_STRIP || box.bottom - box.top < LEAST_STRIP;

const common = (one, other) => ({ left: Math.max(one.left, other.left), top: Math.max(one.top, other.top), right: Math.min(one.right, other.right), bottom: Math.min(one.bottom, other.bottom) });

const shareIn = (box, around) => {
  const shown = common(box, around);
  return ((shown.right - shown.left) * (shown.bottom - shown.top)) / Math.max(1, box.width * box.height);
};
