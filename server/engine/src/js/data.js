// Structured data: what a page says about itself to machines.

import { documentSelectAll, documentTitle, tidy } from './dom.js';
import { absolute } from './forms.js';
import { whole } from './markup.js';
import { attribute, documentElement, list, textContent } from './primordials.js';

/** Prefixes of the Open Graph protocol and of its types. */
const OPEN_GRAPH = /^(?:og|article|book|profile|music|video|product|fb):/i;

/** Names whose values are keys of this very session. */
const SESSION_KEYS = /csrf|xsrf|nonce|authenticity|(?:^|[-_.])(?:auth|access|session)?[-_.]?token$/i;

/** @returns {{jsonld: string[], og: string[][], twitter: string[][], meta: string[][], problems: string[]}} */
export const data = () => {
  const answer = { jsonld: [], og: [], twitter: [], meta: pageFacts(), problems: [] };
  list(documentSelectAll(document, 'script[type]')).forEach((script) => {
    if (/^application\/ld\+json\b/i.test(attribute(script, 'type').trim())) linkedData(answer, textContent(script));
  });
  for (const meta of list(documentSelectAll(document, 'meta[content]'))) {
    const name = tidy(attribute(meta, 'property') || attribute(meta, 'name') || attribute(meta, 'itemprop') || attribute(meta, 'http-equiv') || '');
    if (name === '') continue;
    const group = OPEN_GRAPH.test(name) ? answer.og : /^twitter:/i.test(name) ? answer.twitter : answer.meta;
    group.push([whole(name), SESSION_KEYS.test(name) ? '' : whole(tidy(attribute(meta, 'content')))]);
  }
  return answer;
};

/** Parsed and written again, so that nothing hides behind an escape. */
const linkedData = (answer, source) => {
  const plain = source.replace(/^\s*(?:<!--|\/\/\s*<!\[CDATA\[|<!\[CDATA\[)/, '').replace(/(?:-->|\/\/\s*\]\]>|\]\]>)\s*$/, '').trim().replace(/;$/, '');
  if (plain === '') return;
  try {
    answer.jsonld.push(JSON.stringify(JSON.parse(plain)));
  } catch (/** @type {any} */ error) {
    answer.problems.push(whole(`a script of JSON-LD cannot be read: ${error.message}`.slice(0, 200)));
  }
};

/** What stands in elements of their own. */
const pageFacts = () => {
  const facts = [];
  const title = tidy(documentTitle(document));
  if (title) facts.push(['title', whole(title)]);
  const language = documentElement(document) && attribute(documentElement(document), 'lang');
  if (language) facts.push(['lang', whole(language)]);
  for (const link of list(documentSelectAll(document, 'link[rel][href]'))) {
    const relation = attribute(link, 'rel').trim().toLowerCase();
    if (!['canonical', 'amphtml', 'next', 'prev', 'author', 'license', 'shortlink'].includes(relation) && !isFeed(link, relation)) continue;
    facts.push([isFeed(link, relation) ? 'feed' : relation, whole(absolute(attribute(link, 'href')))]);
  }
  return facts;
};

const isFeed = (link, relation) => relation === 'alternate' && /application\/(?:rss|atom|feed)\+?/i.test(attribute(link, 'type') || '');
