// Envelopes of a Connect stream: one byte of flags, four of length, a JSON document.
// https://connectrpc.com/docs/protocol#streaming-rpcs

import { unreachable } from './error.ts';

const END = 2;
const HEADER_BYTES = 5;

/** Wraps the JSON of a request in an envelope. */
export function envelope(json: string): Uint8Array<ArrayBuffer> {
  const document = new TextEncoder().encode(json);
  const bytes = new Uint8Array(HEADER_BYTES + document.length);
  new DataView(bytes.buffer).setUint32(1, document.length);
  bytes.set(document, HEADER_BYTES);
  return bytes;
}

/** Yields the document of each message, and returns the one at the end of the stream. */
export async function* documentsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown, unknown> {
  const reader = body.getReader();
  const pending = new PendingBytes();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw unreachable();
      pending.append(value);
      for (let next = pending.take(); next; next = pending.take()) {
        if (next.flags & END) return next.document;
        yield next.document;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** Bytes that arrived and are not a whole message yet. */
class PendingBytes {
  #chunks: Uint8Array[] = [];
  #length = 0;
  #wanted = HEADER_BYTES;

  append(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
  }

  take(): { flags: number; document: unknown } | undefined {
    if (this.#length < this.#wanted) return undefined;
    const bytes = this.#join();
    this.#wanted = HEADER_BYTES + new DataView(bytes.buffer, bytes.byteOffset).getUint32(1);
    if (this.#length < this.#wanted) return undefined;
    const document: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray(HEADER_BYTES, this.#wanted)));
    this.#chunks = [bytes.subarray(this.#wanted)];
    this.#length -= this.#wanted;
    this.#wanted = HEADER_BYTES;
    return { flags: bytes[0] ?? 0, document };
  }

  #join(): Uint8Array {
    const [first] = this.#chunks;
    if (this.#chunks.length === 1 && first) return first;
    const bytes = new Uint8Array(this.#length);
    let at = 0;
    for (const chunk of this.#chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    this.#chunks = [bytes];
    return bytes;
  }
}
