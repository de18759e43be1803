// The call itself: context, deadline, one request, the answer or an error.

import { decode } from './decode.ts';
import { encode } from './encode.ts';
import { BrowseError, errorOf, unreachable } from './error.ts';
import { frame, unframe } from './frames.ts';
import type { Message } from './table.ts';
import { post } from './transport.ts';

/** Where a client calls, and in what context. */
export interface Options {
  /** Address of the daemon: `127.0.0.1:4711` or `unix:/path`. */
  address: string;
  /** Token that the calls carry. */
  token: string;
  /** Tab that the calls act on; the active one when left out. */
  tab?: number;
  /** Session that the calls act in; that of the token when left out. */
  session?: string;
  /** Deadline of each call in milliseconds; that of the command when left out. */
  timeout?: number;
}

/** A command: what the generated methods hand to `call`. */
export interface Command {
  /** Path of the RPC: `/browse.v1.BrowserService/Goto`. */
  path: string;
  request: string;
  response: string;
  /** Fields that are given as positional arguments. */
  args?: string[];
  /** Field of the response that callers get; all of it when left out. */
  result?: string;
  /** Deadline in milliseconds, when it is not 30 seconds. */
  timeout?: number;
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

  /** Calls a command whose answer is one message. */
  protected async call(command: Command, args: unknown[], options?: object): Promise<any> {
    let answer: Message | undefined;
    for await (const message of this.stream(command, requestOf(command, args, options))) answer = message;
    answer ??= decode(command.response, new Uint8Array());
    return command.result ? answer[command.result] : answer;
  }

  /** Calls a command, and yields each message of its answer. */
  async *stream(command: Command, request: Message): AsyncGenerator<Message> {
    const { address, token } = this.options;
    const timeout = this.options.timeout ?? command.timeout ?? DEFAULT_TIMEOUT;
    if (!address) throw noDaemon();
    const body = frame(encode(command.request, request));
    const abort = new AbortController();
    const late = new BrowseError('DEADLINE_EXCEEDED', `no answer within ${timeout} ms`, { hint: 'Raise the timeout', code: 4 });
    const timer = setTimeout(() => abort.abort(late), timeout + GRACE);
    let messages: AsyncGenerator<Uint8Array, Map<string, string>> | undefined;
    try {
      const headers = headersOf(this.options, token, timeout);
      const answer = await post({ address, path: command.path, headers, body, signal: abort.signal });
      if (answer.status !== 200) {
        for await (const _ of answer.body);
        throw unreachable(address, `HTTP ${answer.status}`);
      }
      messages = unframe(answer.body);
      let next = await messages.next();
      for (; !next.done; next = await messages.next()) yield decode(command.response, next.value);
      const trailers = answer.headers.has('grpc-status') ? answer.headers : next.value;
      const error = errorOf(trailers);
      if (error) throw error;
    } catch (cause) {
      if (abort.signal.aborted) throw late;
      throw cause instanceof BrowseError || cause instanceof TypeError ? cause : unreachable(address, cause);
    } finally {
      clearTimeout(timer);
      // Ends the connection of a stream that nobody reads to its end.
      void messages?.return(new Map());
    }
  }
}

/** Joins positional arguments and options; an object in place of an optional argument is the options. */
function requestOf(command: Command, args: unknown[], options: object | undefined): Message {
  const request: Message = {};
  args.forEach((value, index) => {
    const name = command.args?.[index];
    if (isOptions(value)) Object.assign(request, value);
    else if (name !== undefined && value !== undefined) request[name] = value;
  });
  return Object.assign(request, options);
}

function isOptions(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
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

function noDaemon(): BrowseError {
  return new BrowseError('DAEMON_NOT_RUNNING', 'no address of a daemon: BROWSE_ADDR is not set', {
    hint: 'Run the skill with `browse skill run NAME`',
    code: 14,
  });
}
