// How a recorded step names its element again, on another day: by what its
// author meant to last, and by its place only when nothing else tells it.

/** Attributes that authors put there for programs. */
const TEST_IDS = ['data-testid', 'data-test-id', 'data-test', 'data-cy', 'data-qa'];

/** Parts of the page that are known without a name. */
const LANDMARK_ROLES = new Set(['main', 'navigation', 'banner', 'contentinfo', 'search', 'form', 'table', 'list', 'article', 'dialog']);

const LONGEST_NAME = 80;
const MOST_CANDIDATES = 4;

/** Ids that a program made up differ with the next visit. */
const MADE_UP = /\d{2,}|[^\w-]|[a-z]\d+[a-z]+\d|^(?:ember|react|radix|mui|headlessui|yui|ext|gwt|__)|^[0-9a-f]{8,}$|^.$|.{50,}/i;

/**
 * @param {{target: ?Target, reading: boolean}} argument Without a target the
 *   element that has the focus.
 * @returns What it is, and targets that find it and nothing else, best first.
 */
const footing = ({ target, reading }) => {
  beginCall();
  const element = target ? findOne(target) : focusedElement();
  if (!element) return { candidates: [] };
  const field = fieldOf(element);
  return { ...kindOf(element), ...nameOfField(field), ...whereTo(element), secret: isSecret(field), identity: identityOf(field), path: places(field).next().value.selector, text: takesText(field), value: textOf(field), candidates: !target || target.kind === 'ref' ? candidatesFor(element, reading) : [] };
};

/** Numbers of fields, by which a recording knows one again however it is named. @type {Map<number, WeakRef<Element>>} */
const identified = new Map();
/** Those of another document begin elsewhere. */
let lastIdentity = Math.floor(Math.random() * 2 ** 40) * 1000;

const identityOf = (field) => {
  for (const [identity, known] of identified) if (known.deref() === field) return identity;
  lastIdentity += 1;
  identified.set(lastIdentity, new WeakRef(field));
  return lastIdentity;
};

/** Text that is longer is not kept. */
const LONGEST_TEXT = 10_000;

/** What a field for text holds, unless that is a secret. */
const textOf = (field) => {
  if (isSecret(field) || !takesText(field)) return null;
  const text = valueOf(field, 'textbox');
  return text.length <= LONGEST_TEXT ? whole(text) : null;
};

const takesText = (field) => field instanceof HTMLTextAreaElement || (field instanceof HTMLInputElement ? !UNFILLABLE_TYPES.has(inputType(field)) && !PICKER_TYPES.has(inputType(field)) : field instanceof HTMLElement && isContentEditable(field));

/** @param {{identity: number, typed: ?string}} argument @returns What the field holds, and whether that is just what was typed. */
const fieldNow = ({ identity, typed }) => {
  const known = identified.get(identity);
  const field = known && known.deref();
  if (!field || !isConnected(field) || !takesText(field)) return {};
  const held = field instanceof HTMLInputElement ? inputValue(field) : field instanceof HTMLTextAreaElement ? areaValue(field) : textOf(field);
  return { value: textOf(field), asTyped: typeof typed === 'string' && held === typed };
};

/** What an element is, whatever it is called. */
const kindOf = (element) => ({ tag: localName(element), role: roleOf(element), type: element instanceof HTMLInputElement ? inputType(element) : '' });

const isControl = (element) => isFormControl(element) || element instanceof HTMLButtonElement || element instanceof HTMLAnchorElement;

const nameOfField = (field) => ({ label: isControl(field) ? whole(clip(nameOf(field, roleOf(field)))) : '', field: whole(clip(attribute(field, 'name') || attribute(field, 'id') || '')), autocomplete: whole(clip(attribute(field, 'autocomplete') || '')) });

/** The address that clicking it asks for, when that changes nothing on the server. */
const whereTo = (element) => {
  const link = closest(element, 'a[href]');
  if (link) return leadsTo(attribute(link, 'href'));
  const control = closest(element, 'button,input');
  const form = control && closest(control, 'form');
  if (!form || (attribute(control, 'formmethod') || attribute(form, 'method') || 'get').toLowerCase() !== 'get') return {};
  return leadsTo(attribute(control, 'formaction') || attribute(form, 'action') || '');
};

const leadsTo = (address) => (URL.canParse(address, document.baseURI) ? { leads: new URL(address, document.baseURI).href } : {});

const candidatesFor = (element, reading) => {
  const found = [];
  for (const query of namings(element, reading)) {
    if (found.length === MOST_CANDIDATES) break;
    if (finds(query, element)) found.push(query);
  }
  return found;
};

/** Whether the target finds this element, and no other. */
const finds = (query, element) => {
  try {
    const all = findAll(query);
    return all.length === 1 && all[0] === element;
  } catch {
    return false;
  }
};

/** Ways to name it, best first. What is read changes its text, so that is no way to name it. */
function* namings(element, reading) {
  const tag = localName(element);
  for (const name of TEST_IDS) if (hasAttribute(element, name)) yield cssQuery(`[${name}=${cssText(attribute(element, name))}]`);
  const id = attribute(element, 'id');
  if (id && !MADE_UP.test(id)) yield cssQuery(`#${id}`);
  const role = roleOf(element);
  const name = shortName(nameOf(element, role));
  if (reading) {
    if (isField(role, element) && name) yield { kind: 'label', name };
    if (LANDMARK_ROLES.has(role)) yield { kind: 'role', role, name: null, states: [] };
    yield* places(element);
  }
  if (name && !WRAPPERS.has(role)) yield { kind: 'role', role, name, states: [] };
  if (name && isField(role, element)) yield { kind: 'label', name };
  const shown = shortName(shownText(element, tag));
  if (shown) yield { kind: 'text', name: shown };
  for (const given of ['name', 'href']) if (attribute(element, given)) yield cssQuery(`${tag}[${given}=${cssText(attribute(element, given))}]`);
  yield* places(element);
}

const cssQuery = (selector) => ({ kind: 'css', selector });

const cssText = (text) => `"${text.replace(/["\\]/g, '\\$&')}"`;

const shortName = (text) => {
  const short = tidy(whole(text));
  return short && short.length <= LONGEST_NAME ? { text: short, regex: false, flags: '' } : null;
};

/** By its place: from the nearest element with a lasting id down, through shadow trees. */
function* places(element) {
  const root = rootNode(element);
  const within = placeIn(element);
  if (!(root instanceof ShadowRoot)) yield cssQuery(within);
  else for (const outer of places(shadowHost(root))) yield cssQuery(`${outer.selector} >>> ${within}`);
}

const placeIn = (element) => {
  const steps = [];
  for (let node = element; node && nodeType(node) === ELEMENT; node = parentNode(node)) {
    const id = attribute(node, 'id');
    if (node !== element && id && !MADE_UP.test(id)) return [`#${id}`, ...steps].join(' > ');
    const tag = localName(node);
    if (tag === 'body' || tag === 'html') return [tag, ...steps].join(' > ');
    steps.unshift(`${CSS.escape(tag)}${nthOfType(node, tag)}`);
  }
  return steps.join(' > ');
};

const nthOfType = (element, tag) => {
  const parent = parentNode(element);
  let same = 0;
  let place = 0;
  for (let child = parent && firstChild(parent); child; child = nextSibling(child)) {
    if (nodeType(child) !== ELEMENT || localName(child) !== tag) continue;
    same += 1;
    if (child === element) place = same;
  }
  return same > 1 ? `:nth-of-type(${place})` : '';
};
