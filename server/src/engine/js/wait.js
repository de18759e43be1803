// Waiting is asking again: each question is answered at once, so a question
// that nobody waits for any more leaves nothing behind in the page.

/** @param {{target: Target}} argument Whether something of the target shows; a dead ref never will. */
const shows = ({ target }) => {
  beginCall();
  return { is: findAll(target).some(isVisible) };
};

/** Whether nothing of the target shows any more; a dead ref is as hidden as can be. */
const vanished = ({ target }) => {
  beginCall();
  if (target.kind === 'ref' && !elementOf(target.number)) return { is: true };
  return { is: !findAll(target).some(isVisible) };
};

/** How many elements of the target are in the page, and how many of them show. */
const countTarget = ({ target }) => {
  beginCall();
  if (target.kind === 'ref' && !elementOf(target.number)) return { present: 0, visible: 0 };
  const found = findAll(target);
  return { present: found.length, visible: found.filter(isVisible).length };
};
