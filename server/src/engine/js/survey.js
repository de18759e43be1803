// The survey of a text: one pass over all elements, before any is read.

/** Elements whose text is not that of their children. */
const FIELD_TAGS = new Set(['input', 'select', 'textarea']);

const FRAME_TAGS = new Set(['iframe', 'frame', 'object']);

/**
 * One pass over all elements, shadow trees included, for what the walk must
 * look at itself.
 * @param {Element} top
 * @returns {{odd: Element[], tagged: Element[], roots: ShadowRoot[], suspects: Element[], art: boolean}} `art`: lines may be drawn with dashes.
 */
const surveyText = (top) => {
  const survey = { odd: [], tagged: [], roots: [], suspects: [], art: false };
  if (!(top instanceof HTMLElement)) survey.odd.push(top);
  surveyElement(survey, top);
  surveyTree(survey, top);
  return survey;
};

/** A tree walker hands out elements in half the time of a list. */
const surveyTree = (survey, root) => {
  const walker = walkerOver(root, NodeFilter.SHOW_ELEMENT);
  for (let element = nextNode(walker); element; element = nextNode(walker)) surveyElement(survey, element);
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
  ].map(([{ prototype }, tag]) => [prototype, tagKind(tag)]),
);

const tagKindOf = (element) => {
  const kind = interfaceKinds.get(Object.getPrototypeOf(element));
  if (kind !== undefined) return kind;
  const tag = localName(element);
  return tagKinds.get(tag) ?? tagKind(tag);
};

const surveyElement = (survey, element) => {
  const kind = tagKindOf(element);
  if (kind === 0) return;
  if (kind & HOST) {
    const root = shadowOf(element);
    if (root) {
      meetRoot(root);
      survey.odd.push(element);
      survey.roots.push(root);
      surveyTree(survey, root);
    } else if ((firstElementChild(element) === null || localName(element).includes('-')) && !askedHosts.has(element) && isSuspect(element)) survey.suspects.push(element);
  }
  if (kind & ODD) survey.odd.push(element);
  if (kind & ART) survey.art = true;
  if (kind & TAGGED) survey.tagged.push(element);
};
