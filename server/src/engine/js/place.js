// Where a frame's content lies in the document around it.

/**
 * Maps a point of a child frame's viewport into this one and tests that the
 * frame is what is hit there.
 * @param {{owner: number, x: number, y: number, reveal?: boolean}} argument
 */
const place = ({ owner, x, y }) => {
  beginCall();
  const element = ownerElement(owner);
  if (!element) throw new Refusal('stale');
  let point = mapPoint(element, x, y);
  if (!isInView(point)) {
    scrollIntoView(element, { block: 'nearest', inline: 'nearest', behavior: 'instant' });
    point = mapPoint(element, x, y);
    if (!isInView(point)) {
      scrollBy({ left: point.x - innerWidth / 2, top: point.y - innerHeight / 2, behavior: 'instant' });
      point = mapPoint(element, x, y);
    }
  }
  if (!isInView(point)) throw new Refusal('hidden', { why: 'its frame cannot be scrolled into view' });
  const hit = hitAt(point.x, point.y);
  if (hit !== element) throw new Refusal('covered', { cover: hit ? describeCover(hit) : null });
  return point;
};

/** Only the mapping, for boxes. */
const mapRect = ({ owner, x, y, width, height }) => {
  const element = ownerElement(owner);
  if (!element) throw new Refusal('stale');
  const start = mapPoint(element, x, y);
  const end = mapPoint(element, x + width, y + height);
  return { x: Math.min(start.x, end.x), y: Math.min(start.y, end.y), width: Math.abs(end.x - start.x), height: Math.abs(end.y - start.y) };
};

const isInView = ({ x, y }) => x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;

/**
 * From the content box of the frame to this viewport, through the transforms
 * of all ancestors: the matrix is rebuilt from them, and the bounding box
 * tells where its origin lies.
 */
const mapPoint = (element, x, y) => {
  const style = styleOf(element);
  const left = element.clientLeft + parseFloat(style.paddingLeft);
  const top = element.clientTop + parseFloat(style.paddingTop);
  const matrix = linearPart(element);
  const rect = boundingRect(element);
  // The corners of the border box under the matrix, relative to its origin.
  const corners = [[0, 0], [element.offsetWidth, 0], [0, element.offsetHeight], [element.offsetWidth, element.offsetHeight]].map(([across, down]) => apply(matrix, across, down));
  const originX = rect.left - Math.min(...corners.map((corner) => corner[0]));
  const originY = rect.top - Math.min(...corners.map((corner) => corner[1]));
  const [mappedX, mappedY] = apply(matrix, left + x, top + y);
  return { x: originX + mappedX, y: originY + mappedY };
};

const apply = (matrix, x, y) => [matrix.a * x + matrix.c * y, matrix.b * x + matrix.d * y];

/** The product of all transforms from the element up, without translations. */
const linearPart = (element) => {
  let matrix = new DOMMatrix();
  for (let node = element; node && nodeType(node) === ELEMENT; node = flatParent(node)) {
    const style = styleOf(node);
    let own = new DOMMatrix();
    if (style.rotate !== 'none') own = own.multiply(new DOMMatrix(`rotate(${style.rotate})`));
    if (style.scale !== 'none') own = own.multiply(new DOMMatrix(`scale(${style.scale.replace(/\s+/g, ',')})`));
    if (style.transform !== 'none') own = own.multiply(new DOMMatrix(style.transform));
    if (style.zoom && style.zoom !== '1') own = own.scale(Number(style.zoom) || 1);
    matrix = own.multiply(matrix);
  }
  return matrix;
};
