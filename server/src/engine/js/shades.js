// What is painted around a text and is no plain ground: shadows, borders and
// gradients.

const COLOUR = /[a-z]+\([^()]*\)/;

/** Elements that may have a ground of an odd kind: by shadows within, or seen through letters alone. Set by `unseenIn`. @type {Set<Element>} */
let oddGrounds = new Set();

/** @param {string} value Shadows of a computed style. @returns {{colour: ?number[], lengths: number[], inset: boolean}[]} */
const shadowsOf = (value) =>
  value === 'none' ? [] : value.split(/,(?![^(]*\))/).map((shadow) => {
    const colour = (COLOUR.exec(shadow) || [''])[0];
    const lengths = (shadow.replace(colour, '').match(/-?[\d.]+(?=px)/g) || []).map(Number);
    return { colour: colourParts(colour), lengths, inset: shadow.includes('inset') };
  });

/** Whether a shadow of the letters shows: one right below them does not. @param {(colour: number[]) => boolean} tells Whether a colour shows. */
const standsOutBy = (value, tells) => shadowsOf(value).some(({ colour, lengths }) => isNearShadow(lengths) && (colour === null || tells(faded(colour, lengths))));

/** Whether a shadow lies where the letters are, or beside them, but not right below them. */
const isNearShadow = ([right = 0, down = 0, blur = 0]) => (right !== 0 || down !== 0 || blur !== 0) && Math.abs(right) < FAR_SHADOW && Math.abs(down) < FAR_SHADOW;

/** A shadow that is farther from its letters than this is not read as theirs. */
const FAR_SHADOW = 60;

/** What a blur leaves of the colour of a shadow. */
const faded = ([red, green, blue, alpha], [, , blur = 0]) => [red, green, blue, blur > 20 ? (alpha * 20) / blur : alpha];

/** Whether an element paints at a point by its border, by shadows, or by what is dropped by a filter. */
const paintsAround = (element, style, x, y, tells) => {
  const shows = (colour) => colour === null || (colour[3] >= 0.1 && tells(colour));
  for (const [, shadow] of style.filter.matchAll(/drop-shadow\(([a-z]+\([^()]*\)[^()]*)\)/g)) if (standsOutBy(shadow, shows)) return true;
  const box = boundingRect(element);
  if (!holdsPoint(box, x, y)) {
    return shadowsOf(style.boxShadow).some(({ colour, lengths: [right, down, blur, spread], inset }) => {
      const more = spread + blur / 2;
      const cast = { left: box.left + right - more, right: box.right + right + more, top: box.top + down - more, bottom: box.bottom + down + more };
      return !inset && holdsPoint(cast, x, y) && shows(colour);
    });
  }
  const image = style.borderImageSource;
  if (image !== 'none' && style.borderImageSlice.includes('fill')) {
    const colours = image.match(ANY_COLOUR) || [];
    return image.includes('url(') || colours.some((colour) => shows(colourParts(colour)));
  }
  const sides = [
    [y - box.top, style.borderTopWidth, style.borderTopColor],
    [box.right - x, style.borderRightWidth, style.borderRightColor],
    [box.bottom - y, style.borderBottomWidth, style.borderBottomColor],
    [x - box.left, style.borderLeftWidth, style.borderLeftColor],
  ];
  return sides.some(([distance, width, colour]) => parseFloat(width) > 0 && distance <= parseFloat(width) && shows(colourParts(colour)));
};

const ANY_COLOUR = /(?:rgba?|color|hsla?|lab|lch|oklab|oklch)\([^()]*\)/g;

/** Whether the layers of a ground are blended, so that it has none of their colours. */
const isBlendedGround = (style) => /[^normal, ]/.test(style.backgroundBlendMode);

/** The colour of a gradient that is one all over; null for every other picture. @returns {?number[]} */
const evenGradient = (style) => {
  const image = style.backgroundImage;
  if (!image.includes('gradient(') || /url\(|image-set\(|element\(|paint\(/.test(image) || style.backgroundClip.includes('text')) return null;
  if (IS_NO_SIZE.test(style.backgroundSize) || isBlendedGround(style)) return null;
  // One that is not repeated may cover a part.
  if (style.backgroundRepeat.includes('no-repeat') && !/^(?:auto|cover|100%|100% 100%)$/.test(style.backgroundSize)) return null;
  return evenColour(image);
};

/** The colour of an image if there is one alone, and it hides what is behind. @returns {?number[]} */
const evenColour = (image) => {
  const [first, ...others] = (image.match(ANY_COLOUR) || []).map(colourParts);
  if (!first || first[3] < 0.95) return null;
  return others.every((one) => one !== null && one[3] > 0.95 && one.every((value, index) => index === 3 || Math.abs(value - first[index]) < 10)) ? first : null;
};

/** The ground that shadows within a box make of it: undefined where they leave its middle free. @returns {?number[]|undefined} */
const insetOf = (element, style) => {
  const cast = style.boxShadow;
  if (cast === 'none' || !cast.includes('inset')) return undefined;
  const box = boundingRect(element);
  for (const { colour, lengths: [right, down, blur, spread], inset } of shadowsOf(cast)) {
    const reach = 2 * Math.max(0, spread - blur / 2);
    if (!inset || colour === null || colour[3] < 0.95) continue;
    if (reach >= Math.min(box.width, box.height) || Math.abs(right) >= box.width || Math.abs(down) >= box.height) return colour;
  }
  return undefined;
};

/** The colour of the letters of a style, as text: that of a ground that shows through them alone, if there is one. */
const inkOf = (element, style) => {
  const fill = style.webkitTextFillColor;
  if (!oddGrounds.has(element) || !/, 0(?:\.0\d*)?\)$|^transparent$/.test(fill) || style.backgroundClip !== 'text') return fill;
  const even = style.backgroundImage === 'none' ? style.backgroundColor : evenColour(style.backgroundImage);
  return even === null ? 'none' : typeof even === 'string' ? even : `rgba(${even.join(', ')})`;
};
