// gRPC-Web framing: a flag byte, a length, a body; the last frame holds the
// trailers. https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md

import { readText } from './decode.ts';
import { joinBytes } from './encode.ts';
import { BrowseError } from './error.ts';

const TRAILERS = 0x80;
const HEADER_BYTES = 5;
/** Bytes of a message; a daemon sends no more in one. */
const LARGEST = 64 << 20;

/** Wraps a message in a frame. */
export function frame(message: Uint8Array): Uint8Array {
  const header = new Uint8Array(HEADER_BYTES);
  new DataView(header.buffer).setUint32(1, message.length);
  return joinBytes([header, message]);
}

/** Yields each message of a body, and returns the trailers. */
export async function* unframe(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, Map<string, string>> {
  const trailers = new Map<string, string>();
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
      const message = bytes.subarray(HEADER_BYTES, want);
      if ((bytes[0] ?? 0) & TRAILERS) readTrailers(trailers, readText(message));
      else yield message;
      chunks = [bytes.subarray(want)];
      have -= want;
      want = HEADER_BYTES;
    }
  }
  if (have > 0) throw new BrowseError('DAEMON_UNREACHABLE', 'the answer broke off', { hint: 'Run `browse status`', code: 14 });
  return trailers;
}

function tooLarge(): BrowseError {
  const limit = `${LARGEST >> 20} MiB`;
  const details = { hint: 'Ask for less, such as one part of the page', metadata: { limit }, code: 8 };
  return new BrowseError('TOO_LARGE', `a message of the answer is larger than ${limit}`, details);
}

function readTrailers(trailers: Map<string, string>, text: string): void {
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) trailers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
}
