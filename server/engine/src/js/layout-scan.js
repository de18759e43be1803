// The survey of a text: one pass over all elements, before any is read.

import { FIELD_TAGS, FRAME_TAGS, FURNITURE_TAGS, HOST_TAGS } from './tags.js';
import { ELEMENT, documentBody, firstElementChild, localName, nextNode, nodeType, walkerOver } from './dom.js';
import { cachedInDom } from './dom-cache.js';
import { isAsked, isSuspect, shadowOf } from './tree.js';
import { meetRoot } from './walk.js';

/** @typedef {{odd: Element[], tagged: Element[], roots: ShadowRoot[], suspects: Element[], art: boolean}} TextSurvey `art`: lines may be drawn with dashes. */

/** @typedef {{odd: Element[], tagged: Element[], hosts: Element[], empty: Element[], art: boolean}} TreeSurvey `hosts`: may have a shadow root; `empty`: those of them that a closed one may fill. */

/**
 * One pass over all elements, shadow trees included, for what the walk must
 * look at itself.
 * @param {Element} top @returns {TextSurvey}
 */
export const surveyText = (top) => {
  const survey = { odd: [], tagged: [], roots: [], suspects: [], art: false };
  if (!(top instanceof HTMLElement)) survey.odd.push(top);
  const look = () => surveyTree(top);
  addTree(survey, top === documentBody(document) ? cachedInDom('survey', top, look) : look());
  return survey;
};

/** A tree walker hands out elements in half the time of a list. @param {Element|ShadowRoot} root @returns {TreeSurvey} */
const surveyTree = (root) => {
  const tree = { odd: [], tagged: [], hosts: [], empty: [], art: false };
  if (nodeType(root) === ELEMENT) surveyElement(tree, root);
  const walker = walkerOver(root, NodeFilter.SHOW_ELEMENT);
  for (let element = nextNode(walker); element; element = nextNode(walker)) surveyElement(tree, element);
  return tree;
};

/** Adds a tree, and the shadow trees in it. A root can come without any change to its host. */
const addTree = (survey, tree) => {
  survey.odd = survey.odd.concat(tree.odd);
  survey.tagged = survey.tagged.concat(tree.tagged);
  survey.art = survey.art || tree.art;
  for (const host of tree.hosts) {
    const root = shadowOf(host);
    if (root === null) continue;
    meetRoot(root);
    survey.odd.push(host);
    survey.roots.push(root);
    addTree(survey, surveyTree(root));
  }
  for (const host of tree.empty) if (shadowOf(host) === null && !isAsked(host) && isSuspect(host)) survey.suspects.push(host);
};

/** What of the survey a tag is for, in one look instead of six. */
const HOST = 1, ODD = 2, ART = 4, TAGGED = 8;

/** @type {Map<string, number>} */
const tagKinds = new Map();

const tagKind = (tag) => {
  const host = HOST_TAGS.has(tag) || tag.includes('-') ? HOST : 0;
  const odd = FIELD_TAGS.has(tag) || FRAME_TAGS.has(tag) || tag === 'slot' ? ODD : 0;
  const kind = host | odd | (tag === 'pre' ? ART : 0) | (FURNITURE_TAGS.has(tag) ? TAGGED : 0);
  // A page can invent any number of tags.
  if (tagKinds.size < 500) tagKinds.set(tag, kind);
  return kind;
};

/**
 * Interfaces with tags of one kind: a prototype is told without asking the DOM for a name.
 * @type {Map<object, number>}
 */
const interfaceKinds = new Map(
  [
    [HTMLAnchorElement, 'a'],
    [HTMLButtonElement, 'button'],
    [HTMLDivElement, 'div'],
    [HTMLHeadingElement, 'h1'],
    [HTMLImageElement, 'img'],
    [HTMLInputElement, 'input'],
    [HTMLLIElement, 'li'],
    [HTMLOptionElement, 'option'],
    [HTMLParagraphElement, 'p'],
    [HTMLSpanElement, 'span'],
    [HTMLTableCellElement, 'td'],
    [HTMLTableRowElement, 'tr'],
    [HTMLUListElement, 'ul'],
  ].map((/** @type {any} */ [{ prototype }, tag]) => [prototype, tagKind(tag)]),
);

const tagKindOf = (element) => {
  const kind = interfaceKinds.get(Object.getPrototypeOf(element));
  if (kind !== undefined) return kind;
  const tag = localName(element);
  return tagKinds.get(tag) ?? tagKind(tag);
};

/** @param {TreeSurvey} tree */
const surveyElement = (tree, element) => {
  const kind = tagKindOf(element);
  if (kind === 0) return;
  if (kind & HOST) {
    tree.hosts.push(element);
    if (firstElementChild(element) === null || localName(element).includes('-')) tree.empty.push(element);
  }
  if (kind & ODD) tree.odd.push(element);
  if (kind & ART) tree.art = true;
  if (kind & TAGGED) tree.tagged.push(element);
};
