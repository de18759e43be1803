// The call itself: context, deadline, one request, the answer or an error.

import { decode } from './decode.ts';
import { encode } from './encode.ts';
import { BrowseError, errorOf, foreign, givesReason, Stranger, unreachable } from './error.ts';
import { frame, unframe } from './frames.ts';
import { daemonOf, forgetDaemon } from './place.ts';
import { saveFile, saveFolder } from './save.ts';
import { type Command, commandOf, type Message } from './table.ts';
import { post, type Secure } from './transport.ts';

/** Where a client calls, and in what context. */
export interface Options {
  /** Address of the daemon: `127.0.0.1:4711` or `unix:/path`; found when left out. */
  address?: string;
  /** Token that the calls carry; found when left out. */
  token?: string;
  /** Tab that the calls act on; the active one when left out. */
  tab?: number;
  /** Session that the calls act in; that of the token when left out. */
  session?: string;
  /** Deadline of each call in milliseconds; that of the command when left out. */
  timeout?: number;
  /** How a browser elsewhere is reached; `redeem` and `remote` set it. */
  secure?: Secure;
}

const DEFAULT_TIMEOUT = 30_000;
/** How much longer than the daemon a client waits, so that the daemon's error is the one seen. */
const GRACE = 1_000;

/** A caller of commands; the methods of `Browse` are built on it. */
export class Client {
  readonly options: Readonly<Options>;

  constructor(options: Options) {
    this.options = options;
  }

  /**
   * Calls a command by name, as the command line or as the methods write it: `call('newtab', { url })`.
   * `args` are the fields of its request in camelCase; the answer is that of the method.
   */
  async call(command: string, args: Message = {}): Promise<any> {
    const { kind } = commandOf(command);
    // A stream without an end is for `stream`; what is saved goes to the temp directory.
    return kind === 'stream' ? this.#answer(commandOf(command), args) : this.#run(commandOf(command), args);
  }

  /** Calls a command by name, and yields each message of its answer. */
  async *stream(command: string, args: Message = {}): AsyncGenerator<any> {
    yield* this.#stream(commandOf(command), args);
  }

  /** What every method does: joins arguments and options, and calls. */
  perform(name: string, given: unknown[]): unknown {
    const command = commandOf(name);
    const { request, place } = requestOf(command, given);
    return this.#run(command, request, place);
  }

  #run(command: Command, request: Message, place?: string): unknown {
    if (command.kind === 'file') return saveFile(this.#stream(command, request), place);
    if (command.kind === 'folder') return saveFolder((known) => this.#stream(command, { ...request, known }), place);
    return command.kind === 'stream' ? this.#stream(command, request) : this.#answer(command, request);
  }

  async #answer(command: Command, request: Message): Promise<any> {
    let answer: Message | undefined;
    for await (const message of this.#stream(command, request)) answer = message;
    answer ??= decode(command.response, new Uint8Array());
    return command.result ? answer[command.result] : answer;
  }

  async *#stream(command: Command, request: Message): AsyncGenerator<Message> {
    const timeout = this.options.timeout ?? command.timeout ?? DEFAULT_TIMEOUT;
    const call = { path: command.path, message: encode(command.request, request), timeout };
    yield* exchange(this.options, call, (message) => decode(command.response, message));
  }
}

/** What is sent: the path of an RPC, its message, and its deadline in milliseconds. */
export interface Outgoing {
  path: string;
  message: Uint8Array;
  timeout: number;
}

/** Sends a call, and yields what `read` makes of each message that comes. */
export async function* exchange<T>(options: Options, { path, message, timeout }: Outgoing, read: (message: Uint8Array) => T): AsyncGenerator<T> {
  const body = frame(message);
  const { secure } = options;
  const { address, token } = await daemonOf(options);
  const abort = new AbortController();
  const late = new BrowseError('DEADLINE_EXCEEDED', `no answer within ${timeout} ms`, { hint: 'Raise the timeout', code: 4 });
  const timer = setTimeout(() => abort.abort(late), timeout + GRACE);
  let messages: AsyncGenerator<Uint8Array, Map<string, string>> | undefined;
  try {
    const headers = headersOf(options, token, timeout);
    const answer = await post({ address, path, headers, body, signal: abort.signal, timeout, secure });
    const page = pageOf(answer);
    if (page) {
      // Ends the connection: nobody knows how long a page is.
      for await (const _ of answer.body) break;
      throw foreign(address, page, secure !== undefined);
    }
    messages = unframe(answer.body);
    let next = await messages.next();
    for (; !next.done; next = await messages.next()) yield read(next.value);
    const trailers = answer.headers.has('grpc-status') ? answer.headers : next.value;
    if (!trailers.has('grpc-status')) throw unreachable(address, 'the answer broke off: it has no status', secure?.hint);
    const error = errorOf(trailers);
    // A daemon says its reason, always.
    if (error && secure && !givesReason(trailers)) throw foreign(address, `it answers \`${error.message}\``, true);
    if (error) throw error;
  } catch (cause) {
    if (abort.signal.aborted) throw late;
    const error = cause instanceof BrowseError ? cause : cause instanceof Stranger ? foreign(address, cause.message, secure !== undefined) : unreachable(address, cause, secure?.hint);
    // The next call looks whether another daemon runs by now.
    if (error instanceof BrowseError && error.reason === 'DAEMON_UNREACHABLE') forgetDaemon();
    throw error;
  } finally {
    clearTimeout(timer);
    // Ends the connection of a stream that nobody reads to its end.
    void messages?.return(new Map());
  }
}

/** What no daemon answers with: a page of something else. */
function pageOf({ status, headers }: { status: number; headers: Map<string, string> }): string | undefined {
  const kind = (headers.get('content-type') ?? 'application/grpc').toLowerCase();
  if (status !== 200) return `HTTP ${status}`;
  return kind.startsWith('application/grpc') ? undefined : `HTTP ${status} with \`${kind.slice(0, 60)}\``;
}

/**
 * Joins positional arguments and options; an object in place of an optional
 * argument is the options. What stands behind the arguments is where to save.
 */
function requestOf(command: Command, given: unknown[]): { request: Message; place: string | undefined } {
  const request: Message = {};
  let place: string | undefined;
  given.forEach((value, index) => {
    const name = command.args[index];
    if (isOptions(value)) Object.assign(request, value);
    else if (name === undefined) place ??= value as string | undefined;
    else if (value !== undefined) request[name] = value;
  });
  return { request, place };
}

function isOptions(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array) && !('@type' in value);
}

function headersOf(options: Options, token: string, timeout: number): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/grpc-web+proto',
    'x-grpc-web': '1',
    authorization: `Bearer ${token}`,
    'browse-content': 'raw',
    'grpc-timeout': `${Math.max(1, Math.round(timeout))}m`,
  };
  if (options.tab !== undefined) headers['browse-tab'] = String(options.tab);
  if (options.session !== undefined) headers['browse-session'] = options.session;
  return headers;
}
