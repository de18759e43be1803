// What is painted around a text and is no ground: shadows and borders. Asked
// only of text in the colour of its ground.

const COLOUR = /[a-z]+\([^()]*\)/;

/** @param {string} value Shadows of a computed style. @returns {{colour: ?number[], lengths: number[], inset: boolean}[]} */
const shadowsOf = (value) =>
  value === 'none' ? [] : value.split(/,(?![^(]*\))/).map((shadow) => {
    const colour = (COLOUR.exec(shadow) || [''])[0];
    const lengths = (shadow.replace(colour, '').match(/-?[\d.]+(?=px)/g) || []).map(Number);
    return { colour: colourParts(colour), lengths, inset: shadow.includes('inset') };
  });

/** Whether a shadow of the letters shows: one right below them does not. @param {(colour: number[]) => boolean} tells Whether a colour shows. */
const standsOutBy = (value, tells) => shadowsOf(value).some(({ colour, lengths }) => lengths.some((length) => length !== 0) && (colour === null || tells(colour)));

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
    const colours = image.match(/(?:rgba?|color|hsla?|lab|lch|oklab|oklch)\([^()]*\)/g) || [];
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
