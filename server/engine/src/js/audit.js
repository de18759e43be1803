// The structure of a page for a review of its design: what it is, how one gets
// around, what it says, what can be operated, and what stands out as wrong.

import { callContext } from './call-context.js';
import { TEXT, boundingRect, documentSelectFirst, documentTitle, innerText, localName, nodeType, scrollingElement, styleOf, textData, tidy } from './dom.js';
import { absolute, walkElements } from './forms.js';
import { whole } from './markup.js';
import { nameOf, placeholderOf } from './names.js';
import { attribute, documentElement, inputType, list, selectAll } from './primordials.js';
import { legible } from './read.js';
import { roleOf } from './roles.js';
import { isFormControl } from './secrets.js';
import { round } from './snapshot.js';
import { headingLevel, isDisabled } from './states.js';
import { INTERACTIVE, SKIPPED_TAGS } from './tags.js';
import { eachChild, suspects } from './tree.js';
import { isSeen, isShown } from './visibility.js';
import { beginCall } from './walk.js';

const MOST_HEADINGS = 50;
const MOST_BLOCKS = 100;
const MOST_INTERACTIVE = 200;
const MOST_LINKS = 100;

/** Pixels below which a target is hard to hit: WCAG 2.2, 2.5.8. */
const SMALL_TARGET = 24;

export const audit = () => {
  beginCall();
  const top = documentElement(document);
  const report = { site: siteFacts(), nav: [], headings: [], blocks: [], interactive: [], counts: { headings: 0, blocks: 0, interactive: 0, images: 0 }, findings: [], suspects: 0 };
  if (!top) return report;
  callContext.closedRootCandidates = suspects();
  report.suspects = callContext.closedRootCandidates.length;
  const notes = { unnamed: [], small: [], unlabelled: [], images: 0, levels: [] };
  walkElements(top, (element) => auditElement(report, notes, element));
  findingsOf(report, notes);
  return report;
};

const metaContent = (selector) => {
  const meta = documentSelectFirst(document, selector);
  return meta ? whole(tidy(attribute(meta, 'content') || '')) : '';
};

const siteFacts = () => {
  const icon = documentSelectFirst(document, 'link[rel~=icon][href]');
  const canonical = documentSelectFirst(document, 'link[rel=canonical][href]');
  return {
    title: whole(tidy(documentTitle(document))),
    name: metaContent('meta[property="og:site_name"]') || metaContent('meta[name="application-name"]') || location.host,
    description: metaContent('meta[name=description]') || metaContent('meta[property="og:description"]'),
    url: location.href,
    canonical: canonical ? whole(absolute(attribute(canonical, 'href'))) : '',
    lang: whole((documentElement(document) && attribute(documentElement(document), 'lang')) || ''),
    icon: icon ? whole(absolute(attribute(icon, 'href'))) : '',
    viewport: { x: Math.round(scrollX), y: Math.round(scrollY), width: innerWidth, height: innerHeight },
    page: scrollingElement(document) ? { x: 0, y: 0, width: scrollingElement(document).scrollWidth, height: scrollingElement(document).scrollHeight } : { x: 0, y: 0, width: 0, height: 0 },
  };
};

/** @returns {boolean} Whether to look into it. */
const auditElement = (report, notes, element) => {
  const tag = localName(element);
  if (SKIPPED_TAGS.has(tag)) return false;
  const style = styleOf(element);
  if (!isSeen(element, style)) return false;
  const role = roleOf(element);
  if (role === 'none' && (tag === 'img' || tag === 'svg')) return false;
  if (role === 'navigation') navLinks(report, element);
  if (role === 'heading') {
    report.counts.headings += 1;
    notes.levels.push(headingLevel(element, tag));
    const text = whole(nameOf(element, role));
    if (report.headings.length < MOST_HEADINGS) report.headings.push({ level: headingLevel(element, tag), text: shortened(text, 200), box: pageBox(element) });
  }
  if (tag === 'img') {
    report.counts.images += 1;
    if (attribute(element, 'alt') === null && nameOf(element, role) === '') notes.images += 1;
  }
  if (INTERACTIVE.has(role) && !(tag === 'option')) {
    auditControl(report, notes, element, role, tag);
    return tag !== 'select';
  }
  auditText(report, element, style, role);
  return tag !== 'svg' && tag !== 'select';
};

const pageBox = (element) => {
  const box = boundingRect(element);
  return { x: round(box.x + scrollX), y: round(box.y + scrollY), width: round(box.width), height: round(box.height) };
};

