// Readable text and links: what a person would read, without the furniture.

/** Landmarks and widgets that frame the content of a page. */
const FURNITURE = 'nav, footer, aside, [role=navigation], [role=contentinfo], [role=complementary], [role=search], [role=toolbar], [role=menu], [role=menubar], [aria-hidden=true], [inert], [aria-modal=true][class*=cookie], [id*=cookie-banner], [class*=cookie-banner], [class*=cookie-consent], [id*=cookie-consent]';

const UNREADABLE = new Set(['script', 'style', 'noscript', 'template', 'head', 'svg', 'iframe', 'frame', 'object', 'canvas', 'audio', 'video', 'select', 'datalist', 'input', 'textarea', 'button', 'progress', 'meter', 'map']);

/** @param {{target?: Target}} argument The text of a target is whole; of a page without its furniture. */
const text = ({ target }) => {
  beginCall();
  if (target) return { text: whole(readText(findOne(target), false)) };
  const body = documentBody(document) || documentElement(document);
  if (!body) return { text: '' };
  const main = readText(body, true);
  return { text: whole(main !== '' ? main : readText(body, false)) };
};

/** Stand-ins for the spaces and line ends of preformatted text, which do not collapse. */
const KEPT_SPACE = '\u0001';
const KEPT_LINE = '\u0002';

/** @param {Element} top @param {boolean} content Whether to leave the furniture out. */
const readText = (top, content) => {
  const lines = [];
  let line = '';
  const end = (blank) => {
    const flowed = line.replace(/[ \t\f\v\u00a0]+/g, ' ').replace(/ ?\n ?/g, '\n').trim();
    const done = flowed.replaceAll(KEPT_SPACE, ' ').replaceAll(KEPT_LINE, '\n').replace(/^\n+|\s+$/g, '');
    line = '';
    if (done !== '') lines.push(done);
    if (blank && lines.length > 0 && lines[lines.length - 1] !== '') lines.push('');
  };
  const furniture = content ? new Set(selectAll(top, FURNITURE)) : new Set();
  const addText = (element, style, data) => {
    if (style.visibility !== 'visible') return;
    const shown = usesTransform ? renderedText(data, element) : data;
    // Most text has nothing in it that its style could keep or collapse.
    if (!/[\n\t]| {2}/.test(shown)) line += shown;
    else if (style.whiteSpace.startsWith('pre') || style.whiteSpaceCollapse === 'preserve') line += shown.replaceAll(' ', KEPT_SPACE).replaceAll('\n', KEPT_LINE);
    else line += shown.replace(/\s+/g, ' ');
  };
  const readNode = (node, parent, style) => {
    const type = nodeType(node);
    if (type === TEXT) addText(parent, style, textData(node));
    else if (type === ELEMENT && level < MAX_LEVEL) {
      level += 1;
      visit(node);
      level -= 1;
    }
  };
  const visit = (element) => {
    const tag = localName(element);
    if (element !== top && ((UNREADABLE.has(tag) && !(tag === 'button' && !content)) || furniture.has(element))) return;
    if (element instanceof HTMLTextAreaElement || element instanceof HTMLInputElement) {
      line += valueOf(element, 'textbox');
      return;
    }
    const style = styleOf(element);
    const display = style.display;
    if (display === 'none') return;
    const bare = !hasAttributes(element);
    if (!bare && element !== top && Number(style.opacity) === 0) return;
    if (usesSkipping && element !== top && style.contentVisibility === 'hidden') return;
    const block = !(display.startsWith('inline') || display === 'contents' || display.startsWith('ruby'));
    const cell = display === 'table-cell';
    if (cell && line !== '') line += ' | ';
    else if (block && !cell) end(APART.has(tag));
    if (tag === 'br') line += '\n';
    if (tag === 'hr') end(true);
    if (tag === 'li') line += '- ';
    if (tag === 'details' && !hasAttribute(element, 'open')) {
      const summary = selectFirst(element, 'summary');
      if (summary) visit(summary);
      return end(false);
    }
    const foreign = foreignChildren(element);
    if (foreign) for (let index = 0; index < foreign.length; index++) readNode(foreign[index], element, style);
    else for (let child = firstChild(element); child; child = nextSibling(child)) readNode(child, element, style);
    if (block && !cell) end(APART.has(tag));
  };
  let level = 0;
  visit(top);
  end(false);
  return lines.join('\n').replace(PRIVATE_USE, '').replace(/\n{3,}/g, '\n\n').trim();
};

/** Blocks that stand between empty lines. */
const APART = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'dl', 'table', 'pre', 'blockquote', 'section', 'article', 'figure', 'form', 'main', 'header']);

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
