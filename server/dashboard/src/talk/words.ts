// What is said of a message, and which sessions have a conversation.

import type { OverviewResponse, TalkMessage } from '../rpc/contract.ts';
import { isWaitingQuestion, type Talk } from '../state/talk.ts';
import { clockText } from '../ui/time.tsx';

/** Characters that the daemon takes of a note or an answer. */
export const MAX_TEXT = 4_000;

const VERBS: Record<string, string> = { say: 'says', question: 'asks', note: 'writes' };

export function headText({ kind, client }: TalkMessage): string {
  return `${client} ${VERBS[kind] ?? kind}`;
}

/** The state with its time, and the class of its chip; nothing for what an agent said. */
export function stateOf(message: TalkMessage): { text: string; chip: string } | undefined {
  const { state, until } = message;
  if (!state) return undefined;
  if (isWaitingQuestion(message)) return { text: until ? `waiting until ${clockText(until)}` : state, chip: 'warn' };
  return { text: state, chip: state === 'answered' || state === 'read' ? 'good' : '' };
}

/** The open sessions, and those that a message names. */
export function sessionsOf(response: OverviewResponse | undefined, { messages }: Talk): string[] {
  const open = (response?.sessions ?? []).map(({ name }) => name);
  return [...new Set([...open, ...(messages ?? []).map(({ session }) => session)])];
}

/** The session to show when none is chosen: where an agent waits, or else where the last message is. */
export function firstSession(names: string[], { messages = [] }: Talk): string | undefined {
  return messages.find(isWaitingQuestion)?.session ?? messages.at(-1)?.session ?? names[0];
}