const shortened = (text, limit) => {
  const letters = Array.from(text.slice(0, limit * 2));
  return letters.length > limit ? `${letters.slice(0, limit - 1).join('').trimEnd()}…` : letters.join('');
};

const navLinks = (report, nav) => {
  const name = whole(nameOf(nav, 'navigation'));
  for (const link of list(selectAll(nav, 'a[href]'))) {
    if (report.nav.length >= MOST_LINKS) return;
    if (!isShown(link)) continue;
    const current = attribute(link, 'aria-current');
    report.nav.push({ nav: name, text: shortened(whole(nameOf(link, 'link')), 100), href: whole(absolute(attribute(link, 'href'))), current: current !== null && current !== 'false' });
  }
};

const auditControl = (report, notes, element, role, tag) => {
  report.counts.interactive += 1;
  const name = whole(nameOf(element, role));
  const box = pageBox(element);
  const area = box.width > 0 && box.height > 0;
  const label = shortened(name, 60);
  if (name === '' && area) (isFormControl(element) ? notes.unlabelled : notes.unnamed).push(describeTag(element, role));
  else if (isFormControl(element) && name !== '' && name === placeholderOf(element)) notes.unlabelled.push(`${role} "${label}" (only a placeholder)`);
  // A link in a line of text may be as high as the line.
  const inText = role === 'link' && styleOf(element).display === 'inline';
  if (area && !inText && Math.min(box.width, box.height) < SMALL_TARGET && tag !== 'input') notes.small.push(`${role} "${label}" ${box.width}x${box.height}`);
  if (report.interactive.length >= MOST_INTERACTIVE) return;
  report.interactive.push({ role, name: shortened(name, 100), type: tag === 'input' ? inputType(element) : '', disabled: isDisabled(element, tag), inView: box.y - scrollY < innerHeight && box.y + box.height > scrollY, box });
};

const describeTag = (element, role) => {
  const id = attribute(element, 'id') || attribute(element, 'name') || (attribute(element, 'class') || '').trim().split(/\s+/)[0];
  return shortened(`${role}${id ? ` ${id}` : ''}`, 60);
};

/** A block is an element with text of its own. */
const auditText = (report, element, style, role) => {
  if (style.display.startsWith('inline') || role === 'heading') return;
  let own = '';
  eachChild(element, (child) => {
    if (nodeType(child) === TEXT) own += textData(child);
    else if (child instanceof HTMLElement && styleOf(child).display.startsWith('inline') && isShown(child)) own += innerText(child);
  });
  const text = tidy(legible(own));
  if (text.length < 20 || style.visibility !== 'visible') return;
  report.counts.blocks += 1;
  if (report.blocks.length >= MOST_BLOCKS) return;
  report.blocks.push({ text: whole(shortened(text, 200)), words: text.split(' ').length, size: round(parseFloat(style.fontSize)), box: pageBox(element) });
};

/** What a reviewer would note at first sight. */
const findingsOf = (report, notes) => {
  const say = (text) => report.findings.push(whole(text));
  const examples = (all) => `${all.length}: ${all.slice(0, 3).join('; ')}${all.length > 3 ? '; …' : ''}`;
  const tops = notes.levels.filter((level) => level === 1).length;
  if (notes.levels.length > 0 && tops === 0) say('no heading of level 1');
  if (tops > 1) say(`${tops} headings of level 1`);
  const jump = notes.levels.findIndex((level, index) => index > 0 && level > notes.levels[index - 1] + 1);
  if (jump > 0) say(`a heading of level ${notes.levels[jump]} follows one of level ${notes.levels[jump - 1]}`);
  if (notes.images > 0) say(`images without an alternative text: ${notes.images}`);
  if (notes.unlabelled.length > 0) say(`fields without a label, ${examples(notes.unlabelled)}`);
  if (notes.unnamed.length > 0) say(`controls without a name, ${examples(notes.unnamed)}`);
  if (notes.small.length > 0) say(`targets smaller than ${SMALL_TARGET} pixels, ${examples(notes.small)}`);
  if (report.site.lang === '') say('the document says no language');
  if (report.site.title === '') say('the document has no title');
  if (!documentSelectFirst(document, 'meta[name=viewport]')) say('no viewport for mobile devices');
  if (report.site.page.width > innerWidth + 1) say(`the page is ${report.site.page.width} pixels wide in a window of ${innerWidth}`);
};
