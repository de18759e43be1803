// Whether the daemon answers.

import { Store } from './store.ts';

export const connection = new Store<{ state: 'up' | 'down'; since: number }>({ state: 'up', since: Date.now() });

/** A call was answered. */
export function markUp(): void {
  if (connection.value.state === 'down') connection.set({ state: 'up', since: Date.now() });
}

/** A call did not reach the daemon. */
export function markDown(): void {
  if (connection.value.state === 'up') connection.set({ state: 'down', since: Date.now() });
}
