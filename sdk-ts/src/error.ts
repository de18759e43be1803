// The one error of the SDK, and how it is read from an answer.

import type { Message } from './table.ts';

/** Words of a page that an error quotes: what they are, and what they say. */
export interface Quote {
  about: string;
  text: string;
}

/** Why a call failed. Message and hint are the daemon's own words. */
export class BrowseError extends Error {
  /** Reason, as `docs/errors.md` lists them: `REF_STALE`. */
  readonly reason: string;
  /** What to do next. */
  readonly hint: string;
  /** The values that the message is made of. */
  readonly metadata: Record<string, string>;
  /** What a page chose, such as the name of what covers an element: untrusted. */
  readonly page: Quote[];
  /** The gRPC status code. */
  readonly code: number;

  constructor(reason: string, message: string, details: { hint?: string; metadata?: Record<string, string>; page?: Quote[]; code?: number } = {}) {
    super(message);
    this.name = 'BrowseError';
    this.reason = reason;
    this.hint = details.hint ?? '';
    this.metadata = details.metadata ?? {};
    this.page = details.page ?? [];
    this.code = details.code ?? 2;
  }

  /** Whether the same call may succeed later, and did nothing so far. */
  get retryable(): boolean {
    return 'retry_ms' in this.metadata || (this.code === 14 && this.metadata.retryable !== 'false');
  }
}

/** What answers is no daemon, and why that is known. */
export class Stranger extends Error {}

/** What a client says when nobody answers. */
export function unreachable(address: string, cause: unknown, hint = 'Run `browse status`'): BrowseError {
  const why = cause instanceof Error ? cause.message || String((cause as { code?: string }).code) : String(cause);
  return new BrowseError('DAEMON_UNREACHABLE', `\`${address}\` does not answer: ${why}`, {
    hint,
    code: 14,
  });
}

/** What a client says when the server is not a daemon; `hint` is what to do about a remote one. */
export function foreign(address: string, what: string, hint: string | undefined): BrowseError {
  if (hint === undefined) return unreachable(address, clean(what));
  return new BrowseError('REMOTE_FOREIGN', `what answers at \`${address}\` is not a daemon of browse: ${clean(what)}`, { hint, code: 9 });
}

/** The names of the codes in the Connect protocol, in the order of their numbers. */
const CODES = 'canceled unknown invalid_argument deadline_exceeded not_found already_exists permission_denied resource_exhausted failed_precondition aborted out_of_range unimplemented internal unavailable data_loss unauthenticated';

/** What to call an answer without a reason, by its gRPC code. */
const GRPC_REASONS: Record<number, string> = { 4: 'DEADLINE_EXCEEDED', 8: 'TOO_LARGE', 12: 'METHOD_UNKNOWN', 14: 'DAEMON_UNREACHABLE' };

/** Reads an error of the Connect protocol. */
export function errorOf(document: Message): BrowseError {
  const code = CODES.split(' ').indexOf(String(document.code)) + 1 || 2;
  const { reason, hint, metadata } = detailOf(document, 'google.rpc.ErrorInfo');
  const { page } = detailOf(document, 'browse.v1.ErrorPage');
  const name = clean(textOf(reason)).replace(/\n/g, ' ') || GRPC_REASONS[code] || 'BUG';
  const quotes = Array.isArray(page) ? (page as Message[]) : [];
  return new BrowseError(name, clean(textOf(document.message)) || `the daemon answered with code ${code} and no word`, {
    hint: clean(textOf(hint)) || `See \`${name}\` in docs/errors.md`,
    metadata: { ...(metadata as Record<string, string>) },
    page: quotes.map(({ about, text }) => ({ about: clean(textOf(about)), text: clean(textOf(text)) })),
    code,
  });
}

/** Whether an error says its reason, as a daemon's always does. */
export function givesReason(document: Message): boolean {
  return textOf(detailOf(document, 'google.rpc.ErrorInfo').reason) !== '';
}

/** What the first detail of this type says; empty where there is none. */
function detailOf({ details }: Message, type: string): Message {
  const found = Array.isArray(details) ? (details as (Message | null)[]).find((detail) => detail?.type === type)?.debug : undefined;
  return typeof found === 'object' && found !== null ? (found as Message) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Text without what would drive a terminal. */
export function clean(text: string): string {
  return text.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, ' ');
}
