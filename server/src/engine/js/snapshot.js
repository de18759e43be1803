// The snapshot of one document, as one string: the cheapest way out of a page.

/**
 * @param {{interactive?: boolean, cursor?: boolean, detail?: boolean, seen?: boolean, target?: Target}} options
 * @returns {string} JSON: serial, number of new refs, url, title, nodes, and with `detail` descriptions and boxes.
 */
const snapshot = (options) => {
  beginRefs();
  beginCall();
  const scope = options.target ? findOne(options.target) : documentElement(document);
  if (!scope) return JSON.stringify({ serial: pending.serial, fresh: 0, url: location.href, title: '', suspects: 0, owners: 0, nodes: [] });
  unseenNow = options.seen ? unseenIn(scope, shadowRootsWithin(scope)) : null;
  spokenByStyle = 0;
  const walk = walkFrom(scope, { interactive: !!options.interactive, cursor: !!options.cursor, detail: !!options.detail, seen: !!options.seen });
  if (options.interactive) foldDays(walk, scope);
  foundSuspects = walk.suspects;
  const answer = {
    serial: pending.serial,
    fresh: pending.elements.length,
    url: location.href,
    title: documentTitle(document),
    suspects: walk.suspects.length,
    owners: newOwners.length,
    nodes: walk.nodes,
  };
  if (options.interactive) {
    answer.contexts = contextsOfLines(walk);
    answer.fading = fadingFor();
  }
  if (walk.messages.length > 0) answer.messages = walk.messages;
  if (walk.hints.length > 0) answer.hints = walk.hints;
  if (walk.folds.length > 0) answer.folds = walk.folds;
  // Hidden text is no part of what can be operated, and a control has its mark.
  if (unseenNow !== null && !options.interactive) answer.unseen = unseenNow.counts;
  if (options.seen) answer.closed = takeWantedSheets();
  if (options.seen && spokenByStyle > 0) answer.unseen = { ...answer.unseen, 'css content': spokenByStyle };
  if (options.detail) Object.assign(answer, detailsOf(walk));
  unseenNow = null;
  lastElements = walk.elements;
  return JSON.stringify(answer);
};

/** Milliseconds of a transition that are waited for. */
const LONGEST_FADE = 400;

/**
 * How long something with controls in it is still coming or going: a dialog that
 * fades out hides the page behind it until it is gone, for assistive technology.
 * @returns {number} Milliseconds; 0 where nothing is.
 */
const fadingFor = () => {
  let longest = 0;
  for (const { playState, effect } of Document.prototype.getAnimations.call(document)) {
    if (playState !== 'running' || !effect || !effect.target) continue;
    const { endTime, localTime } = effect.getComputedTiming();
    const left = endTime - (localTime || 0);
    if (!(left > longest && left <= LONGEST_FADE)) continue;
    const frames = effect.getKeyframes();
    const last = frames[frames.length - 1];
    const isFading = last && last.opacity !== undefined && (Number(last.opacity) < 0.1 || Number(styleOf(effect.target).opacity) < 0.1);
    if (isFading && selectFirst(effect.target, OPERABLE) !== null) longest = left;
  }
  return Math.ceil(longest);
};

/** Suspects of the latest walk. @type {Element[]} */
let foundSuspects = [];

/** The elements of the latest snapshot by line; the agreement check reads them. @type {Element[]} */
let lastElements = [];

const takeSuspects = () => {
  const found = foundSuspects;
  foundSuspects = [];
  return found;
};

const detailsOf = (walk) => {
  const descriptions = [];
  const boxes = [];
  walk.elements.forEach((element, index) => {
    descriptions.push(element ? descriptionOf(element, walk.nodes[index * FIELDS + 2]) : '');
    const box = element && boundingRect(element);
    boxes.push(box ? [round(box.x), round(box.y), round(box.width), round(box.height)] : 0);
  });
  return { descriptions, boxes };
};

const round = (value) => Math.round(value * 10) / 10;
