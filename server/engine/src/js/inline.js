// Inline Markdown: text, links, images, emphasis, and the escapes they need.

import { keepsFolded } from './details.js';
import { ELEMENT, TEXT, firstElementChild, localName, nextElementSibling, nodeType, parentNode, selectFirst, styleOf, textData, tidy } from './dom.js';
import { absolute } from './forms.js';
import { hasFrameArea } from './frames.js';
import { HIDDEN, isTextHidden, markedAs, seenText } from './hidden.js';
import { blocksIn, bold, holdsBlocks, isLeftOut, spaced } from './markdown.js';
import { imageItem, playerSource } from './media.js';
import { givenName, nameOf } from './names.js';
import { attribute, documentElement, getter, list, textContent } from './primordials.js';
import { fieldText, frameMark, legible, readText } from './read.js';
import { isDataTable } from './roles.js';
import { surveyText } from './layout-scan.js';
import { renderedText } from './text.js';
import { eachChild } from './tree.js';
import { MAX_LEVEL } from './walk.js';

const contentDocument = getter(HTMLIFrameElement.prototype, 'contentDocument');

/** The inline content of an element, with blanks as they come. */
export const inlineOf = (writing, element) => {
  const tag = localName(element);
  switch (tag) {
    case 'br':
      return '\\\n';
    case 'img':
      return imageText(element);
    case 'input':
    case 'select':
    case 'textarea':
      return escaped(legible(fieldText(element)));
    case 'iframe':
      return frameText(element);
    case 'video':
    case 'audio':
      return playerText(element, tag);
    case 'svg':
      return escaped(nameOf(element, 'img'));
    case 'math':
      return escaped(attribute(element, 'alttext') || tidy(legible(readText(element, surveyText(element), new Set(markedAs(writing.unseen, HIDDEN)), writing.unseen))));
    case 'canvas':
    case 'object':
    case 'embed':
    case 'progress':
    case 'meter':
      return '';
  }
  const inner = inlineIn(writing, element);
  switch (tag) {
    case 'a':
      return linkText(element, inner);
    case 'strong':
    case 'b':
      return marked(inner, '**');
    case 'em':
    case 'i':
    case 'cite':
    case 'dfn':
    case 'var':
      return marked(inner, '*');
    case 'del':
    case 's':
      return marked(inner, '~~');
    case 'code':
    case 'kbd':
    case 'samp':
    case 'tt':
      return codeSpan(writing, element);
    case 'q':
      return `“${inner.trim()}”`;
  }
  return inner;
};

const inlineIn = (writing, element) => {
  if (writing.level > MAX_LEVEL / 3) return '';
  writing.level += 1;
  let run = '';
  const outer = styleOf(element);
  const muted = isTextHidden(writing.unseen, element) || keepsFolded(element);
  eachChild(element, (child) => {
    if (nodeType(child) === TEXT && !muted) run += textRun(child, outer);
    if (nodeType(child) !== ELEMENT) return;
    const style = styleOf(child);
    if (isLeftOut(writing, child, style)) return;
    const block = !style.display.startsWith('inline') && style.display !== 'contents';
    run += block ? ` ${inlineOf(writing, child)} ` : spaced(inlineOf(writing, child), style, outer);
  });
  writing.level -= 1;
  return run;
};

/** A text node as rendered, escaped. */
export const textRun = (node, style) => {
  if (style.visibility !== 'visible') return '';
  const data = legible(renderedText(textData(node), nodeType(parentNode(node)) === ELEMENT ? parentNode(node) : documentElement(document)));
  const keeps = style.whiteSpace.startsWith('pre') || style.whiteSpace === 'break-spaces';
  return escaped(keeps ? data : data.replace(/\s+/g, ' ')).replace(/\n/g, keeps ? '\\\n' : ' ');
};

/** A backslash before what would be read as markup. */
export const escaped = (text) => text.replace(/[\\\x60*]/g, '\\$&').replace(/(^|[^\p{L}\p{N}])(_+)(?=[\p{L}\p{N}])|(_+)(?=$|[^\p{L}\p{N}_])/gu, (all) => all.replace(/_/g, '\\_')).replace(/<(?=[a-z/!])/gi, '\\<').replace(/\](?=\()/g, '\\]');

