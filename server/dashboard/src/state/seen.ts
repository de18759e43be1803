// Which messages of agents the person has had before the eyes; kept as long as the tab.

import type { TalkMessage } from '../rpc/contract.ts';
import { Store } from './store.ts';
import type { Talk } from './talk.ts';

const KEY = 'browse-dashboard-seen';

export const seen = new Store<ReadonlySet<string>>(new Set(read()));

/** What agents said that was not seen, in one session or in all. */
export function unseenSays({ messages }: Talk, session?: string): TalkMessage[] {
  return (messages ?? []).filter(
    (message) =>
      message.kind === 'say' &&
      (session === undefined || message.session === session) &&
      !seen.value.has(keyOf(message)),
  );
}

/** Marks what was said in a session; forgets what is not kept any more. */
export function markSeen({ messages = [] }: Talk, session: string): void {
  const says = messages.filter(({ kind }) => kind === 'say');
  const keys = says
    .filter((message) => message.session === session || seen.value.has(keyOf(message)))
    .map((message) => keyOf(message));
  if (keys.length === seen.value.size && keys.every((key) => seen.value.has(key))) return;
  sessionStorage.setItem(KEY, JSON.stringify(keys));
  seen.set(new Set(keys));
}

/** Numbers may begin again with another daemon. */
function keyOf({ id, time }: TalkMessage): string {
  return `${id} ${time}`;
}

function read(): string[] {
  return JSON.parse(sessionStorage.getItem(KEY) ?? '[]') as string[];
}
