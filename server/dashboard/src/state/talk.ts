// What agents and the person write to each other, as the daemon reports it while it changes.

import type { ReadTalkResponse, TalkMessage } from '../rpc/contract.ts';
import { asCallError, type CallError } from '../rpc/error.ts';
import { stream } from '../rpc/client.ts';
import { follow } from '../rpc/follow.ts';
import { becomesVisible, sleep } from '../rpc/wait.ts';
import { leadOrWait } from './leader.ts';
import { hasScope, login } from './login.ts';
import { notify } from './notify.ts';
import { Store } from './store.ts';

export interface Talk {
  /** Oldest first; absent until the first answer. */
  messages?: TalkMessage[];
  /** Why the last try failed, until one succeeds. */
  problem?: CallError;
}

const METHOD = 'DashboardService/ReadTalk';
/** The time after which another window has the stream, when this one has it not. */
const FIRST_POLL_MS = 500;
const POLL_MS = 4_000;
const POLL_TIMEOUT_MS = 10_000;

export const talk = new Store<Talk>({});

/** Follows the messages until `signal` ends it: by a stream, or by asking while another window has that. */
export function followTalk(signal: AbortSignal): void {
  talk.set({});
  if (hasScope('meta')) leadOrWait('browse-dashboard-talk', followStream, poll, signal);
}

/** The questions that an agent waits with, of one session or of all. */
export function waitingQuestions({ messages }: Talk, session?: string): TalkMessage[] {
  return (messages ?? []).filter(
    (message) => isWaitingQuestion(message) && (session === undefined || message.session === session),
  );
}

export function isWaitingQuestion({ kind, state }: TalkMessage): boolean {
  return kind === 'question' && state === 'waiting';
}

function followStream(signal: AbortSignal): Promise<void> {
  let isFirst = true;
  return follow(
    {
      method: METHOD,
      request: () => ({ follow: true }),
      // A stream begins with all messages.
      onOpen: () => (isFirst = true),
      onMessage: (response) => {
        const before = talk.value.messages;
        take(response, isFirst);
        isFirst = false;
        if (before) notifyOfQuestions(before, talk.value.messages ?? []);
      },
      onError: (problem) => talk.patch({ problem }),
    },
    signal,
  );
}

async function poll(signal: AbortSignal): Promise<void> {
  await sleep(FIRST_POLL_MS, signal);
  while (!signal.aborted && login.value.state === 'in') {
    await becomesVisible(signal);
    try {
      const options = { signal, timeoutMs: POLL_TIMEOUT_MS };
      for await (const response of stream(METHOD, {}, options)) take(response, true);
    } catch (cause) {
      if (!signal.aborted) talk.patch({ problem: asCallError(cause) });
    }
    await sleep(POLL_MS, signal);
  }
}

function take({ messages, removed }: ReadTalkResponse, isWhole: boolean): void {
  const known = isWhole ? [] : (talk.value.messages ?? []);
  const byId = new Map([...known, ...messages].map((message) => [message.id, message]));
  for (const id of removed) byId.delete(id);
  talk.set({ messages: [...byId.values()] });
}

function notifyOfQuestions(before: TalkMessage[], now: TalkMessage[]): void {
  const known = new Set(before.map(({ id }) => id));
  for (const message of now) {
    if (isWaitingQuestion(message) && !known.has(message.id))
      notify(`${message.client} asks in session ${message.session}`, message.text);
  }
}
