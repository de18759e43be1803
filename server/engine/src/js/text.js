// The text a style makes of a document: transforms and generated content.
//
// Asking for the style of every ::before and ::after would double the cost of
// a walk, so the style sheets are searched once for rules that matter. A sheet
// of another origin cannot be read and counts as one that has such rules.

import { callContext } from './call-context.js';
import { SKIPPING_STYLE } from './details.js';
import { ELEMENT, adoptedSheets, documentSheets, localName, nodeType, styleOf } from './dom.js';
import { attribute, textContent } from './primordials.js';
import { hasAny } from './dom-cache.js';

/** @type {WeakMap<CSSStyleSheet, {length: number, transform: boolean, generated: boolean, skipping: boolean}>} */
const knownSheets = new WeakMap();

const GENERATED = /:(?:before|after)\b/i;
const TRANSFORM = /text-transform/i;
const SKIPPING = /content-visibility/i;

export const sheetFacts = (sheet) => {
  let rules;
  try {
    rules = sheet.cssRules;
  } catch {
    return { length: -1, transform: true, generated: true, skipping: true };
  }
  const known = knownSheets.get(sheet);
  if (known && known.length === rules.length) return known;
  const owner = sheet.ownerNode;
  const facts = { length: rules.length, transform: false, generated: false, skipping: false };
  if (owner && nodeType(owner) === ELEMENT && localName(owner) === 'style' && !/@import/i.test(textContent(owner)) && textContent(owner).length > 0) {
    note(facts, textContent(owner));
  } else {
    for (let index = 0; index < rules.length && !(facts.transform && facts.generated && facts.skipping); index++) noteRule(facts, rules[index]);
  }
  knownSheets.set(sheet, facts);
  return facts;
};

const note = (facts, css) => {
  facts.transform = facts.transform || TRANSFORM.test(css);
  facts.generated = facts.generated || GENERATED.test(css);
  facts.skipping = facts.skipping || SKIPPING.test(css);
};

const noteRule = (facts, rule) => {
  if (rule.styleSheet) {
    const inner = sheetFacts(rule.styleSheet);
    facts.transform = facts.transform || inner.transform;
    facts.generated = facts.generated || inner.generated;
    facts.skipping = facts.skipping || inner.skipping;
  } else note(facts, rule.cssText);
};

/** Looks through the sheets of the document and of the given shadow roots. */
export const readSheets = (roots) => {
  callContext.usesTransform = hasAny('[style*="text-transform" i]');
  callContext.usesGenerated = false;
  callContext.usesSkipping = hasAny(SKIPPING_STYLE);
  const search = (sheets) => {
    for (let index = 0; index < sheets.length; index++) {
      if (sheets[index].disabled) continue;
      const facts = sheetFacts(sheets[index]);
      callContext.usesTransform = callContext.usesTransform || facts.transform;
      callContext.usesGenerated = callContext.usesGenerated || facts.generated;
      callContext.usesSkipping = callContext.usesSkipping || facts.skipping;
    }
  };
  search(documentSheets(document));
  search(adoptedSheets(document));
  for (const root of roots) {
    search(root.styleSheets);
    search(root.adoptedStyleSheets);
  }
};

/** Icon fonts live in the private use areas; nobody can read them. */
export const PRIVATE_USE = /[\uE000-\uF8FF]|[\u{F0000}-\u{FFFFD}]|[\u{100000}-\u{10FFFD}]/gu;

/** The text of a text node as rendered in `parent`. */
export const renderedText = (data, parent) => {
  if (!callContext.usesTransform) return data;
  const transform = styleOf(parent).textTransform;
  if (transform === 'none') return data;
  if (transform.includes('uppercase')) return data.toLocaleUpperCase();
  if (transform.includes('lowercase')) return data.toLocaleLowerCase();
  if (transform.includes('capitalize')) return data.replace(/(^|[^\p{L}\p{N}\p{M}'’_])(\p{L})/gu, (_, before, letter) => before + letter.toLocaleUpperCase());
  return data;
};

/** The text of ::before or ::after. @param {Element} element @param {string} pseudo */
export const generatedText = (element, pseudo) => {
  if (!callContext.usesGenerated) return '';
  const style = styleOf(element, pseudo);
  const content = style.content;
  if (content === 'none' || content === 'normal' || style.display === 'none' || style.visibility !== 'visible') return '';
  const text = contentText(element, content);
  if (/\p{L}{2}[^]*\s[^]*\p{L}{2}/u.test(text)) callContext.spokenByStyle += 1;
  return style.display.startsWith('inline') || text === '' ? text : ` ${text} `;
};

const CONTENT_PART = /"((?:[^"\\]|\\.)*)"|attr\(([^)\s,]+)[^)]*\)|\/|[^\s"]+/g;

/** The strings of a computed `content`; what stands behind a slash is its alternative text. */
const contentText = (element, content) => {
  let text = '';
  for (const [token, string, name] of content.matchAll(CONTENT_PART)) {
    if (token === '/') text = '';
    else if (string !== undefined) text += string.replace(/\\([0-9a-f]{1,6})\s?|\\(.)/gi, (_, hex, plain) => (hex ? String.fromCodePoint(parseInt(hex, 16)) : plain));
    else if (name) text += attribute(element, name) || '';
  }
  return text.replace(PRIVATE_USE, '');
};
