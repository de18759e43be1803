// Readable text: what a person would read, without the furniture.
//
// The browser's own innerText knows layout best and costs a tenth of a walk,
// so the walk goes only into what holds something that innerText gets wrong:
// what is to be left out, fields, frames, slots and shadow trees.

import { callContext } from './call-context.js';
import { furnitureWithin } from './content.js';
import { isSkipped, keepsFolded, skippedWithin } from './details.js';
import { ELEMENT, TEXT, checkVisibility, documentBody, innerText, isConnected, localName, nodeType, optionLabel, selectMultiple, selectOptions, selectSize, styleOf, textData, tidy } from './dom.js';
import { hasFrameArea, ownerNumber } from './frames.js';
import { HIDDEN, TEXT_HIDDEN, allShown, isTextHidden, markedAs } from './hidden.js';
import { hiddenWithin } from './hidden-cache.js';
import { withBody } from './install.js';
import { attribute, documentElement, inputType, list } from './primordials.js';
import { selectedLabels, valueOf } from './states.js';
import { surveyText } from './layout-scan.js';
import { FIELD_TAGS, FRAME_TAGS } from './tags.js';
import { findOne } from './targets.js';
import { PRIVATE_USE, renderedText } from './text.js';
import { eachChild, flatParent } from './tree.js';
import { MAX_LEVEL, beginCall } from './walk.js';
/** @import { Unseen } from './hidden.js' */
/** @import { Target } from './targets.js' */

/** Stands for the text of a frame: its number between two code points that no text has. */
const FRAME_MARK = ['\uFDD0', '\uFDD1'];

/** Text of the page, in which nothing can be taken for a mark. */
const unmarked = (text) => (text.includes(FRAME_MARK[0]) || text.includes(FRAME_MARK[1]) ? text.replace(/[\uFDD0\uFDD1]/g, '') : text);

/** What a person can read of a text: no icon fonts, no marks. */
const UNREADABLE = /[\uE000-\uF8FF\uFDD0\uFDD1\uDB80-\uDBFF]/;

export const legible = (text) => (UNREADABLE.test(text) ? unmarked(text.replace(PRIVATE_USE, '')) : text);

/**
 * @param {{target?: Target, entire?: boolean, seen?: boolean}} argument The text
 *   of a target is entire; that of a page without its furniture, if that leaves
 *   anything. With `seen` what no person sees is left out, by the same rule.
 */
export const text = ({ target, entire, seen }) => {
  if (target) beginCall();
  const top = target ? findOne(target) : documentBody(document) || documentElement(document);
  if (!top) return withBody({ art: false, suspects: 0 }, '');
  /** @type {any} */
  const survey = surveyText(top);
  callContext.closedRootCandidates = survey.suspects;
  const furniture = target || entire ? new Set() : furnitureWithin(top, survey.roots, survey.tagged);
  const unseen = seen ? hiddenWithin(target ? top : documentElement(document), survey.roots) : null;
  survey.skipped = skippedWithin(top, survey.roots);
  // What it prepares is asked for only where innerText does not do.
  if (!target && (survey.odd.length > 0 || furniture.size > 0 || unseen !== null)) beginCall();
  const gone = markedAs(unseen, HIDDEN);
  let content = readText(top, survey, new Set([...furniture, ...gone]), unseen);
  if (furniture.size > 0 && !/\S/.test(content)) content = readText(top, survey, new Set(gone), unseen);
  // A page that is hidden as a whole is about to appear; a frame is not the page.
  const isWhole = unseen !== null && parent === window && !/\S/.test(content);
  if (isWhole) content = readText(top, survey, new Set(), null);
  return withBody({ art: survey.art, suspects: survey.suspects.length, unseen: unseen === null ? {} : isWhole ? allShown(unseen.counts) : unseen.counts }, content);
};

/**
 * The text that shows in an element, to be laid out by the daemon.
 * @param {Element} top
 * @param {Set<Element>} left What to leave out.
 * @param {?Unseen} unseen Whose own text is left out, too.
 */
