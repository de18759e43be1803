// What nobody is shown: passwords, one-time codes and card numbers, whatever
// reads them. The one rule is `isSecret`.

/** Stands in the place of a secret in markup. */
const MASK = '[redacted]';

/** Autofill fields that hold secrets, whatever their type. */
const SECRET_AUTOFILL = /(?:^|\s)(?:current-password|new-password|one-time-code|cc-number|cc-csc|cc-exp|cc-exp-month|cc-exp-year)(?:\s|$)/i;

/** Types in which a page may ask for a secret without saying so. */
const PLAIN_TYPES = new Set(['text', 'tel', 'number', 'search', 'url', 'hidden']);

/** Names of fields that hold secrets, their words parted by dashes. */
const SECRET_NAME = /passw(?:or)?d|pass-?(?:phrase|code)|(?:^|-)(?:pass|pwd|otp|totp|pin|csc|cv[cv]2?)\d*(?:$|-\d|-(?:input|field|confirm|repeat|again)(?:$|-))|(?:card|cc)-?(?:no|num|number)(?:$|-)|(?:one-?time|otp|totp|2-?fa|mfa|sms|verification|verify|security|authentication|auth|login|backup|recovery)-?code|(?:^|-)(?:seed|recovery)-?phrase/;

/** Fields that were passwords once: a page may show what is typed there. @type {WeakSet<Element>} */
const oncePasswords = new WeakSet();

/** Passwords, codes and card numbers. */
const isSecret = (element) => {
  if (!isFormControl(element)) return false;
  if (element instanceof HTMLInputElement) {
    const type = inputType(element);
    if (type === 'password') {
      oncePasswords.add(element);
      return true;
    }
    if (oncePasswords.has(element) || (PLAIN_TYPES.has(type) && isSecretlyNamed(element))) return true;
  } else if (element instanceof HTMLTextAreaElement && isSecretlyNamed(element)) return true;
  return SECRET_AUTOFILL.test(attribute(element, 'autocomplete') || '');
};

const isSecretlyNamed = (element) => saysSecret(attribute(element, 'name')) || saysSecret(attribute(element, 'id'));

const saysSecret = (name) => name !== null && name !== '' && SECRET_NAME.test(name.replace(/([a-z])([A-Z])/g, '$1-$2').replace(/[^A-Za-z0-9]+/g, '-').toLowerCase());

/** The fields with secrets of this document, those in shadow trees included. @returns {Element[]} */
const secretFields = () => {
  const top = documentElement(document);
  const found = top ? list(selectAll(top, 'input,textarea')).filter(isSecret) : [];
  for (const root of knownRoots()) found.push(...list(shadowSelectAll(root, 'input,textarea')).filter(isSecret));
  return found;
};

/** What secret fields hold, and what their markup says. @returns {{secrets: string[]}} */
const secrets = () => {
  beginCall();
  const held = new Set();
  for (const field of secretFields()) {
    const isInput = field instanceof HTMLInputElement;
    held.add(isInput ? inputValue(field) : areaValue(field)).add(attribute(field, 'value') || '').add(isInput ? '' : textContent(field));
  }
  held.delete('');
  return { secrets: [...held].map(whole), suspects: 0 };
};

/** Markup of this document without the secrets that stand in it. @param {string} markup */
const maskSecrets = (markup) => {
  let masked = markup;
  for (const field of secretFields()) {
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
