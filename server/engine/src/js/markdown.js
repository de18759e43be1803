// Markdown: the content of a page as a person sees it, block by block.

import { callContext } from './call-context.js';
import { furnitureWithin, hasAncestorIn, isCompanion, isKeptFromReaders, mainContent, proseIn } from './content.js';
import { keepsFolded } from './details.js';
import { ELEMENT, TEXT, documentBody, documentTitle, firstElementChild, hasAttributes, localName, nodeType, styleOf, tidy } from './dom.js';
import { allShown, isPendingReveal, isHiddenWhole, isTextHidden, isUnseen, seenText } from './hidden.js';
import { hiddenWithin } from './hidden-cache.js';
import { escaped, inlineOf, linkTarget, tableOf, textRun, tidyRun } from './inline.js';
import { whole } from './markup.js';
import { attribute, documentElement, list, selectAll, textContent } from './primordials.js';
import { isReachable, legible } from './read.js';
import { explicitRole, parentElement } from './roles.js';
import { headingLevel } from './states.js';
import { surveyText } from './layout-scan.js';
import { SKIPPED_TAGS } from './tags.js';
import { findOne } from './targets.js';
import { eachChild, flatElements } from './tree.js';
import { isSeen, isShown } from './visibility.js';
import { MAX_LEVEL, beginCall } from './walk.js';
/** @import { Unseen } from './hidden.js' */
/** @import { Target } from './targets.js' */

const HEADINGS = /^h[1-6]$/;

