// What the daemon can call. Every command takes one object and answers JSON:
// its result, or `{error: reason, …}` for a refusal.

const COMMANDS = {
  snapshot,
  aim,
  settle,
  armEmpty,
  place,
  mapRect,
  fill,
  fillNext,
  choose,
  count,
  describe,
  attributes: attributesOf,
  html,
  secrets,
  value,
  box,
  unreveal,
  is,
  focus,
  resolve,
  scroll,
  text,
  links,
  forms,
  media,
  data,
  markdown,
  audit,
  hasText,
  shows,
  vanished,
  countTarget,
  drafts,
  restoreDrafts,
  watch,
  report,
  greeting,
  frameOf,
  stateIs,
  says,
  computed,
  perf,
  marks,
  mapMarks,
  extent,
  restyle,
  unstyle,
  introduce,
  cleanup,
  hideAll,
  declutter,
  showAt,
  putBack,
  watchDrag,
  dragState,
  fileField,
  footing,
  fieldNow,
  keepsake,
  outline,
  prepare,
  rehearse,
};

/** Commands that change nothing, and so may end anywhere. */
const READINGS = new Set('snapshot count describe attributes html secrets value box is text links forms media data markdown audit hasText shows vanished countTarget computed perf outline prepare rehearse'.split(' '));

/** An answer whose text is large: quoted once less than a string within JSON is. */
const withBody = (head, body) => `${JSON.stringify(head)}\n${whole(body)}`;

/** The answer of a call that threw. */
const sayNo = (error) => {
  if (error instanceof Refusal) return JSON.stringify(error.facts);
  return JSON.stringify({ error: 'engine', message: String(error && error.stack ? error.stack : error).slice(0, 500) });
};

/**
 * A reading that judges what is seen is not begun without what it wants. With
 * `supplied` that was asked for.
 * @param {string} command @param {object} argument @param {number=} until When a reading is to end. @returns {string|Promise<string>}
 */
const call = (command, argument, until) => {
  untilNow = until !== undefined && READINGS.has(command) ? until : Infinity;
  unseenNow = null;
  slottedNow.clear();
  rendersNow = argument.renders || '';
  restsOnKept = false;
  isDear = false;
  if (argument.seen) forgetRedrawn();
  try {
    const needs = argument.seen && !argument.supplied ? wants() : null;
    if (needs !== null && (needs.slots || needs.wanted.length > 0)) return JSON.stringify(needs);
    const answer = COMMANDS[command](argument);
    if (argument.seen) rememberDrawn();
    if (answer instanceof Promise) return answer.then((late) => JSON.stringify(late), sayNo);
    const said = typeof answer === 'string' ? answer : JSON.stringify(answer);
    return (restsOnKept ? KEPT_MARK : '') + (isDear ? DEAR_MARK : '') + said;
  } catch (error) {
    return sayNo(error);
  } finally {
    untilNow = Infinity;
    rulingsNow.clear();
    slottedNow.clear();
    picturesSeen = [];
    rendersNow = '';
  }
};

Object.defineProperty(globalThis, ENGINE, {
  value: Object.freeze({ call, heedClick, lookAgain, commit, object, fileInput, fileFacts: factsOfChosen, ownerWindows, findOwners, takeSuspects, adopt, listen: learnListening, learnSheets, takeHosts, learnSlots, lines: () => lastElements, isKept: () => restsOnKept }),
});
