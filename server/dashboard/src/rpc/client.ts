// Calls of the daemon: one answer, or a stream of them, always with a deadline.

import { endLogin, login } from '../state/login.ts';
import { markDown, markUp } from '../state/connection.ts';
import type { Calls, Streams } from './contract.ts';
import { asCallError, CallError, errorOf, unreachable } from './error.ts';
import { documentsOf, envelope } from './frames.ts';
import { post } from './transport.ts';

/** Where a call acts, and how long it may take. */
export interface CallOptions {
  session?: string;
  tab?: string;
  /** Milliseconds until the daemon gives up; 15 s when left out. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** Sends it also while the page goes away. */
  keepalive?: boolean;
}

const DEFAULT_TIMEOUT_MS = 15_000;
/** How much longer than the daemon the page waits, so that the daemon's own error is shown. */
const GRACE_MS = 1_000;
/** Deadline of a stream that follows: longer than any dashboard is looked at in one go. */
const FOLLOW_TIMEOUT_MS = 24 * 3600 * 1000;

/** Calls `Service/Method`, and returns its answer. */
export async function call<M extends keyof Calls>(
  method: M,
  request: Calls[M]['request'] = {},
  options: CallOptions = {},
): Promise<Calls[M]['response']> {
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const began = Date.now();
  const deadline = new Deadline(timeoutMs, options.signal);
  try {
    const response = await send(
      method,
      JSON.stringify(request),
      'application/json',
      timeoutMs,
      deadline.signal,
      options,
    );
    const document: unknown = await response.json();
    if (!response.ok) throw errorOf(document);
    markUp(began);
    return document as Calls[M]['response'];
  } catch (cause) {
    throw failure(deadline.explain(cause), began);
  } finally {
    deadline.clear();
  }
}

/** Calls `Service/Method`, and yields the messages of its answer until it ends. */
export async function* stream<M extends keyof Streams>(
  method: M,
  request: Streams[M]['request'] = {},
  options: CallOptions = {},
): AsyncGenerator<Streams[M]['response']> {
  const began = Date.now();
  // The deadline of the page covers the time until the answer begins; the daemon's the whole.
  const deadline = new Deadline(options.timeoutMs ?? DEFAULT_TIMEOUT_MS, options.signal);
  try {
    const timeoutMs = options.timeoutMs ?? FOLLOW_TIMEOUT_MS;
    const response = await send(
      method,
      envelope(JSON.stringify(request)),
      'application/connect+json',
      timeoutMs,
      deadline.signal,
      options,
    );
    if (options.timeoutMs === undefined) deadline.stopTimer();
    if (!response.ok || !response.body) throw errorOf(await response.json());
    markUp(began);
    const documents = documentsOf(response.body);
    try {
      let next = await documents.next();
      for (; !next.done; next = await documents.next()) yield next.value as Streams[M]['response'];
      const { error } = (next.value ?? {}) as { error?: unknown };
      if (error) throw errorOf(error);
    } finally {
      void documents.return(undefined);
    }
  } catch (cause) {
    throw failure(deadline.explain(cause), began);
  } finally {
    deadline.clear();
  }
}

async function send(
  method: keyof Calls | keyof Streams,
  body: string | Uint8Array<ArrayBuffer>,
  type: string,
  timeoutMs: number,
  signal: AbortSignal,
  options: CallOptions,
): Promise<Response> {
  const headers: Record<string, string> = {
    'content-type': type,
    'connect-protocol-version': '1',
    'connect-timeout-ms': String(timeoutMs),
    'browse-content': 'raw',
  };
  const { token, address } = login.value;
  // A panel over the pipe has none.
  if (token) headers.authorization = `Bearer ${token}`;
  if (options.session !== undefined) headers['browse-session'] = encodeURIComponent(options.session);
  if (options.tab !== undefined) headers['browse-tab'] = options.tab;
  const keepalive = options.keepalive ?? false;
  return post(address, `/browse.v1.${method}`, { headers, body, signal, keepalive });
}

/** Ends a call that takes too long. */
class Deadline {
  readonly #abort = new AbortController();
  readonly #error: CallError;
  readonly #outer: AbortSignal | undefined;
  readonly #cancel = () => this.#abort.abort(this.#outer?.reason);
  readonly #timer: ReturnType<typeof setTimeout>;

  constructor(timeoutMs: number, outer: AbortSignal | undefined) {
    this.#error = new CallError(
      'DEADLINE_EXCEEDED',
      `no answer within ${timeoutMs / 1000} s`,
      'Try again, or run `browse status`',
    );
    this.#timer = setTimeout(() => this.#abort.abort(this.#error), timeoutMs + GRACE_MS);
    this.#outer = outer;
    if (outer?.aborted) this.#cancel();
    else outer?.addEventListener('abort', this.#cancel);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Lets the call go on; the caller can still cancel it. */
  stopTimer(): void {
    clearTimeout(this.#timer);
  }

  clear(): void {
    this.stopTimer();
    this.#outer?.removeEventListener('abort', this.#cancel);
  }

  /** The error of the deadline, where that is what ended the call. */
  explain(cause: unknown): unknown {
    if (this.#abort.signal.reason === this.#error) return this.#error;
    return this.#outer?.aborted ? new CallError('CANCELED', 'the call was canceled') : cause;
  }
}

/** What a failure of a call that began then is, with its consequences for the whole page. */
function failure(cause: unknown, began: number): CallError {
  // `fetch` and readers throw these when the connection breaks or the answer is not JSON.
  const error =
    cause instanceof CallError
      ? cause
      : cause instanceof TypeError || cause instanceof DOMException || cause instanceof SyntaxError
        ? unreachable()
        : asCallError(cause);
  if (error.reason === 'DAEMON_UNREACHABLE') markDown();
  else if (error.reason.startsWith('TOKEN_')) endLogin(error);
  else if (error.reason !== 'CANCELED' && error.reason !== 'DEADLINE_EXCEEDED') markUp(began);
  return error;
}
