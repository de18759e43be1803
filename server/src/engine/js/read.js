// Readable text and links: what a person would read, without the furniture.

/** Landmarks and widgets that frame the content of a page. */
const FURNITURE =
  'nav,footer,aside,[role=navigation],[role=contentinfo],[role=complementary],[role=search],[role=toolbar],[role=menu],[role=menubar],[aria-hidden=true],[inert],[id*=cookie-banner],[class*=cookie-banner],[class*=cookie-consent],[id*=cookie-consent]';

/** What holds no text that flows. */
const UNREADABLE = 'script,style,noscript,template,svg,iframe,frame,object,canvas,audio,video,select,datalist,map';

/** @param {{target?: Target}} argument The text of a target is whole; of a page without its furniture. */
const text = ({ target }) => {
  beginCall();
  if (target) return { text: whole(readText(findOne(target), UNREADABLE)) };
  const body = documentBody(document) || documentElement(document);
  if (!body) return { text: '' };
  const content = readText(body, `${UNREADABLE},${FURNITURE}`);
  return { text: whole(content !== '' ? content : readText(body, UNREADABLE)) };
};

/**
 * The text that shows in an element. The browser's own innerText knows layout
 * best and costs a tenth of a walk, so the walk goes only into what holds
 * something to be left out, or a shadow tree.
 * @param {Element} top @param {string} without A selector of what to leave out.
 */
const readText = (top, without) => {
  const left = new Set(selectAll(top, without));
  const mixed = mixedElements(top, left);
  const parts = [];
  let level = 0;
  const visit = (element) => {
    if (left.has(element)) return;
    const field = fieldText(element);
    if (field !== null) {
      parts.push(field);
      return;
    }
    const style = styleOf(element);
    if (style.display === 'none') return;
    const gap = gapOf(localName(element), style.display);
    if (gap !== '') parts.push(gap);
    if (!mixed.has(element) && element instanceof HTMLElement) parts.push(innerText(element));
    else if (level < MAX_LEVEL) {
      level += 1;
      eachChild(element, (child) => {
        if (nodeType(child) === ELEMENT) visit(child);
        else if (nodeType(child) === TEXT && style.visibility === 'visible') parts.push(renderedText(textData(child), element).replace(/\s+/g, style.whiteSpace.startsWith('pre') ? '$&' : ' '));
      });
      level -= 1;
    }
    if (gap !== '') parts.push(gap);
  };
  visit(top);
  return layOut(parts.join(''));
};

/** The elements on the way to what is left out and to shadow trees. @returns {Set<Element>} */
const mixedElements = (top, left) => {
  const mixed = new Set();
  const mark = (element) => {
    for (let node = element; node && !mixed.has(node); node = flatParent(node)) {
      mixed.add(node);
      if (node === top) return;
    }
  };
  for (const element of left) {
    const parent = flatParent(element);
    if (parent) mark(parent);
  }
  for (const root of shadowRootsWithin(top)) mark(shadowHost(root));
  if (!(top instanceof HTMLElement)) mark(top);
  return mixed;
};

/** What a text field holds; null for any other element. */
const fieldText = (element) => {
  const tag = localName(element);
  if (tag !== 'input' && tag !== 'textarea') return null;
  return isFormControl(element) ? valueOf(element, 'textbox') : null;
};

/** Line ends that belong around an element. */
const gapOf = (tag, display) => {
  if (tag === 'br') return '\n';
  if (display === 'table-cell') return '\t';
  if (display.startsWith('inline') || display === 'contents' || display.startsWith('ruby')) return '';
  return APART.has(tag) ? '\n\n' : '\n';
};

/** Blocks that stand between empty lines. */
const APART = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'dl', 'table', 'pre', 'blockquote', 'section', 'article', 'figure', 'form', 'main', 'header']);

const layOut = (raw) =>
  raw
    .replace(PRIVATE_USE, '')
    .replace(/[ \t]*\t[ \t]*/g, '\t')
    .replace(/ +\n/g, '\n')
    .replace(/\n (?=\S)/g, '\n')
    .replace(/\n[ \t]*\n(?:[ \t]*\n)*/g, '\n\n')
    .replace(/\t\n|\n\t/g, '\n')
    .trim()
    .replace(/\t/g, ' | ');

/** Every address once, with the first text that leads there. */
const links = () => {
  beginCall();
  const seen = new Map();
  const collect = (root) => {
    const all = root === document ? documentSelectAll(document, 'a[href],area[href]') : shadowSelectAll(root, 'a[href],area[href]');
    for (const link of list(all)) {
      const href = link instanceof HTMLAnchorElement || link instanceof HTMLAreaElement ? link.href : attribute(link, 'href') || '';
      if (href === '' || href.startsWith('javascript:') || !isShown(link)) continue;
      const name = whole(nameOf(link, 'link'));
      if (!seen.has(href) || seen.get(href) === '') seen.set(href, name);
    }
  };
  collect(document);
  for (const root of shadowRootsWithin(document)) collect(root);
  return { links: [...seen].map(([href, name]) => [name, whole(href)]) };
};

/** Whether a text shows anywhere; innerText leaves out what is not rendered. */
const hasText = ({ text: wanted }) => {
  const needle = tidy(wanted).toLowerCase();
  const body = documentBody(document);
  const shows = (element) => element instanceof HTMLElement && tidy(innerText(element)).toLowerCase().includes(needle);
  if (body && shows(body)) return { is: true };
  return { is: shadowRootsWithin(document).some((root) => { for (let child = firstElementChildOf(root); child; child = nextElementSibling(child)) if (shows(child)) return true; return false; }) };
};

const firstElementChildOf = (root) => {
  for (let child = firstChild(root); child; child = nextSibling(child)) if (nodeType(child) === ELEMENT) return child;
  return null;
};