/** A paragraph of what was collected: blanks joined, and no line that begins like a block. */
export const tidyRun = (run) =>
  run
    .replace(/[ \t\u00a0]+/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replace(/^(?:\\?\n)+|(?:\\?\n|\\)+$/g, '')
    .replace(/(?:\\\n){2,}/g, '\n\n')
    .replace(/^(?:#{1,6}(?= )|[-+](?= )|>|=+$|-{3,}$)/gm, '\\$&')
    .replace(/^(\d+)([.)])(?= )/gm, '$1\\$2')
    .trim();

/** Marks stand next to the text; blanks stay outside. */
const marked = (inner, mark) => {
  const text = inner.trim();
  if (text === '' || text.includes('\n') || text.startsWith(mark) || text.endsWith('\\')) return inner;
  return inner.replace(text, () => `${mark}${text}${mark}`);
};

const codeSpan = (writing, element) => {
  const code = tidy(legible(seenText(writing.unseen, element)));
  if (code === '') return '';
  const longest = Math.max(0, ...[...code.matchAll(/\x60+/g)].map(([ticks]) => ticks.length));
  const fence = '\x60'.repeat(longest + 1);
  return longest > 0 ? `${fence} ${code} ${fence}` : `${fence}${code}${fence}`;
};

/** @returns {string} The address of a link in Markdown, or '' for one that leads nowhere. */
export const linkTarget = (link) => {
  const href = (attribute(link, 'href') || '').trim();
  if (href === '' || href === '#' || /^(?:javascript|data):/i.test(href)) return '';
  return href.startsWith('#') ? href.replace(/[\s()]/g, encodeURIComponent) : absolute(href).replace(/[\s()]/g, (letter) => (letter === '(' ? '%28' : letter === ')' ? '%29' : '%20'));
};

const linkText = (link, inner) => {
  const text = inner.trim();
  const href = linkTarget(link);
  // The sign by which a heading links to itself.
  if (href.startsWith('#') && /^[#¶§🔗]?$/u.test(text)) return '';
  if (href === '' || (text === '' && !givenName(link))) return inner;
  if (text === '') return `[${escaped(givenName(link))}](${href})`;
  // What has a link in it cannot be one.
  if (/(?<!\\)\](?:\()/.test(text.replace(/!\[[^\]]*\]\([^)]*\)/g, ''))) return inner;
  return inner.replace(text, () => `[${text.replace(/\\?\n/g, ' ')}](${href})`);
};

/** An image that says something; one without an alternative text is decoration. */
const imageText = (image) => {
  const alt = tidy(attribute(image, 'alt') || '') || nameOf(image, 'img');
  if (alt === '' || !(image instanceof HTMLImageElement)) return '';
  const { url } = imageItem(image);
  return url === '' || url.startsWith('data:') ? `[image: ${escaped(alt)}]` : `![${escaped(alt).replace(/[[\]]/g, '\\$&')}](${url.replace(/[\s()]/g, encodeURIComponent)})`;
};

const playerText = (player, tag) => {
  const source = playerSource(player);
  const name = givenName(player) || tidy(attribute(player, 'title') || '') || tag;
  return source === '' || source.startsWith('blob:') ? '' : `[${escaped(name)}](${source})`;
};

/** A frame of the same site is part of the page; another is a link. */
const frameText = (frame) => {
  if (contentDocument(frame) !== null) return frameMark(frame);
  const address = absolute(attribute(frame, 'src') || '');
  if (!address.startsWith('http') || !hasFrameArea(frame)) return '';
  return `[${escaped(givenName(frame) || tidy(attribute(frame, 'title') || '') || new URL(address).host)}](${address})`;
};

// === Tables in Markdown: those of data as tables, those of layout as what is in them ===

/** @returns {string[]} */
export const tableOf = (writing, table) => {
  const rows = rowsOf(writing, table);
  const caption = firstTagged(table, 'caption');
  const title = caption && !isLeftOut(writing, caption, styleOf(caption)) ? bold(tidyRun(inlineIn(writing, caption))) : '';
  const grid = isTabular(table, rows) ? gridOf(writing, rows) : [];
  if (grid.length < 1 || grid[0].length < 2) return [title, ...rows.flatMap((row) => layoutRow(writing, row))].filter(Boolean);
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const [head, ...body] = grid;
  return [title, [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n')].filter(Boolean);
};

const firstTagged = (element, tag) => {
  for (let child = firstElementChild(element); child; child = nextElementSibling(child)) if (localName(child) === tag) return child;
  return null;
};

/** @returns {Element[][]} The cells of each row that shows. */
const rowsOf = (writing, table) => {
  const rows = [];
  const visit = (parent) => {
    for (let child = firstElementChild(parent); child; child = nextElementSibling(child)) {
      const tag = localName(child);
      if (!['thead', 'tbody', 'tfoot', 'tr'].includes(tag) || isLeftOut(writing, child, styleOf(child))) continue;
      if (tag === 'tr') rows.push(list(child.children).filter((cell) => ['td', 'th'].includes(localName(cell)) && !isLeftOut(writing, cell, styleOf(cell))));
      else visit(child);
    }
  };
  visit(table);
  return rows.filter((row) => row.length > 0);
};

/** Marked up as data, or with a regular shape and nothing but words in it. */
const isTabular = (table, rows) => {
  if (selectFirst(table, 'table') || attribute(table, 'role') === 'presentation') return false;
  if (isDataTable(table)) return true;
  const width = rows.length > 0 ? rows[0].length : 0;
  return rows.length > 1 && width > 1 && rows.every((row) => row.length === width && row.every((cell) => !holdsBlocks(cell) && tidy(textContent(cell)).length < 200));
};

const span = (cell, name) => Math.min(50, Math.max(1, parseInt(attribute(cell, name) || '1', 10) || 1));

/** All rows with the same number of cells; what spans several stands in the first of them. @returns {string[][]} */
const gridOf = (writing, rows) => {
  const grid = rows.map(() => []);
  rows.forEach((row, y) => {
    let x = 0;
    for (const cell of row) {
      while (grid[y][x] !== undefined) x += 1;
      const text = cellText(writing, cell);
      for (let down = 0; down < span(cell, 'rowspan') && y + down < grid.length; down++) {
        for (let across = 0; across < span(cell, 'colspan'); across++) grid[y + down][x + across] = down === 0 && across === 0 ? text : '';
      }
      x += span(cell, 'colspan');
    }
  });
  const width = Math.max(...grid.map((row) => row.length));
  return grid.map((row) => Array.from({ length: width }, (_, index) => row[index] || '')).filter((row) => row.some(Boolean));
};

const cellText = (writing, cell) => blocksIn(writing, cell).join(' ').replace(/\\?\n+/g, ' ').replace(/\|/g, '\\|');

/** A row of short cells is a line; one with more in it is what it holds. */
const layoutRow = (writing, row) => {
  const cells = row.map((cell) => blocksIn(writing, cell));
  if (cells.every((blocks) => blocks.length <= 1 && !/^(?:[#>|\x60-]|\d+\. )/.test(blocks[0] || ''))) return [cells.flat().filter(Boolean).join(' ')];
  return cells.flat();
};
