// Gradients of a computed style, and where the tiles of a background lie: the
// colour of a linear one at a point, and of every other all that it may be.

/** The parts of a list, at its outer commas: in one pass, since an address in it may be long. @returns {string[]} */
const listedParts = (text) => {
  if (!text.includes(',')) return text === '' ? [] : [text];
  const parts = [];
  let [depth, start, isQuoted] = [0, 0, false];
  for (let index = 0; index < text.length; index++) {
    const letter = text[index];
    if (letter === '\\') index += 1;
    else if (letter === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (letter === '(') depth += 1;
    else if (letter === ')') depth -= 1;
    else if (letter === ',' && depth === 0) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
};

/** @typedef {{isLinear: boolean, repeats: boolean, way: string, stops: {colour: number[], at: string}[]}} Gradient */

/** @type {Map<string, ?Gradient>} */
const knownGradients = new Map();
const MOST_GRADIENTS = 500;

/** @returns {?Gradient} Null for what is none, and for colours that cannot be told. */
const gradientOf = (image) => {
  if (!image.includes('gradient(')) return null;
  if (knownGradients.size >= MOST_GRADIENTS) knownGradients.clear();
  return remembered(knownGradients, image, parseGradient);
};

const parseGradient = (image) => {
  const [, kind, inner] = /^\s*([a-z-]*gradient)\((.*)\)\s*$/.exec(image) || [];
  if (!kind) return null;
  const gradient = { isLinear: /^(?:repeating-)?linear-gradient$/.test(kind), repeats: kind.includes('repeating'), way: '180deg', stops: [] };
  for (const part of listedParts(inner)) {
    const [written] = part.match(ANY_COLOUR) || [];
    const colour = written ? colourParts(written) : null;
    if (colour !== null) gradient.stops.push({ colour, at: part.replace(written, '').trim() });
    else if (written || /currentcolor/i.test(part)) return null;
    // A hint between two colours moves their middle.
    else if (gradient.stops.length === 0) gradient.way = part.trim();
    else gradient.isLinear = false;
  }
  return gradient.stops.length > 0 ? gradient : null;
};

/** Whether a picture is a gradient that paints nothing at all. */
const isClearGradient = (image) => {
  const gradient = gradientOf(image);
  return gradient !== null && gradient.stops.every(({ colour }) => colour[3] < 0.05);
};

/** Whether all pictures of a style are such gradients. */
const isClear = (images) => images === 'none' || (images.includes('gradient(') && listedParts(images).every(isClearGradient));

/** The direction of a linear gradient, as a step of length one. @returns {?[number, number]} */
const wayOf = (way, { width, height }) => {
  const [, turn] = /^(-?[\d.e-]+)deg$/.exec(way) || [];
  if (turn !== undefined) return [Math.sin((turn * Math.PI) / 180), -Math.cos((turn * Math.PI) / 180)];
  if (!way.startsWith('to ')) return null;
  const [across, down] = [(way.includes('right') ? 1 : 0) - (way.includes('left') ? 1 : 0), (way.includes('bottom') ? 1 : 0) - (way.includes('top') ? 1 : 0)];
  if (across === 0 || down === 0) return [across, down];
  const long = Math.hypot(width, height) || 1;
  return [(across * height) / long, (down * width) / long];
};

/** The places of the stops, from 0 to 1. @returns {number[]} */
const placesOf = ({ stops }, length) => {
  const places = stops.map(({ at }, index) => {
    if (at !== '') return lengthIn(at, length) / length;
    return index === 0 ? 0 : index === stops.length - 1 ? 1 : NaN;
  });
  for (let index = 1; index < places.length; index++) {
    if (!Number.isNaN(places[index])) {
      places[index] = Math.max(places[index], places[index - 1]);
      continue;
    }
    let next = index;
    while (Number.isNaN(places[next])) next += 1;
    const step = (Math.max(places[next], places[index - 1]) - places[index - 1]) / (next - index + 1);
    for (let place = index; place < next; place++) places[place] = places[place - 1] + step;
  }
  return places;
};

/** The colour of a gradient at a point of its box. @returns {?number[]} Null for one that is not linear. */
const colourAt = (gradient, box, x, y) => {
  const step = gradient.isLinear ? wayOf(gradient.way, box) : null;
  if (step === null) return null;
  const length = Math.abs(box.width * step[0]) + Math.abs(box.height * step[1]);
  if (!(length > 0)) return null;
  const places = placesOf(gradient, length);
  let place = ((x - box.left - box.width / 2) * step[0] + (y - box.top - box.height / 2) * step[1]) / length + 0.5;
  const [first, last] = [places[0], places[places.length - 1]];
  if (gradient.repeats && last > first) place = first + ((((place - first) % (last - first)) + (last - first)) % (last - first));
  const colours = gradient.stops.map(({ colour }) => colour);
  const next = places.findIndex((one) => one > place);
  if (next === 0) return colours[0];
  if (next < 0) return colours[colours.length - 1];
  return mixed(colours[next - 1], colours[next], (place - places[next - 1]) / (places[next] - places[next - 1]));
};

/** Between two colours, each with the weight that its alpha gives it. */
const mixed = (one, other, share) => {
  const alpha = one[3] * (1 - share) + other[3] * share;
  if (alpha === 0) return [0, 0, 0, 0];
  return [0, 1, 2].map((index) => (one[index] * one[3] * (1 - share) + other[index] * other[3] * share) / alpha).concat(alpha);
};

/** @typedef {{left: number, top: number, right: number, bottom: number, width: number, height: number}} Box */

const boxOf = (left, top, right, bottom) => ({ left, top, right, bottom, width: right - left, height: bottom - top });

/** The layers of pictures of a style, the topmost first. @param {'background'|'mask'} kind */
const layersOf = (style, kind) => {
  const images = listedParts(style[`${kind}Image`]);
  const [sizes, places, repeats] = ['Size', 'Position', 'Repeat'].map((name) => listedParts(style[kind + name] || ''));
  const at = (list, index, usual) => (list.length > 0 ? list[index % list.length].trim() : usual);
  return images.map((image, index) => ({ image: image.trim(), size: at(sizes, index, 'auto'), place: at(places, index, '0% 0%'), repeat: at(repeats, index, 'repeat') }));
};

/** A size by which nothing is painted. */
const IS_NO_SIZE = /^0(?:px|%)?(?: |$)| 0(?:px|%)?$/;

/** The part of a box in which a layer paints. @param {Box} box @returns {Box} */
const tileIn = (box, { image, size, place, repeat }) => {
  if (/^repeat$|^(?:repeat|round|space) (?:repeat|round|space)$|^round$|^space$/.test(repeat) && !IS_NO_SIZE.test(size)) return box;
  const [wide, high = 'auto'] = partsOfValue(size);
  // How large a picture is by itself is not asked for.
  const isOpen = !image.includes('gradient(') && /auto|contain/.test(size);
  const side = (word, whole) => (/auto|cover|contain/.test(word) ? whole : lengthIn(word, whole));
  const [width, height] = [side(wide, box.width), side(high, box.height)];
  const [across, down = '50%'] = partsOfValue(place);
  const [left, top] = [lengthIn(across, box.width - width), lengthIn(down, box.height - height)];
  if (isOpen || [width, height, left, top].some(Number.isNaN)) return box;
  const [one, two = one] = repeat === 'repeat-x' ? ['repeat', 'no-repeat'] : repeat === 'repeat-y' ? ['no-repeat', 'repeat'] : repeat.split(' ');
  const [holdsAcross, holdsDown] = [one === 'no-repeat', two === 'no-repeat'];
  if (width <= 0 || height <= 0) return boxOf(box.left, box.top, box.left, box.top);
  return boxOf(
    holdsAcross ? Math.max(box.left, box.left + left) : box.left,
    holdsDown ? Math.max(box.top, box.top + top) : box.top,
    holdsAcross ? Math.min(box.right, box.left + left + width) : box.right,
    holdsDown ? Math.min(box.bottom, box.top + top + height) : box.bottom,
  );
};
