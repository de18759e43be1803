// The title of the page: how much waits for the person.

import { overview, waitingCount } from './overview.ts';
import { talk, waitingQuestions } from './talk.ts';

/** Keeps the title until `signal` ends it. */
export function followTitle(signal: AbortSignal): void {
  const ends = [overview.subscribe(update), talk.subscribe(update)];
  signal.addEventListener('abort', () => ends.forEach((end) => end()));
  update();
}

function update(): void {
  const count = waitingCount(overview.value.response) + waitingQuestions(talk.value).length;
  document.title = `${count > 0 ? `(${count}) ` : ''}browse dashboard`;
}
