// Which points of an element its `clip-path` lets through: paths, polygons,
// rounds and the shapes of a drawing, asked of the browser point by point.

/** @typedef {(x: number, y: number) => boolean} Stencil Asked with places in the box of the element. */

/** @returns {?Stencil} Null for what is a box, or lets all through, or cannot be told. */
const stencilOf = (path, width, height) => {
  const [, shape, inner = ''] = /^([a-z-]+)\((.*)\)/.exec(path) || [];
  switch (shape) {
    case 'path': {
      const [, rule, said] = /^(?:(evenodd|nonzero), ?)?"(.*)"$/.exec(inner) || [];
      return said === undefined ? null : stencilOfPath(said, rule);
    }
    case 'shape':
      return stencilOfShape(inner, width, height);
    case 'polygon': {
      const points = inner.replace(/^(?:evenodd|nonzero),/, '').split(',').map((pair) => partsOfValue(pair).map((word, index) => lengthIn(word, index === 0 ? width : height)));
      if (points.flat().some(Number.isNaN)) return null;
      return stencilOfPath(`M${points.map((point) => point.join(' ')).join('L')}Z`, inner.startsWith('evenodd') ? 'evenodd' : undefined);
    }
    case 'circle':
    case 'ellipse': {
      const kept = keptByRound(shape, inner, width, height);
      if (kept === null || Object.values(kept).some(Number.isNaN)) return null;
      const [across, down] = [(kept.right - kept.left) / 2, (kept.bottom - kept.top) / 2];
      return (x, y) => across > 0 && down > 0 && ((x - kept.left - across) / across) ** 2 + ((y - kept.top - down) / down) ** 2 <= 1;
    }
    case 'url':
      return stencilOfDrawing(path, width, height);
  }
  return null;
};

let ruler = null;

/** @returns {Stencil} */
const stencilOfPath = (said, rule = 'nonzero') => {
  const path = new Path2D(said);
  ruler = ruler || new OffscreenCanvas(1, 1).getContext('2d');
  return (x, y) => ruler.isPointInPath(path, x, y, rule);
};

/** The commands of `shape()` as those of a path. */
const SHAPE_COMMANDS = { move: 'M', line: 'L', hline: 'H', vline: 'V', curve: 'C', smooth: 'S', arc: 'A', close: 'Z', from: 'M' };

const stencilOfShape = (inner, width, height) => {
  let path = '';
  const [, rule, said] = /^(?:(evenodd|nonzero) )?(.*)$/.exec(inner);
  for (const command of listedParts(said)) {
    const [name, ...words] = command.trim().split(' ');
    const letter = SHAPE_COMMANDS[name];
    if (letter === undefined || /\b(?:start|end|origin)\b/.test(command)) return null;
    const isBy = words[0] === 'by';
    const numbers = (from) => partsOfValue(from).filter((word) => /^[-\d.c]/.test(word) && !/^c?cw$/.test(word));
    const places = (from) => numbers(from).map((word, index) => lengthIn(word, name === 'vline' || (index % 2 === 1 && name !== 'hline') ? height : width));
    const [to, more = ''] = command.replace(/^\s*\S+ (?:to |by )?/, '').split(/ (?:with|of) /);
    const control = more.split(' / ').map(places);
    let [mark, given] = [letter, places(to)];
    if (name === 'close') given = [];
    else if (name === 'curve') [mark, given] = control.length > 1 ? ['C', [...control.flat(), ...given]] : ['Q', [...control[0], ...given]];
    else if (name === 'smooth') [mark, given] = more === '' ? ['T', given] : ['S', [...control[0], ...given]];
    else if (name === 'arc') {
      const [radius, other = radius] = places(more.replace(/rotate \S+/, ''));
      given = [radius, other, parseFloat((/rotate (\S+)/.exec(more) || ['', '0'])[1]), /large/.test(more) ? 1 : 0, /\bcw/.test(more) ? 1 : 0, ...given];
    }
    if (given.some((number) => Number.isNaN(number) || number === undefined)) return null;
    path += (isBy ? mark.toLowerCase() : mark) + given.join(' ');
  }
  return stencilOfPath(path, rule);
};

/** What an element of the document that a style names is. @returns {?Element} */
const namedBy = (image, tag) => {
  const [, id] = /^url\("[^"#]*#([^"]+)"\)/.exec(image) || [];
  const found = id ? documentById(document, id) : null;
  return found !== null && localName(found) === tag ? found : null;
};

/** A place of the page in the units of a shape; null where it has a kind of its own. */
const placeInShape = (shape, x, y) => {
  const own = shape.transform.baseVal.consolidate();
  const point = new DOMPoint(x, y);
  return own === null ? point : point.matrixTransform(new DOMMatrix([own.matrix.a, own.matrix.b, own.matrix.c, own.matrix.d, own.matrix.e, own.matrix.f]).inverse());
};

/** @returns {?Stencil} */
const stencilOfDrawing = (path, width, height) => {
  const clip = namedBy(path, 'clipPath');
  if (clip === null) return null;
  const parts = flatElements(clip).filter((part) => part instanceof SVGGraphicsElement);
  if (!parts.every((part) => part instanceof SVGGeometryElement) || clip.transform.baseVal.length > 0) return null;
  const [across, down] = attribute(clip, 'clipPathUnits') === 'objectBoundingBox' ? [width, height] : [1, 1];
  return (x, y) => parts.some((part) => part.isPointInFill(placeInShape(part, x / (across || 1), y / (down || 1))));
};

/** Points of a text in each direction that are asked for. */
const ACROSS = [0.04, 0.2, 0.35, 0.5, 0.65, 0.8, 0.96];
const DOWN = [0.2, 0.5, 0.8];

/** The share of a text that a stencil lets through. @param {DOMRect} around The box of the element that has it. */
const shareThrough = (stencil, text, around) => {
  const box = contentBox(text);
  let through = 0;
  for (const across of ACROSS) for (const down of DOWN) if (stencil(box.x + box.width * across - around.x, box.y + box.height * down - around.y)) through += 1;
  return through / (ACROSS.length * DOWN.length);
};
