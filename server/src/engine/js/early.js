// The early word: a click is told of once the page has handled it, in answer to a
// question that came in the flight of the click itself. The daemon would otherwise
// ask when the browser says that it is through with the click, a flight later.
//
// It is only ever good news. Whatever else becomes of a click, the daemon asks for.

/** @type {?{token: number, count: number, say: (answer: string) => void}} Who waits for it. */
let listener = null;

/** @type {?{token: number, answer: object}} What was said last, for a daemon that asks as well. */
let early = null;

/**
 * @param {number} token Of the guard.
 * @param {number} count Clicks in a row.
 * @returns {Promise<string>} What `settle` answers; empty when that is to be asked for.
 */
const heedClick = (token, count) =>
  new Promise((say) => {
    hushEarly();
    listener = { token, count, say };
    sayEarly();
  });

/** Says it when the last click of the gesture was heard. */
const sayEarly = () => {
  if (!listener || !armed || armed.token !== listener.token || armed.clicks < listener.count) return;
  const { token, say } = listener;
  listener = null;
  // The page's own handlers come first, and what they put off until later.
  setTimeout(() => setTimeout(() => say(JSON.stringify(tellEarly(token) || ''))));
};

const tellEarly = (token) => {
  if (!armed || armed.token !== token || armed.verdict !== 'delivered') return null;
  early = { token, answer: settle({ token }) };
  return early.answer;
};

/** Nobody waits any more. */
const hushEarly = () => {
  if (listener) listener.say('');
  listener = null;
};

const saidEarly = (token) => (early && early.token === token ? early.answer : null);
