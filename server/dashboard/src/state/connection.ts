// Whether the daemon answers.

import { Store } from './store.ts';

export const connection = new Store<{ state: 'up' | 'down'; since: number }>({ state: 'up', since: Date.now() });

/** A call that began at a time was answered; one that began before the daemon went away says nothing. */
export function markUp(began: number): void {
  const { state, since } = connection.value;
  if (state === 'down' && began >= since) connection.set({ state: 'up', since: Date.now() });
}

/** A call did not reach the daemon. */
export function markDown(): void {
  if (connection.value.state === 'up') connection.set({ state: 'down', since: Date.now() });
}
