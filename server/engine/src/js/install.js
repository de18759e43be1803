// What the daemon can call. Every command takes one object and answers JSON:
// its result, or `{error: reason, …}` for a refusal.

import { aim } from './aim.js';
import { atPoint } from './at-point.js';
import { audit } from './audit.js';
import { callContext } from './call-context.js';
import { lookAgain, report, watch } from './changes.js';
import { cleanup } from './cleanup.js';
import { learnListening } from './clickable.js';
import { data } from './data.js';
import { drafts, restoreDrafts } from './drafts.js';
import { dragState, watchDrag } from './drag.js';
import { fillNext } from './editing.js';
import { countTarget, says, shows, stateIs, vanished } from './expect.js';
import { attributesOf, box, count, describe, focus, html, is, object, resolve, secrets, unreveal, value } from './facts.js';
import { choose, factsOfChosen, fileField, fileInput, fill } from './fill.js';
import { fieldNow, footing, scrubbedHtml } from './selector-generator.js';
import { forms } from './forms.js';
import { findOwners, frameOf, ownerWindows } from './frames.js';
import { armEmpty, heedClick, settle } from './guard.js';
import { prepare } from './hidden-cache.js';
import { markdown } from './markdown.js';
import { declutter, extent, hideAll, mapMarks, mapRect, marks, place, putBack, showAt } from './marks.js';
import { whole } from './markup.js';
import { hasText, links, media } from './media.js';
import { greeting } from './page-changes.js';
import { outline } from './outline.js';
import { perf } from './perf.js';
import { text } from './read.js';
import { commit } from './refs.js';
import { Refusal } from './refusal.js';
import { scroll } from './scroll.js';
import { lastElements, snapshot, takeSuspects } from './snapshot.js';
import { computed, introduce, restyle, unstyle } from './style.js';
import { adopt, slottedNow } from './tree.js';

/** What the daemon finds the script by in the world of a document. */
const ENGINE = 'browseEngine';

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
  atPoint,
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
  scrubbedHtml,
  outline,
  prepare,
};

/** Commands that change nothing, and so may end anywhere. */
const READINGS = new Set('snapshot count describe attributes html secrets value box is text links forms media data markdown audit hasText shows vanished countTarget computed perf outline prepare atPoint'.split(' '));

/** An answer whose text is large: quoted once less than a string within JSON is. */
export const withBody = (head, body) => `${JSON.stringify(head)}\n${whole(body)}`;

/** The answer of a call that threw. */
const sayNo = (error) => {
  if (error instanceof Refusal) return JSON.stringify(error.facts);
  return JSON.stringify({ error: 'engine', message: String(error && error.stack ? error.stack : error).slice(0, 500) });
};

/**
 * @param {string} command @param {object} argument @param {number=} until When a reading is to end. @returns {string|Promise<string>}
 */
const call = (command, argument, until) => {
  callContext.deadline = until !== undefined && READINGS.has(command) ? until : Infinity;
  callContext.hidden = null;
  slottedNow.clear();
  try {
    const answer = COMMANDS[command](argument);
    if (answer instanceof Promise) return answer.then((late) => JSON.stringify(late), sayNo);
    return typeof answer === 'string' ? answer : JSON.stringify(answer);
  } catch (error) {
    return sayNo(error);
  } finally {
    callContext.deadline = Infinity;
    slottedNow.clear();
  }
};

Object.defineProperty(globalThis, ENGINE, {
  value: Object.freeze({ call, heedClick, lookAgain, commit, object, fileInput, fileFacts: factsOfChosen, ownerWindows, findOwners, takeSuspects, adopt, listen: learnListening, lines: () => lastElements }),
});
