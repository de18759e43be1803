// The calls of all clients, the last 2,000. They are followed while a view shows them: a
// browser opens six connections to a daemon at most, for all of its windows.

import { useEffect } from 'preact/hooks';
import type { ActivityEntry } from '../rpc/contract.ts';
import { follow } from '../rpc/follow.ts';
import type { CallError } from '../rpc/error.ts';
import { hasScope } from './login.ts';
import { Store, useStore } from './store.ts';

export interface NumberedEntry extends ActivityEntry {
  number: number;
}

export interface Activity {
  entries: NumberedEntry[];
  problem?: CallError;
}

/** As many as the daemon keeps. */
export const MAX_ENTRIES = 2_000;

/** Oldest first. */
const activity = new Store<Activity>({ entries: [] });

/** The calls so far; they are followed until the component goes. */
export function useActivity(): Activity {
  useEffect(() => {
    const abort = new AbortController();
    followActivity(abort.signal);
    return () => abort.abort();
  }, []);
  return useStore(activity);
}

function followActivity(signal: AbortSignal): void {
  activity.set({ entries: [] });
  if (!hasScope('meta')) return;
  const collector = new Collector();
  void follow(
    {
      method: 'DaemonService/Activity',
      pausesWhenHidden: true,
      request: () => ({ follow: true }),
      onOpen: () => collector.restart(),
      onMessage: ({ entry }) => entry && collector.add(entry),
      onError: (problem) => activity.patch({ problem }),
    },
    signal,
  );
}

/** Joins the entries of one frame of the screen into one change. */
class Collector {
  #entries: NumberedEntry[] = [];
  #number = 0;
  #isScheduled = false;

  /** A new stream begins with the entries so far. */
  restart(): void {
    this.#entries = [];
  }

  add(entry: ActivityEntry): void {
    this.#entries.push({ ...entry, number: this.#number });
    this.#number += 1;
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // Not an animation frame: those stop while the page is hidden.
    setTimeout(() => {
      this.#isScheduled = false;
      this.#entries = this.#entries.slice(-MAX_ENTRIES);
      activity.set({ entries: [...this.#entries] });
    }, 50);
  }
}
