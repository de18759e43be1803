// A POST over HTTP/1.1 on `node:net`: 7 ms to a first answer on node, where
// `node:http` takes 14. It knows what a daemon answers with: a length, or
// chunks. https://www.rfc-editor.org/rfc/rfc9112

import { readText } from './decode.ts';
import { joinBytes } from './encode.ts';
import { Stranger } from './error.ts';
import { type Answer, type Post, socketPath } from './transport.ts';

type Socket = import('node:net').Socket;

/** Longest line of a head. */
const MAX_LINE = 64 * 1024;
/** Headers of an answer. */
const MOST_HEADERS = 256;
const LINE_FEED = 10;

/** Connections that wait for the next call, by where they lead. They do not hold the process. */
const idle = new Map<string, Connection[]>();

/** Sends a POST on a connection that is open, or a new one. */
export async function postByNet(request: Post): Promise<Answer> {
  const connection = reuse(placeOf(request)) ?? (await open(request));
  connection.use(request.signal);
  connection.send(request);
  const status = /^HTTP\/1\.\d (\d{3})/.exec(await connection.line())?.[1];
  if (status === undefined) {
    connection.close();
    throw new Stranger('it does not speak HTTP');
  }
  const headers = new Map<string, string>();
  for (let line = await connection.line(), left = MOST_HEADERS; line; line = await connection.line()) {
    if (left-- === 0) {
      connection.close();
      throw new Stranger('it does not speak HTTP');
    }
    const colon = line.indexOf(':');
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  return { status: Number(status), headers, body: bodyOf(connection, headers, request) };
}

function placeOf({ address, secure }: Post): string {
  return `${address} ${secure?.pin ?? ''}`;
}

/** A connection that waits; those that the other side has closed are dropped. */
function reuse(place: string): Connection | undefined {
  const waiting = (idle.get(place) ?? []).filter((connection) => connection.isOpen);
  const connection = waiting.pop();
  idle.set(place, waiting);
  return connection;
}

async function open({ address, secure, signal, timeout }: Post): Promise<Connection> {
  if (secure) return new Connection(await secure.open(address, signal, timeout));
  const { connect } = await import('node:net');
  const path = socketPath(address);
  if (path !== undefined) return new Connection(connect({ path }));
  const colon = address.lastIndexOf(':');
  const place = { host: address.slice(0, colon), port: Number(address.slice(colon + 1)), noDelay: true };
  return new Connection(connect(place));
}

async function* bodyOf(connection: Connection, headers: Map<string, string>, request: Post): AsyncGenerator<Uint8Array> {
  let whole = false;
  try {
    if (headers.get('transfer-encoding') === 'chunked') {
      for (let size = await chunkSize(connection); size > 0; size = await chunkSize(connection)) {
        yield* connection.take(size);
        await connection.line();
      }
      while (await connection.line());
    } else {
      yield* connection.take(Number(headers.get('content-length') ?? 0));
    }
    whole = headers.get('connection') !== 'close';
  } finally {
    if (whole) keep(placeOf(request), connection);
    else connection.close();
    connection.rest(request.signal);
  }
}

async function chunkSize(connection: Connection): Promise<number> {
  const size = Number.parseInt(await connection.line(), 16);
  if (Number.isNaN(size)) throw new Stranger('it does not speak HTTP');
  return size;
}

function keep(place: string, connection: Connection): void {
  idle.set(place, [...(idle.get(place) ?? []), connection]);
}

/** A socket, and what came in and was not read yet. */
class Connection {
  readonly #socket: Socket;
  #bytes: Uint8Array = new Uint8Array();
  #ended: Error | undefined;
  #wake: () => void = () => {};
  readonly #abort = () => this.#end(new Error('the call was given up'));

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (bytes) => {
      this.#bytes = this.#bytes.length > 0 ? joinBytes([this.#bytes, bytes]) : bytes;
      this.#wake();
    });
    socket.on('error', (error) => this.#end(error));
    socket.on('close', () => this.#end(new Error('the connection was closed')));
  }

  get isOpen(): boolean {
    return this.#ended === undefined;
  }

  /** From now on the process waits for it, and `signal` ends it. */
  use(signal: AbortSignal): void {
    this.#socket.ref();
    signal.addEventListener('abort', this.#abort);
  }

  /** From now on neither holds. */
  rest(signal: AbortSignal): void {
    signal.removeEventListener('abort', this.#abort);
    this.#socket.unref();
  }

  close(): void {
    this.#end(new Error('the connection was closed'));
  }

  send({ address, path, headers, body, secure }: Post): void {
    const host = secure?.authority ?? (socketPath(address) === undefined ? address : 'localhost');
    const lines = Object.entries({ host, 'content-length': String(body.length), ...headers });
    const head = lines.map(([name, value]) => `${name}: ${value.replace(/[\r\n]/g, ' ')}\r\n`).join('');
    this.#socket.write(joinBytes([new TextEncoder().encode(`POST ${path} HTTP/1.1\r\n${head}\r\n`), body]));
  }

  /** The next line, without its end. */
  async line(): Promise<string> {
    let end = this.#bytes.indexOf(LINE_FEED);
    for (; end < 0; end = this.#bytes.indexOf(LINE_FEED)) {
      if (this.#bytes.length > MAX_LINE) throw new Stranger('it does not speak HTTP');
      await this.#more();
    }
    return readText(this.#cut(end + 1)).trimEnd();
  }

  /** The next `count` bytes, as they come. */
  async *take(count: number): AsyncGenerator<Uint8Array> {
    for (let left = count; left > 0; ) {
      if (this.#bytes.length === 0) await this.#more();
      const piece = this.#cut(Math.min(left, this.#bytes.length));
      left -= piece.length;
      yield piece;
    }
  }

  #cut(length: number): Uint8Array {
    const piece = this.#bytes.subarray(0, length);
    this.#bytes = this.#bytes.subarray(length);
    return piece;
  }

  async #more(): Promise<void> {
    if (this.#ended) throw this.#ended;
    const before = this.#bytes.length;
    await new Promise<void>((done) => (this.#wake = done));
    if (this.#ended && this.#bytes.length === before) throw this.#ended;
  }

  #end(error: Error): void {
    this.#ended ??= error;
    this.#socket.destroy();
    this.#wake();
  }
}
