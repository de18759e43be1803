// Streams of the Connect protocol: a flag byte, a length, a JSON document; the last
// one is the end. https://connectrpc.com/docs/protocol#streaming-rpcs

import { readJson } from './decode.ts';
import { joinBytes } from './encode.ts';
import { BrowseError } from './error.ts';
import type { Message } from './table.ts';

/** Content type of a call with one answer. */
export const JSON_TYPE = 'application/json';
/** Content type of a call whose answer is a stream. */
export const STREAM_TYPE = 'application/connect+json';

const END = 2;
const HEADER_BYTES = 5;
/** Bytes of a document; a message has at most 64 MiB, which base64 makes longer. */
const LARGEST = 86 << 20;

/** Wraps a document in an envelope. */
export function frame(document: Uint8Array, flags = 0): Uint8Array {
  const header = new Uint8Array(HEADER_BYTES);
  header[0] = flags;
  new DataView(header.buffer).setUint32(1, document.length);
  return joinBytes([header, document]);
}

/** Yields each document of a stream, and returns the one at its end. */
export async function* unframe(body: AsyncIterable<Uint8Array>): AsyncGenerator<Message, Message | undefined> {
  let ended: Message | undefined;
  let chunks: Uint8Array[] = [];
  let have = 0;
  let want = HEADER_BYTES;
  for await (const chunk of body) {
    chunks.push(chunk);
    have += chunk.length;
    while (have >= want) {
      const bytes = joinBytes(chunks);
      const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(1);
      if (length > LARGEST) throw tooLarge();
      want = HEADER_BYTES + length;
      chunks = [bytes];
      if (have < want) break;
      const document = readJson(bytes.subarray(HEADER_BYTES, want));
      if ((bytes[0] ?? 0) & END) ended = document;
      else yield document;
      chunks = [bytes.subarray(want)];
      have -= want;
      want = HEADER_BYTES;
    }
  }
  if (have > 0) throw new BrowseError('DAEMON_UNREACHABLE', 'the answer broke off', { hint: 'Run `browse status`', code: 14 });
  return ended;
}

/** The one document of a body. */
export async function whole(body: AsyncIterable<Uint8Array>): Promise<Message> {
  const chunks: Uint8Array[] = [];
  let have = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    have += chunk.length;
    if (have > LARGEST) throw tooLarge();
  }
  return readJson(joinBytes(chunks));
}

function tooLarge(): BrowseError {
  const limit = `${LARGEST >> 20} MiB`;
  const details = { hint: 'Ask for less, such as one part of the page', metadata: { limit }, code: 8 };
  return new BrowseError('TOO_LARGE', `a message of the answer is larger than ${limit}`, details);
}
