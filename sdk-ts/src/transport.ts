// One POST to the daemon, on whatever the runtime does quickest.
//
// bun and deno answer a first `fetch` in 2 and 20 ms, and are no quicker without.
// On node a first `fetch` takes 110 ms, `node:http` 14, a plain socket 7. So each
// gets its own, and loads nothing of the other.

import { BrowseError, foreign, Stranger, unreachable } from './error.ts';
import { postByNet } from './http.ts';
import { isBun, isDeno, variable } from './runtime.ts';

/** An answer: its headers, and its body in pieces. */
export interface Answer {
  status: number;
  headers: Map<string, string>;
  body: AsyncIterable<Uint8Array>;
}

/** What a POST is made of. */
export interface Post {
  /** `127.0.0.1:4711` or `unix:/run/browse.sock`. */
  address: string;
  path: string;
  headers: Record<string, string>;
  body: Uint8Array;
  signal: AbortSignal;
  /** Milliseconds that the call has. */
  timeout: number;
  secure?: Secure;
}

/** How connections to a remote daemon are made. */
export interface Secure {
  /** What tells it from others. */
  pin: string;
  /** What to do when it does not answer. */
  hint: string;
  /** What to do when another server answers in its place. */
  foreignHint: string;
  /** What a request names in its header `host`; the address when left out. */
  authority?: string;
  /** An error of a call, with what to do about it there. */
  advise?(error: BrowseError): BrowseError;
  /** Connects within so many milliseconds; nothing is sent unless the other end is who it should be. */
  open(address: string, signal: AbortSignal, timeout: number): Promise<import('node:net').Socket>;
}

/** The path of a socket file, when `address` is one: `unix:/path` or `unix:///path`. */
export function socketPath(address: string): string | undefined {
  return /^unix:(?:\/\/)?(.*)$/s.exec(address)?.[1];
}

/** Sends a POST. */
export async function post(request: Post): Promise<Answer> {
  try {
    return await (!request.secure && prefersFetch(request.address) ? postByFetch(request) : postByNet(request));
  } catch (cause) {
    if (request.signal.aborted) throw request.signal.reason;
    if (cause instanceof Stranger) throw foreign(request.address, cause.message, request.secure?.foreignHint);
    throw cause instanceof BrowseError ? cause : unreachable(request.address, cause, request.secure?.hint);
  }
}

function prefersFetch(address: string): boolean {
  // A fetch would go through the proxy, loopback or not.
  if (variable('http_proxy') || variable('HTTP_PROXY')) return false;
  return isBun || (isDeno && socketPath(address) === undefined);
}

async function postByFetch({ address, path, headers, body, signal }: Post): Promise<Answer> {
  const unix = socketPath(address);
  const init = { method: 'POST', headers, body: body as BodyInit, signal, ...(unix === undefined ? {} : { unix }) };
  const response = await fetch(`http://${unix === undefined ? address : 'localhost'}${path}`, init);
  return {
    status: response.status,
    headers: new Map(response.headers),
    body: response.body ?? empty(),
  };
}

async function* empty(): AsyncGenerator<Uint8Array> {}
