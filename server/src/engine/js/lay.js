// A page laid out for a picture: what is in the way is hidden and boxes are
// scrolled, and all of it is put back afterwards. What clutter is called stands
// in cleanup.js.

/** What undoes each change, oldest first. */
let undoing = [];

const setStyle = method(CSSStyleDeclaration.prototype, 'setProperty');
const removeAttribute = method(Element.prototype, 'removeAttribute');
const dropStyle = method(CSSStyleDeclaration.prototype, 'removeProperty');

/** Gives a property a value, whatever the page says, until it is put back. */
const overrule = (element, property, value) => {
  const style = element.style;
  if (!style) return false;
  const had = hasAttribute(element, 'style');
  const [before, priority] = [style.getPropertyValue(property), style.getPropertyPriority(property)];
  undoing.push(() => {
    if (before) setStyle(style, property, before, priority);
    else dropStyle(style, property);
    if (!had && style.length === 0) removeAttribute(element, 'style');
  });
  setStyle(style, property, value, 'important');
  return true;
};

/** @param {{target: Target}} argument Hides every match. */
const hideAll = ({ target }) => {
  beginCall();
  const found = findAll(target);
  if (found.length === 0) throw new Refusal('not-found', { near: nearMisses(target) });
  return { hidden: found.filter((element) => overrule(element, 'display', 'none')).length };
};

/** Hides what lies over the content, and lets the page scroll again. */
const declutter = () => {
  beginCall();
  const root = documentElement(document);
  const body = documentBody(document);
  if (!root || !body) return { hidden: 0 };
  const all = everyElement();
  const known = new Set([...consentElements(all), ...adElements(all), ...all.filter((element) => matches(element, WIDGET_MARKS))].filter((element) => !holdsContent(element)));
  const view = innerWidth * innerHeight;
  const half = innerText(body).length / 2;
  for (const element of selectAll(root, 'body *')) {
    if (!(element instanceof HTMLElement)) continue;
    const style = styleOf(element);
    if (style.position !== 'fixed' && style.position !== 'sticky') continue;
    const rect = boundingRect(element);
    const area = Math.max(0, Math.min(rect.right, innerWidth) - Math.max(rect.left, 0)) * Math.max(0, Math.min(rect.bottom, innerHeight) - Math.max(rect.top, 0));
    // What holds most of the text is the page itself, however it is placed.
    const isPage = area * 2 > view && innerText(element).length > half;
    // A sticky head that is in its place lies over nothing.
    const inPlace = style.position === 'sticky' && Math.abs(rect.top + scrollY - element.offsetTop) < 1;
    if (!isPage && !inPlace) known.add(element);
  }
  let hidden = 0;
  for (const element of known) if (overrule(element, 'display', 'none')) hidden += 1;
  for (const box of [root, body]) {
    if (/hidden|clip/.test(styleOf(box).overflowY)) overrule(box, 'overflow', 'visible');
  }
  return { hidden };
};

/** @param {{target?: Target, top?: number}} argument Scrolls an element to the top of its boxes, or the page by pixels. */
const showAt = ({ target, top }) => {
  beginCall();
  const element = target ? findOne(target) : null;
  if (element && !isShown(element)) throw new Refusal('hidden', { why: hiddenBecause(element) });
  const page = mainScroller();
  const boxes = [];
  for (let node = element; node; node = flatParent(node)) if (nodeType(node) === ELEMENT && (node.scrollTop || node.scrollLeft || canScroll(node))) boxes.push(node);
  if (!boxes.includes(page)) boxes.push(page);
  const before = boxes.map((box) => [box, box.scrollLeft, box.scrollTop]);
  undoing.push(() => {
    for (const [box, left, y] of before.reverse()) box.scrollTo({ left, top: y, behavior: 'instant' });
  });
  if (element) scrollIntoView(element, { block: 'start', inline: 'nearest', behavior: 'instant' });
  else page.scrollTo({ top, behavior: 'instant' });
  return { top: Math.round(page.scrollTop) };
};

/** Undoes all of it, the last change first. */
const putBack = () => {
  const changes = undoing.reverse();
  undoing = [];
  for (const change of changes) change();
  return { undone: changes.length };
};
