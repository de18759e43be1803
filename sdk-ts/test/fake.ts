// A daemon of a few lines: the JSON of the Connect protocol, answers made by hand.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecure } from 'node:https';
import { decode, readJson } from '../src/decode.ts';
import { encode, joinBytes, utf8 } from '../src/encode.ts';
import { frame, JSON_TYPE, STREAM_TYPE } from '../src/frames.ts';
import type { Message } from '../src/table.ts';

export interface Call {
  path: string;
  headers: Record<string, unknown>;
  request: Message;
  connection: unknown;
}

/** What the fake answers with: messages and an error, or anything by hand. */
export type Reply = { messages?: Message[]; error?: Message; status?: number } | ((response: ServerResponse) => void);

export class Fake {
  readonly calls: Call[] = [];
  readonly #server: Server;
  #reply: (call: Call) => Reply;

  /** One that speaks TLS where a key and a certificate are given. */
  constructor(reply: (call: Call) => Reply, tls?: { key: Uint8Array; cert: Uint8Array }) {
    this.#reply = reply;
    const answer = (request: IncomingMessage, response: ServerResponse) => void this.#answer(request, response);
    this.#server = tls ? createSecure({ key: Buffer.from(tls.key), cert: Buffer.from(tls.cert) }, answer) : createServer(answer);
  }

  /** Listens on a free port, or on a socket file. */
  async listen(path?: string): Promise<string> {
    await new Promise<void>((done) => (path ? this.#server.listen(path, done) : this.#server.listen(0, '127.0.0.1', done)));
    const address = this.#server.address();
    return typeof address === 'string' ? `unix:${address}` : `127.0.0.1:${address?.port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const method = request.url?.split('/').pop() ?? '';
    const streams = request.headers['content-type'] === STREAM_TYPE;
    const message = decode(`${method}Request`, readJson(joinBytes(chunks).subarray(streams ? 5 : 0)));
    const call = { path: request.url ?? '', headers: request.headers, request: message, connection: request.socket };
    this.calls.push(call);
    const reply = this.#reply(call);
    if (typeof reply === 'function') return reply(response);
    const documents = (reply.messages ?? []).map((body) => encode(`${method}Response`, body));
    if (!streams || reply.status) {
      response.writeHead(reply.status ?? (reply.error ? 400 : 200), { 'content-type': JSON_TYPE });
      response.end(jsonOf(reply.error ?? documents[0] ?? {}));
      return;
    }
    response.writeHead(200, { 'content-type': STREAM_TYPE });
    for (const document of documents) response.write(frame(jsonOf(document)));
    response.end(endFrame(reply.error));
  }
}

export function jsonOf(document: Message): Uint8Array {
  return utf8(JSON.stringify(document));
}

/** The document at the end of a stream. */
export function endFrame(error?: Message): Uint8Array {
  return frame(jsonOf(error ? { error } : {}), 2);
}

/** An error as a daemon sends it. */
export function failure(code: string, message: string, debug?: Message): Message {
  return { code, message, details: debug ? [{ type: 'google.rpc.ErrorInfo', value: '', debug: { domain: 'browse', metadata: {}, ...debug } }] : [] };
}
