// What nobody is shown: passwords, one-time codes and card numbers, whatever
// reads them. The one rule is `isSecret`.

import { attribute, inputType } from './primordials.js';

/** Stands in the place of a secret in markup. */
export const MASK = '[redacted]';

/** Autofill fields that hold secrets, whatever their type. */
const SECRET_AUTOFILL = /(?:^|\s)(?:current-password|new-password|one-time-code|cc-number|cc-csc|cc-exp|cc-exp-month|cc-exp-year)(?:\s|$)/i;

/** Types in which a page may ask for a secret without saying so. */
const PLAIN_TYPES = new Set(['text', 'tel', 'number', 'search', 'url', 'hidden']);

/** Names of fields that hold secrets, their words parted by dashes. */
const SECRET_NAME = /passw(?:or)?d|pass-?(?:phrase|code)|(?:^|-)(?:pass|pwd|otp|totp|pin|csc|cv[cv]2?)\d*(?:$|-\d|-(?:input|field|confirm|repeat|again)(?:$|-))|(?:card|cc)-?(?:no|num|number)(?:$|-)|(?:one-?time|otp|totp|2-?fa|mfa|sms|verification|verify|security|authentication|auth|login|backup|recovery)-?code|(?:^|-)(?:seed|recovery)-?phrase/;

/** Fields that were passwords once: a page may show what is typed there. The scripts of this world share it. @type {WeakSet<Element>} */
const oncePasswords = (globalThis.browseOncePasswords ??= new WeakSet());

export const isFormControl = (element) => element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement;

/** Passwords, codes and card numbers. */
export const isSecret = (element) => {
  if (!isFormControl(element)) return false;
  if (element instanceof HTMLInputElement) {
    const type = inputType(element);
    if (type === 'password') {
      oncePasswords.add(element);
      return true;
    }
    if (oncePasswords.has(element) || (PLAIN_TYPES.has(type) && isSecretlyNamed(element))) return true;
  } else if (element instanceof HTMLTextAreaElement && isSecretlyNamed(element)) return true;
  // On a field that chooses from a list it only keeps the browser from filling it in.
  const filled = attribute(element, 'autocomplete') || '';
  return SECRET_AUTOFILL.test(attribute(element, 'role') === 'combobox' ? filled.replace('new-password', '') : filled);
};

const isSecretlyNamed = (element) => saysSecret(attribute(element, 'name')) || saysSecret(attribute(element, 'id'));

const saysSecret = (name) => name !== null && name !== '' && SECRET_NAME.test(name.replace(/([a-z])([A-Z])/g, '$1-$2').replace(/[^A-Za-z0-9]+/g, '-').toLowerCase());
