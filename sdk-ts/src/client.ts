// The call itself: context, deadline, one request, the answer or an error.

import { decode } from './decode.ts';
import { encode, utf8 } from './encode.ts';
import { BrowseError, errorOf, foreign, givesReason, Stranger, unreachable } from './error.ts';
import { frame, JSON_TYPE, STREAM_TYPE, unframe, whole } from './frames.ts';
import { type Daemon, daemonOf, forgetDaemon, type RemoteDaemon } from './place.ts';
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
  /** Session that the calls act in; that of `BROWSE_SESSION` or of the token when left out. */
  session?: string;
  /** Deadline of each call in milliseconds; that of the command when left out. */
  timeout?: number;
  /** How a remote browser is reached; `redeem` and `remote` set it. */
  secure?: Secure;
  /** The gateway of a fleet, whose token changes; `remote` sets it. */
  fleet?: RemoteDaemon;
}

const DEFAULT_TIMEOUT = 30_000;
/** How much longer than the daemon a client waits, so that the daemon's error is the one seen. */
const GRACE = 1_000;
/** The status of an answer to a token that is not accepted. */
const UNAUTHENTICATED = 401;

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
    answer ??= decode(command.response, {});
    return command.result ? answer[command.result] : answer;
  }

  async *#stream(command: Command, request: Message): AsyncGenerator<Message> {
    const timeout = this.options.timeout ?? command.timeout ?? DEFAULT_TIMEOUT;
    const call = { path: command.path, message: encode(command.request, request), timeout, streams: command.kind !== '' };
    for await (const document of exchange(this.options, call)) yield decode(command.response, document);
  }
}

/** What is sent: the path of an RPC, the JSON of its message, and its deadline in milliseconds. */
export interface Outgoing {
  path: string;
  message: Message;
  timeout: number;
  /** Whether the answer is a stream. */
  streams?: boolean;
}

/** Sends a call, and yields the JSON of each message that comes. */
export async function* exchange(options: Options, call: Outgoing): AsyncGenerator<Message> {
  const daemon = await daemonOf(options);
  const refusal = yield* sendOnce(options, daemon, call);
  if (!refusal) return;
  // Nothing was done, so that the call can be sent again.
  const renewed = await daemon.renewed?.();
  const again = renewed ? yield* sendOnce(options, { ...renewed, session: daemon.session }, call) : refusal;
  if (again) throw again;
}

/** Sends a call once. Its value is the error when the token was not accepted. */
async function* sendOnce(options: Options, daemon: Daemon, { path, message, timeout, streams = false }: Outgoing): AsyncGenerator<Message, BrowseError | undefined> {
  const json = utf8(JSON.stringify(message));
  const body = streams ? frame(json) : json;
  const { address, secure } = daemon;
  const abort = new AbortController();
  const late = new BrowseError('DEADLINE_EXCEEDED', `no answer within ${timeout} ms`, { hint: 'Raise the timeout', code: 4 });
  const timer = setTimeout(() => abort.abort(late), timeout + GRACE);
  let documents: AsyncGenerator<Message, Message | undefined> | undefined;
  try {
    const headers = headersOf(options, daemon, timeout, streams);
    const answer = await post({ address, path, headers, body, signal: abort.signal, timeout, secure });
    const kind = (answer.headers.get('content-type') ?? JSON_TYPE).toLowerCase();
    if (kind !== JSON_TYPE && kind !== STREAM_TYPE) {
      // Ends the connection: nobody knows how long a page is.
      for await (const _ of answer.body) break;
      throw foreign(address, `HTTP ${answer.status}${answer.status === 200 ? ` with \`${kind.slice(0, 60)}\`` : ''}`, secure?.foreignHint);
    }
    if (answer.status !== 200) {
      const failure = failureOf(await whole(answer.body), address, secure);
      if (answer.status === UNAUTHENTICATED) return failure;
      throw failure;
    }
    if (kind === JSON_TYPE) {
      yield await whole(answer.body);
      return undefined;
    }
    documents = unframe(answer.body);
    let next = await documents.next();
    for (; !next.done; next = await documents.next()) yield next.value;
    if (!next.value) throw unreachable(address, 'the answer broke off: it has no end', secure?.hint);
    if (next.value.error) throw failureOf(next.value.error as Message, address, secure);
    return undefined;
  } catch (cause) {
    if (abort.signal.aborted) throw late;
    const isForeign = cause instanceof Stranger || cause instanceof SyntaxError;
    const error = cause instanceof BrowseError ? cause : isForeign ? foreign(address, cause.message, secure?.foreignHint) : unreachable(address, cause, secure?.hint);
    // The next call looks whether another daemon runs by now.
    if (error instanceof BrowseError && error.reason === 'DAEMON_UNREACHABLE') forgetDaemon();
    throw error;
  } finally {
    clearTimeout(timer);
    // Ends the connection of a stream that nobody reads to its end.
    void documents?.return(undefined);
  }
}

function failureOf(document: Message, address: string, secure: Secure | undefined): BrowseError {
  const error = errorOf(document);
  // A daemon says its reason, always.
  if (secure && !givesReason(document)) return foreign(address, `it answers \`${error.message}\``, secure.foreignHint);
  return secure?.advise?.(error) ?? error;
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

function headersOf(options: Options, daemon: Daemon, timeout: number, streams: boolean): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': streams ? STREAM_TYPE : JSON_TYPE,
    'connect-protocol-version': '1',
    authorization: `Bearer ${daemon.token}`,
    'browse-content': 'raw',
    'connect-timeout-ms': String(Math.max(1, Math.round(timeout))),
  };
  if (options.tab !== undefined) headers['browse-tab'] = String(options.tab);
  const session = options.session ?? daemon.session;
  if (session !== undefined) headers['browse-session'] = session;
  return headers;
}
