// Colours as they are painted, and whether text of one can be told from another.

/** Colours that were parsed before. @type {Map<string, ?number[]>} */
const knownColours = new Map();
const MAX_COLOURS = 500;
let palette = null;

/** Red, green, blue and alpha of a computed colour. @returns {?number[]} Null for what is not one. */
export const colourParts = (colour) => {
  let parts = knownColours.get(colour);
  if (parts !== undefined) return parts;
  if (knownColours.size >= MAX_COLOURS) knownColours.clear();
  parts = parseColour(colour);
  knownColours.set(colour, parts);
  return parts;
};

const parseColour = (colour) => {
  const [, inner] = /^rgba?\(([^)]*)\)$/.exec(colour) || [];
  if (inner === undefined) return /^(?:color|ok|lab|lch|hsl|hwb)/.test(colour) ? paintedParts(colour) : null;
  const numbers = inner.split(/[ ,/]+/).filter(Boolean).map(Number);
  if (numbers.length < 3 || numbers.some(Number.isNaN)) return null;
  return [numbers[0], numbers[1], numbers[2], numbers.length > 3 ? numbers[3] : 1];
};

/** Other notations are painted on a canvas. */
const paintedParts = (colour) => {
  palette = palette || new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  palette.clearRect(0, 0, 1, 1);
  palette.fillStyle = colour;
  palette.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = palette.getImageData(0, 0, 1, 1).data;
  return [red, green, blue, alpha / 255];
};

const channelLight = (value) => (value <= 10.3 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);

const luminance = ([red, green, blue]) => 0.2126 * channelLight(red) + 0.7152 * channelLight(green) + 0.0722 * channelLight(blue);

/** Below this contrast nobody reads; #f3f3f3 on white has it. Source: WCAG 2.2, contrast ratio. */
const MIN_CONTRAST = 1.1;

export const isSameColour = (text, behind) => {
  if (text[3] < 0.1) return true;
  if (text.every((value, index) => index === 3 || Math.abs(value - behind[index]) < 3)) return true;
  const [one, other] = [luminance(text) + 0.05, luminance(behind) + 0.05];
  const contrast = one > other ? one / other : other / one;
  return 1 + (contrast - 1) * text[3] < MIN_CONTRAST;
};

export const WHITE = [255, 255, 255, 1];

/** What a browser paints a page of a dark scheme on. */
export const NIGHT = [18, 18, 18, 1];

/** A see-through colour before another. @param {number[]} veil @param {?number[]} behind @returns {?number[]} */
export const blend = (veil, behind) => behind && [...[0, 1, 2].map((index) => veil[index] * veil[3] + behind[index] * (1 - veil[3])), 1];

export const ANY_COLOUR = /(?:rgba?|color|hsla?|lab|lch|oklab|oklch)\([^()]*\)/g;

/** The colours of gradients. @returns {number[][]} Empty where any image is something else. */
export const gradientColours = (image) => {
  if (!image.includes('gradient(') || /url\(|image-set\(|element\(|paint\(|cross-fade\(/.test(image)) return [];
  const colours = (image.match(ANY_COLOUR) || []).map(colourParts);
  return colours.includes(null) ? [] : colours;
};

/** Whether an image is a gradient that paints nothing at all. */
export const isClear = (image) => {
  const colours = gradientColours(image);
  return colours.length > 0 && colours.every(([, , , alpha]) => alpha < 0.05);
};

/** The colour of an opaque gradient that is one all over. @returns {?number[]} */
export const evenColour = (image) => {
  const [first, ...others] = gradientColours(image);
  if (!first || first[3] < 0.95) return null;
  return others.every((one) => one[3] > 0.95 && one.every((value, index) => index === 3 || Math.abs(value - first[index]) < 10)) ? first : null;
};
