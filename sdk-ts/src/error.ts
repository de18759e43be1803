// The one error of the SDK, and how it is read from an answer.

import { entries, readText } from './decode.ts';

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

/** What a client says when what answers is no daemon; `pinned` for one elsewhere. */
export function foreign(address: string, what: string, pinned: boolean): BrowseError {
  if (!pinned) return unreachable(address, clean(what));
  const hint = 'Ask the owner to look at `browse tunnel status`, and for a new block; the call may have been carried out';
  return new BrowseError('REMOTE_FOREIGN', `what answers at \`${address}\` is no daemon of browse: ${clean(what)}`, { hint, code: 9 });
}

/** Reads the error of an answer; undefined when the status is OK. */
export function errorOf(trailers: Map<string, string>): BrowseError | undefined {
  const status = trailers.get('grpc-status') ?? '';
  // What is no number is no success either.
  const code = /^\d+$/.test(status) ? Number(status) : 2;
  if (code === 0) return undefined;
  const message = percentDecode(trailers.get('grpc-message') ?? '') || `the daemon answered with code ${code} and no word`;
  const { reason, metadata, page } = errorInfo(trailers);
  const { hint, ...rest } = metadata;
  const name = reason || GRPC_REASONS[code] || 'BUG';
  return new BrowseError(name, message, { hint: clean(hint ?? '') || `See \`${name}\` in docs/errors.md`, metadata: rest, page, code });
}

/** What to call an answer without a reason, by its gRPC code. */
const GRPC_REASONS: Record<number, string> = { 4: 'DEADLINE_EXCEEDED', 8: 'TOO_LARGE', 12: 'METHOD_UNKNOWN', 14: 'DAEMON_UNREACHABLE' };

interface Info {
  reason: string;
  metadata: Record<string, string>;
  page: Quote[];
}

/** Whether the error of an answer says its reason, as a daemon's always does. */
export function givesReason(trailers: Map<string, string>): boolean {
  return errorInfo(trailers).reason !== '';
}

/** The reason of an answer and its values; none where they cannot be read. */
function errorInfo(trailers: Map<string, string>): Info {
  try {
    const { reason, metadata, page } = readDetails(trailers.get('grpc-status-details-bin') ?? '');
    return { reason: clean(reason).replace(/\n/g, ' '), metadata, page };
  } catch {
    return { reason: '', metadata: {}, page: [] };
  }
}

/** Reads google.rpc.ErrorInfo and browse.v1.ErrorPage from the details of a google.rpc.Status. */
function readDetails(details: string): Info {
  const info: Info = { reason: '', metadata: {}, page: [] };
  const bytes = Uint8Array.from(atob(details), (letter) => letter.charCodeAt(0));
  for (const any of children(bytes, 3)) {
    const [type] = children(any, 1);
    const [body] = children(any, 2);
    if (!type || !body) continue;
    if (readText(type).endsWith('/browse.v1.ErrorPage')) {
      for (const quote of children(body, 1)) {
        const [about, text] = [children(quote, 1)[0], children(quote, 2)[0]];
        info.page.push({ about: about ? clean(readText(about)) : '', text: text ? clean(readText(text)) : '' });
      }
    }
    if (!readText(type).endsWith('/google.rpc.ErrorInfo')) continue;
    const [reason] = children(body, 1);
    if (reason) info.reason = readText(reason);
    for (const entry of children(body, 3)) {
      const [key, value] = [children(entry, 1)[0], children(entry, 2)[0]];
      if (key) info.metadata[readText(key)] = value ? readText(value) : '';
    }
  }
  return info;
}

/** The values of field `wanted` of a message, as bytes. */
function children(bytes: Uint8Array, wanted: number): Uint8Array[] {
  const found: Uint8Array[] = [];
  for (const [number, raw] of entries(bytes)) {
    if (number === wanted && typeof raw !== 'number') found.push(raw);
  }
  return found;
}

/** Text without what would drive a terminal. */
function clean(text: string): string {
  return text.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, ' ');
}

function percentDecode(text: string): string {
  try {
    return clean(decodeURIComponent(text));
  } catch {
    return clean(text);
  }
}
