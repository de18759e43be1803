// Markup as a command answers it: text that is well formed, without what nobody
// is shown. It stands without the rest of the engine as well, see `build.rs`.

import { attribute, documentElement, innerHtml, list, outerHtml, selectAll, textContent } from './primordials.js';
import { MASK, isSecret } from './secrets.js';

export const whole = (text) => (text.isWellFormed() ? text : text.toWellFormed());

/** The document, its type before it. @returns {string} */
export const documentMarkup = () => {
  const top = documentElement(document);
  return whole(doctype() + (top ? maskSecrets(outerHtml(top), top) : ''));
};

const doctype = () => {
  const type = document.doctype;
  return type ? `${new XMLSerializer().serializeToString(type)}\n` : '';
};

/** What stands in an element. @param {Element} element @returns {string} */
export const innerMarkup = (element) => whole(element instanceof HTMLTextAreaElement && isSecret(element) ? MASK : maskSecrets(innerHtml(element), element));

/** Markup of an element without the secrets of the fields in it. @param {string} markup @param {Element} element */
const maskSecrets = (markup, element) => {
  let masked = markup;
  for (const field of list(selectAll(element, 'input,textarea'))) {
    if (!isSecret(field)) continue;
    const isArea = field instanceof HTMLTextAreaElement;
    if (isArea ? textContent(field) === '' : !attribute(field, 'value')) continue;
    // Alone, an element of XML names its namespace as well.
    const own = outerHtml(field).replace(/ xmlns="[^"]*"/, '');
    const inner = isArea ? innerHtml(field) : '';
    const bare = isArea ? own.replace(`>${inner}</`, () => `>${MASK}</`) : own.replace(/(\svalue=")[^"]*"/, (_, name) => `${name}${MASK}"`);
    masked = masked.split(own).join(bare);
  }
  return masked;
};
