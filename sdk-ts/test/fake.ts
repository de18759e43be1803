// A daemon of a few lines: gRPC-Web over HTTP/1.1, answers made by hand.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { decode } from '../src/decode.ts';
import { encode, joinBytes } from '../src/encode.ts';
import { frame } from '../src/frames.ts';
import type { Message } from '../src/table.ts';

export interface Call {
  path: string;
  headers: Record<string, unknown>;
  request: Message;
  connection: unknown;
}

/** What the fake answers with: messages and trailers, or anything by hand. */
export type Reply = { messages?: Message[]; trailers?: string } | ((response: ServerResponse) => void);

export class Fake {
  readonly calls: Call[] = [];
  readonly #server: Server;
  #reply: (call: Call) => Reply;

  constructor(reply: (call: Call) => Reply) {
    this.#reply = reply;
    this.#server = createServer((request, response) => void this.#answer(request, response));
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
    const message = decode(`${method}Request`, joinBytes(chunks).subarray(5));
    const call = { path: request.url ?? '', headers: request.headers, request: message, connection: request.socket };
    this.calls.push(call);
    const reply = this.#reply(call);
    if (typeof reply === 'function') return reply(response);
    response.writeHead(200, { 'content-type': 'application/grpc-web+proto' });
    for (const body of reply.messages ?? []) response.write(frame(encode(`${method}Response`, body)));
    response.end(trailerFrame(reply.trailers ?? 'grpc-status: 0\r\n'));
  }
}

export function trailerFrame(text: string): Uint8Array {
  const bytes = frame(new TextEncoder().encode(text));
  bytes[0] = 0x80;
  return bytes;
}
