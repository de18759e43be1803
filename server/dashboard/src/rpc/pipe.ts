// Requests over the pipe to the browser of this panel. The daemon adds a function to this
// document, by which it sends, and calls `browsePanel.receive` with what comes.

import { fromBase64, toBase64 } from './base64.ts';
import { CallError } from './error.ts';
import type { PostRequest } from './transport.ts';

/** Chunks that the daemon sends before one is taken. */
const WINDOW = 8;
const RETRY_MS = 50;
/** Time in which the daemon has to answer that it is there. */
const OPEN_TIMEOUT_MS = 15_000;

/** What the daemon sends. */
type Incoming =
  | ({ kind: 'welcome' } & Welcome)
  | { kind: 'head'; id: number; status: number; headers: [string, string][] }
  | { kind: 'chunk'; id: number; data: string }
  | { kind: 'end'; id: number }
  | { kind: 'broken'; id: number };

/** What this panel may do. */
export interface Welcome {
  session: string;
  token: string;
  scopes: string[];
  approves: boolean;
  read_only: boolean;
  expires_at: string;
  version: string;
  build_id: string;
}

let send: (message: object) => void = () => {};
let onWelcome: (welcome: Welcome) => void = () => {};
const calls = new Map<number, PipeCall>();
/** Answers to a document of before are not for this one. */
let lastId = Math.floor(Math.random() * 2 ** 40);

/** Greets the daemon. */
export async function openPipe(): Promise<Welcome> {
  Object.defineProperty(globalThis, 'browsePanel', { value: Object.freeze({ receive }), configurable: true });
  const until = Date.now() + OPEN_TIMEOUT_MS;
  while (!takeFunction()) {
    if (Date.now() > until) throw unanswered();
    await new Promise((done) => setTimeout(done, RETRY_MS));
  }
  return new Promise((done, fail) => {
    onWelcome = done;
    setTimeout(() => fail(unanswered()), OPEN_TIMEOUT_MS);
    send({ kind: 'open' });
  });
}

/** Posts a request, as `fetch` does. */
export function postByPipe(path: string, { headers, body, signal, keepalive }: PostRequest): Promise<Response> {
  if (signal.aborted) return Promise.reject(signal.reason);
  const call = new PipeCall(signal);
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  send({ kind: 'call', id: call.id, path, headers, body: toBase64(bytes), keepalive });
  return call.response;
}

/** Takes the function out of the reach of anything else. */
function takeFunction(): boolean {
  const holder = globalThis as { browseSend?: (text: string) => void };
  const post = holder.browseSend;
  if (typeof post !== 'function') return false;
  delete holder.browseSend;
  send = (message) => post(JSON.stringify(message));
  return true;
}

function receive(message: Incoming): void {
  if (message.kind === 'welcome') return onWelcome(message);
  const call = calls.get(message.id);
  switch (message.kind) {
    case 'head':
      return call?.begin(message.status, message.headers);
    case 'chunk':
      return call?.add(fromBase64(message.data));
    case 'end':
      return call?.end();
    case 'broken':
      return call?.fail(new TypeError('the answer broke off'));
  }
}

function unanswered(): CallError {
  return new CallError('DAEMON_UNREACHABLE', 'the daemon does not answer this panel', 'Close the panel and open it again');
}

/** A request under way, and its answer. */
class PipeCall {
  readonly id = (lastId += 1);
  readonly response: Promise<Response>;
  readonly #signal: AbortSignal;
  #resolve: (response: Response) => void = () => {};
  #reject: (cause: unknown) => void = () => {};
  #body: ReadableStreamDefaultController<Uint8Array> | undefined;
  #received = 0;
  #acknowledged = 0;
  readonly #onAbort = () => {
    send({ kind: 'abort', id: this.id });
    this.fail(this.#signal.reason);
  };

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    signal.addEventListener('abort', this.#onAbort);
    calls.set(this.id, this);
  }

  begin(status: number, headers: [string, string][]): void {
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.#body = controller),
        pull: () => this.#acknowledge(),
        cancel: () => {
          send({ kind: 'abort', id: this.id });
          this.#forget();
        },
      },
      { highWaterMark: WINDOW },
    );
    this.#resolve(new Response(body, { status, headers }));
  }

  add(chunk: Uint8Array): void {
    this.#received += 1;
    this.#body?.enqueue(chunk);
  }

  end(): void {
    this.#forget();
    this.#body?.close();
  }

  fail(cause: unknown): void {
    this.#forget();
    this.#reject(cause);
    this.#body?.error(cause);
  }

  /** Acknowledges the chunks that were read. */
  #acknowledge(): void {
    const queued = WINDOW - (this.#body?.desiredSize ?? WINDOW);
    for (; this.#acknowledged < this.#received - queued; this.#acknowledged += 1) {
      send({ kind: 'ack', id: this.id });
    }
  }

  #forget(): void {
    calls.delete(this.id);
    this.#signal.removeEventListener('abort', this.#onAbort);
  }
}
