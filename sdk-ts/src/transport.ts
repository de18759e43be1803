// One POST to the daemon, on whatever the runtime does quickest.
//
// bun and deno answer a first `fetch` in 2 and 20 ms; `node:http` costs them 15
// to 30 ms more. On node it is the other way round: `node:http` takes 10 ms, a
// first `fetch` 110 ms. So each gets its own, and loads nothing of the other.

import { unreachable } from './error.ts';
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
}

const UNIX = 'unix:';

/** Sends a POST. */
export async function post(request: Post): Promise<Answer> {
  try {
    return await (prefersFetch(request.address) ? postByFetch(request) : postByHttp(request));
  } catch (cause) {
    throw request.signal.aborted ? request.signal.reason : unreachable(request.address, cause);
  }
}

function prefersFetch(address: string): boolean {
  // A fetch would go through the proxy, loopback or not.
  if (variable('http_proxy') || variable('HTTP_PROXY')) return false;
  return isBun || (isDeno && !address.startsWith(UNIX));
}

async function postByFetch({ address, path, headers, body, signal }: Post): Promise<Answer> {
  const unix = address.startsWith(UNIX) ? { unix: address.slice(UNIX.length) } : {};
  const host = address.startsWith(UNIX) ? 'localhost' : address;
  const init = { method: 'POST', headers, body: body as BodyInit, signal, ...unix };
  const response = await fetch(`http://${host}${path}`, init);
  return {
    status: response.status,
    headers: new Map(response.headers),
    body: response.body ?? empty(),
  };
}

async function* empty(): AsyncGenerator<Uint8Array> {}

/** Keeps connections open between calls; idle ones do not hold the process. */
let agent: import('node:http').Agent | undefined;

async function postByHttp({ address, path, headers, body, signal }: Post): Promise<Answer> {
  const { Agent, request } = await import('node:http');
  agent ??= new Agent({ keepAlive: true });
  const place = address.startsWith(UNIX)
    ? { socketPath: address.slice(UNIX.length) }
    : { host: address.slice(0, address.lastIndexOf(':')), port: address.slice(address.lastIndexOf(':') + 1) };
  return new Promise((resolve, reject) => {
    const sent = request({ ...place, agent, path, method: 'POST', headers, signal }, (response) => {
      const names = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const);
      resolve({ status: response.statusCode ?? 0, headers: new Map(names), body: response });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