/** @param {{target?: Target, seen?: boolean}} argument A target is written whole, a page without its furniture; with `seen` without what no person sees. */
export const markdown = ({ target, seen }) => {
  beginCall();
  const top = target ? findOne(target) : documentBody(document) || documentElement(document);
  if (!top) return { text: '', suspects: 0 };
  const survey = surveyText(top);
  callContext.closedRootCandidates = survey.suspects;
  const unseen = seen ? hiddenWithin(target ? top : documentElement(document), survey.roots) : null;
  let counts = unseen === null ? {} : unseen.counts;
  let text = '';
  if (target) text = isReachable(top) ? written(top, new Set(), Infinity, unseen) : '';
  else {
    const furniture = furnitureWithin(top, survey.roots, survey.tagged);
    const content = mainContent(top, furniture);
    text = written(content, furniture, proseIn(content), unseen);
    if (text === '') text = written(top, new Set(), Infinity, unseen);
    // A page that is hidden as a whole is about to appear; a frame is not the page.
    if (text === '' && parent === window) {
      text = written(top, new Set(), Infinity, null);
      counts = allShown(counts);
    }
    if (text !== '' && parent === window && !/^# /m.test(text)) text = `${titleLine(top, furniture, unseen)}${text}`;
  }
  return { text: whole(text), suspects: survey.suspects.length, unseen: counts };
};

/** A page says what it is about, although its content begins below the title. */
const titleLine = (top, furniture, unseen) => {
  const isHeading = (element) => isShown(element) && !hasAncestorIn(element, furniture) && (unseen === null || !isUnseen(unseen, element));
  const heading = list(selectAll(top, 'h1')).find(isHeading);
  const title = tidy((heading && legible(textContent(heading))) || documentTitle(document));
  return title ? `# ${escaped(title)}\n\n` : '';
};

/** @typedef {{left: Set<Element>, size: number, level: number, unseen: ?Unseen}} Writing */

const written = (top, left, size, unseen) => {
  const writing = { left, size, level: 0, unseen };
  const blocks = isListTag(localName(top)) || localName(top) === 'table' || localName(top) === 'pre' || HEADINGS.test(localName(top)) ? blockOf(writing, top) : isInline(top, styleOf(top), '') ? [tidyRun(inlineOf(writing, top))] : blocksIn(writing, top);
  return blocks.filter(Boolean).join('\n\n').replace(/\n{3,}/g, '\n\n');
};

const isListTag = (tag) => tag === 'ul' || tag === 'ol' || tag === 'menu' || tag === 'dl';

/** The children of an element as blocks; inline content between them makes paragraphs. @returns {string[]} */
export const blocksIn = (writing, element) => {
  const blocks = [];
  let run = '';
  const flush = () => {
    const paragraph = tidyRun(run);
    if (paragraph !== '') blocks.push(paragraph);
    run = '';
  };
  if (writing.level > MAX_LEVEL / 3) return blocks;
  writing.level += 1;
  const outer = styleOf(element);
  const muted = isTextHidden(writing.unseen, element) || keepsFolded(element);
  eachChild(element, (child) => {
    if (nodeType(child) === TEXT && !muted) run += textRun(child, outer);
    if (nodeType(child) !== ELEMENT) return;
    const style = styleOf(child);
    if (isLeftOut(writing, child, style)) return;
    if (isInline(child, style, outer.display)) run += spaced(inlineOf(writing, child), style, outer);
    else {
      flush();
      blocks.push(...blockOf(writing, child));
    }
  });
  flush();
  writing.level -= 1;
  return blocks;
};

export const isLeftOut = (writing, element, style) =>
  writing.left.has(element) || isHiddenWhole(writing.unseen, element) || SKIPPED_TAGS.has(localName(element)) || isKeptFromReaders(element) || !(isPendingReveal(writing.unseen, element) || isSeen(element, style)) || isCompanion(element, writing.size);

/** Inline by its style, and with nothing in it that is not; or laid out in a row by its parent. */
const isInline = (element, style, outer) => {
  const tag = localName(element);
  const inRow = (outer.includes('flex') || outer.includes('grid')) && INLINE_TAGS.has(tag);
  if (HEADINGS.test(tag) || isListTag(tag) || tag === 'table' || tag === 'pre' || tag === 'blockquote') return false;
  return (style.display.startsWith('inline') || style.display.startsWith('ruby') || inRow) && !holdsBlocks(element);
};

const INLINE_TAGS = new Set('a abbr b bdi bdo button cite code data del dfn em font i img input ins kbd label mark q s samp select small span strong sub sup svg textarea time tt u var'.split(' '));

const BLOCK_TAGS = 'p,div,h1,h2,h3,h4,h5,h6,ul,ol,dl,table,pre,blockquote,section,article,figure,hr,form,fieldset';

export const holdsBlocks = (element) => firstElementChild(element) !== null && list(selectAll(element, BLOCK_TAGS)).some((inner) => !styleOf(inner).display.startsWith('inline'));

/** What a row sets apart with a gap needs a blank. */
export const spaced = (text, style, outer) => (outer.display.includes('flex') || outer.display.includes('grid') || style.display.startsWith('inline-') ? ` ${text} ` : text);

/** @returns {string[]} */
const blockOf = (writing, element) => {
  const tag = localName(element);
  const role = hasAttributes(element) ? explicitRole(element, tag) : '';
  if (HEADINGS.test(tag) || role === 'heading') {
    const text = tidyRun(inlineOf(writing, element)).replace(/\s*\n\s*/g, ' ');
    return text ? [`${'#'.repeat(Math.min(6, headingLevel(element, tag)))} ${text}`] : [];
  }
  switch (tag) {
    case 'ul':
    case 'ol':
    case 'menu':
      return [listOf(writing, element)];
    case 'dl':
      return [definitionsOf(writing, element)];
    case 'table':
      return tableOf(writing, element);
    case 'pre':
      return [codeOf(writing, element)];
    case 'blockquote':
      return [prefixed(blocksIn(writing, element).join('\n\n'), '> ')];
    case 'hr':
      return ['---'];
    case 'a':
      return linkedBlocks(element, blocksIn(writing, element));
    case 'summary':
      return [bold(tidyRun(inlineOf(writing, element)))];
    case 'img':
    case 'input':
    case 'select':
    case 'textarea':
    case 'button':
    case 'iframe':
    case 'video':
    case 'audio':
    case 'svg':
    case 'math':
    case 'progress':
    case 'meter':
      return [tidyRun(inlineOf(writing, element))];
  }
  return blocksIn(writing, element);
};

export const bold = (text) => (text === '' ? '' : `**${text}**`);

const prefixed = (text, prefix) => (text === '' ? '' : text.split('\n').map((line) => `${prefix}${line}`.trimEnd()).join('\n'));

/** A card: its first line is the link. */
const linkedBlocks = (link, blocks) => {
  const href = linkTarget(link);
  const [first, ...rest] = blocks;
  if (!href || first === undefined || first.includes('](')) return blocks;
  const [, mark, text] = /^(#{1,6} )?([^]*)$/.exec(first);
  return [`${mark || ''}[${text.replace(/\n/g, ' ')}](${href})`, ...rest];
};

/** Code, in the language that its class names. */
const codeOf = (writing, element) => {
  const code = legible(seenText(writing.unseen, element)).replace(/^\n+|\s+$/g, '');
  if (code === '') return '';
  const inner = firstElementChild(element);
  const named = [element, inner, parentElement(element)].map((part) => (part && attribute(part, 'class')) || '').join(' ');
  const language = /(?:^|\s)(?:lang(?:uage)?-|highlight-(?:source-)?|brush:\s*)([\w+#-]+)/.exec(named);
  const longest = Math.max(2, ...[...code.matchAll(/\x60+/g)].map(([ticks]) => ticks.length));
  const fence = '\x60'.repeat(longest + 1);
  return [fence + (language ? language[1] : ''), code, fence].join('\n');
};

const listOf = (writing, element) => {
  const ordered = localName(element) === 'ol';
  let number = ordered ? parseInt(attribute(element, 'start') || '1', 10) || 0 : 0;
  const items = [];
  for (const child of flatElements(element)) {
    if (isLeftOut(writing, child, styleOf(child))) continue;
    const mark = ordered ? `${parseInt(attribute(child, 'value') || '', 10) || number}. ` : '- ';
    number += 1;
    const nested = isListTag(localName(child));
    const blocks = nested ? blockOf(writing, child) : blocksIn(writing, child);
    const text = blocks.filter(Boolean).reduce((joined, block) => (joined === '' ? block : `${joined}${/^(?:[-+*]|\d+\.) /.test(block) ? '\n' : '\n\n'}${block}`), '');
    if (text === '') continue;
    const indent = ' '.repeat(mark.length);
    items.push(nested ? prefixed(text, '  ') : mark + prefixed(text, indent).slice(mark.length));
  }
  return items.join('\n');
};

const definitionsOf = (writing, element) => {
  const lines = [];
  const visit = (child) => {
    const tag = localName(child);
    if (isLeftOut(writing, child, styleOf(child))) return;
    if (tag === 'div') return flatElements(child).forEach(visit);
    const text = blocksIn(writing, child).join('\n\n');
    if (text === '') return;
    lines.push(tag === 'dt' ? `- ${bold(text.replace(/\*\*/g, ''))}` : prefixed(text, '  '));
  };
  flatElements(element).forEach(visit);
  return lines.join('\n');
};
