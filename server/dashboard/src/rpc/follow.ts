// A stream that is opened again whenever it ends.

import { login } from '../state/login.ts';
import { stream } from './client.ts';
import type { Streams } from './contract.ts';
import { asCallError, type CallError } from './error.ts';
import { becomesVisible, sleep } from './wait.ts';

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 4_000;

export interface Follower<M extends keyof Streams> {
  method: M;
  request: () => Streams[M]['request'];
  /** Ends it while nobody sees the page. */
  pausesWhenHidden?: boolean;
  /** Called before each try. */
  onOpen?: () => void;
  onMessage: (message: Streams[M]['response']) => void;
  /** Called when a try failed; the next one follows by itself. */
  onError: (error: CallError) => void;
}

/** Follows a stream until `signal` ends it, or the login ends. */
export async function follow<M extends keyof Streams>(follower: Follower<M>, signal: AbortSignal): Promise<void> {
  let delay = FIRST_DELAY_MS;
  while (!signal.aborted && login.value.state === 'in') {
    if (follower.pausesWhenHidden) await becomesVisible(signal);
    const attempt = follower.pausesWhenHidden ? untilHidden(signal) : { signal, end: () => {} };
    try {
      follower.onOpen?.();
      for await (const message of stream(follower.method, follower.request(), { signal: attempt.signal })) {
        delay = FIRST_DELAY_MS;
        follower.onMessage(message);
      }
    } catch (cause) {
      if (!attempt.signal.aborted) follower.onError(asCallError(cause));
    } finally {
      attempt.end();
    }
    await sleep(delay, signal);
    delay = Math.min(delay * 2, MAX_DELAY_MS);
  }
}

/** A signal that also ends when the page is hidden. */
function untilHidden(outer: AbortSignal): { signal: AbortSignal; end: () => void } {
  const abort = new AbortController();
  const check = () => (document.visibilityState === 'hidden' || outer.aborted) && abort.abort();
  document.addEventListener('visibilitychange', check);
  outer.addEventListener('abort', check);
  const end = () => {
    document.removeEventListener('visibilitychange', check);
    outer.removeEventListener('abort', check);
  };
  check();
  return { signal: abort.signal, end };
}