export const readText = (top, survey, left, unseen = null) => {
  const skipped = survey.skipped || skippedWithin(top, survey.roots);
  const odd = skipped.size > 0 ? [...survey.odd, ...skipped] : survey.odd;
  const mixed = mixedElements(top, unseen === null ? odd : [...odd, ...markedAs(unseen, TEXT_HIDDEN)], left);
  const parts = [];
  let level = 0;
  let skips = isSkipped(top);
  const visit = (element) => {
    if (left.has(element)) return;
    const tag = localName(element);
    const style = styleOf(element);
    if (style.display === 'none' || (style.display !== 'contents' && !checkVisibility(element))) return;
    if (FIELD_TAGS.has(tag)) {
      if (style.visibility === 'visible') parts.push(FIELD_EDGE, unmarked(fieldText(element)), FIELD_EDGE);
      return;
    }
    if (FRAME_TAGS.has(tag)) {
      if (style.visibility === 'visible') parts.push(frameMark(element));
      if (tag !== 'object' || ownerNumber(element) > 0) return;
    }
    const gap = gapOf(tag, style.display);
    if (gap !== '') addGap(parts, gap, skips);
    else if (tag === 'button') parts.push(FIELD_EDGE);
    if (!skips && !mixed.has(element) && element instanceof HTMLElement) parts.push(unmarked(innerText(element)));
    else if (level < MAX_LEVEL) {
      level += 1;
      const outside = skips;
      skips = skips || skipped.has(element);
      const muted = isTextHidden(unseen, element) || keepsFolded(element);
      const collapses = !style.whiteSpace.startsWith('pre') && !style.whiteSpace.startsWith('break');
      eachChild(element, (child) => {
        if (nodeType(child) === ELEMENT) visit(child);
        else if (nodeType(child) === TEXT && style.visibility === 'visible' && !muted) {
          const shown = unmarked(renderedText(textData(child), element));
          parts.push(collapses ? shown.replace(/[ \t\r\n\f]+/g, ' ') : shown);
        }
      });
      skips = outside;
      level -= 1;
    }
    if (gap !== '') addGap(parts, gap, skips);
    else if (tag === 'button') parts.push(FIELD_EDGE);
  };
  if (isConnected(top) && isReachable(top)) visit(top);
  return parts.join('');
};

/** Two gaps are as wide as the wider of them, as innerText has it; `\t` parts cells, and stays. */
const addGap = (parts, gap, joins) => {
  if (joins && gap !== '\t') {
    while (parts.length > 0 && /^ +$/.test(parts[parts.length - 1])) parts.pop();
    const last = parts.length > 0 ? parts[parts.length - 1] : '';
    if (/^\n+$/.test(last)) {
      if (last.length < gap.length) parts[parts.length - 1] = gap;
      return;
    }
  }
  parts.push(gap);
};

/** Stands at the edges of fields and buttons, which a person sees apart; the daemon parts the words there. */
const FIELD_EDGE = '\u0001';

/** All the text that shows in an element of this document. */
export const textWithin = (element) => {
  const survey = surveyText(element);
  return { text: readText(element, survey, new Set()).replace(/\uFDD0\d+\uFDD1\n?/g, ''), art: survey.art };
};

/** Whether the ancestors let an element show; innerText tells everything of what does not. */
export const isReachable = (element) => {
  for (let node = element; node && nodeType(node) === ELEMENT; node = flatParent(node)) {
    if (styleOf(node).display !== 'contents') return checkVisibility(node);
  }
  return true;
};

/** The elements on the way to what needs a look of its own. @returns {Set<Element>} */
const mixedElements = (top, odd, left) => {
  const mixed = new Set();
  const mark = (element) => {
    for (let node = element; node && !mixed.has(node); node = flatParent(node)) {
      mixed.add(node);
      if (node === top) return;
    }
  };
  odd.forEach(mark);
  left.forEach(mark);
  return mixed;
};

/** What a field shows; nothing of what is secret. */
export const fieldText = (element) => {
  if (element instanceof HTMLSelectElement) return selectMultiple(element) || selectSize(element) > 1 ? `\n${list(selectOptions(element)).map((option) => tidy(optionLabel(option))).join('\n')}\n` : selectedLabels(element);
  if (!(element instanceof HTMLInputElement)) return element instanceof HTMLTextAreaElement ? valueOf(element, 'textbox') : '';
  switch (inputType(element)) {
    case 'submit':
    case 'reset':
    case 'button':
      return buttonText(element);
    case 'image':
      return tidy(attribute(element, 'alt') || '');
    case 'range':
    case 'color':
      return '';
  }
  return valueOf(element, 'textbox');
};

const DEFAULT_LABELS = { submit: 'Submit', reset: 'Reset', button: '' };

const buttonText = (input) => {
  const own = attribute(input, 'value');
  return own === null ? DEFAULT_LABELS[inputType(input)] : tidy(own);
};

export const frameMark = (element) => {
  const number = hasFrameArea(element) ? ownerNumber(element) : 0;
  return number > 0 ? `\n${FRAME_MARK[0]}${number}${FRAME_MARK[1]}\n` : '';
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
