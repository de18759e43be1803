// How a request reaches the daemon: by HTTP, or over the pipe to the browser of this panel.

import { frame } from './frame.ts';
import { postByPipe } from './pipe.ts';

export interface PostRequest {
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer>;
  signal: AbortSignal;
  /** Sends it also while the page goes away. */
  keepalive: boolean;
}

/** Posts to a path of the daemon at `address`, which is empty for the one that served this page. */
export function post(address: string, path: string, request: PostRequest): Promise<Response> {
  if (frame === 'pipe') return postByPipe(path, request);
  return fetch(`${address}${path}`, { method: 'POST', ...request, cache: 'no-store', credentials: 'omit' });
}
