// Style sheets of other origins, which no script may read. The daemon is told of
// each, and hands over what the browser got from its address, and from those that
// it imports; until then, and where the browser has nothing, any element with text
// may be hidden by it, and the answer says that not all of it was looked at.

const CLOSED = freshRuling(true);

/** What was found out. By sheet and not by address: what is loaded again may say something else. @type {WeakMap<CSSStyleSheet, Ruling>} */
const learntRulings = new WeakMap();

/** Those that the daemon is to ask the browser about, by number. @type {Map<number, CSSStyleSheet>} */
const wantedSheets = new Map();

/** Those that it was told of and has not answered. @type {Map<number, WeakRef<CSSStyleSheet>>} */
const askedSheets = new Map();

let lastSheet = 0;

/** Sheets of a page that answers never come for. */
const MOST_UNANSWERED = 200;

const closedRuling = (sheet) => {
  const learnt = learntRulings.get(sheet);
  if (learnt) return learnt;
  if (sheet.href && ![...wantedSheets.values()].includes(sheet)) wantedSheets.set(++lastSheet, sheet);
  return CLOSED;
};

/** @returns {{sheet: number, url: string}[]} Those wanted since the last call. */
const takeWantedSheets = () => {
  if (askedSheets.size > MOST_UNANSWERED) askedSheets.clear();
  const wanted = [];
  for (const [number, sheet] of wantedSheets) {
    askedSheets.set(number, new WeakRef(sheet));
    wanted.push({ sheet: number, url: whole(sheet.href) });
  }
  wantedSheets.clear();
  return wanted;
};

/** Takes over all that came for sheets; null where the browser has nothing to give. @param {[number, ?string[]][]} answers */
const learnSheets = (answers) => {
  forgetLooks();
  for (const [number, texts] of answers) {
    const sheet = askedSheets.has(number) ? askedSheets.get(number).deref() : undefined;
    askedSheets.delete(number);
    if (sheet) learntRulings.set(sheet, foreignRuling(texts));
  }
};

/** @param {?string[]} texts @returns {Ruling} */
const foreignRuling = (texts) => {
  if (texts === null) return CLOSED;
  const ruling = freshRuling(false);
  for (const text of texts) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    const listed = { texts: [], imports: [] };
    listRules(listed, sheet.cssRules, '');
    mergeRuling(ruling, rulingOn(listed));
  }
  return ruling;
};
