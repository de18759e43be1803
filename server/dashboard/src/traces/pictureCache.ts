// The last pictures of steps, as addresses of blobs, which hold memory until they are revoked.

import { fromBase64 } from '../rpc/base64.ts';

const MAX_PICTURES = 12;

export class PictureCache {
  /** By number of the step; the one that was used last stands last. */
  readonly #urls = new Map<number, string>();

  get(step: number): string | undefined {
    const url = this.#urls.get(step);
    if (url !== undefined) {
      this.#urls.delete(step);
      this.#urls.set(step, url);
    }
    return url;
  }

  /** Takes a JPEG, as base64. */
  put(step: number, jpeg: string): void {
    this.#revoke(step);
    this.#urls.set(step, URL.createObjectURL(new Blob([fromBase64(jpeg)], { type: 'image/jpeg' })));
    const [oldest] = this.#urls.keys();
    if (this.#urls.size > MAX_PICTURES && oldest !== undefined) this.#revoke(oldest);
  }

  clear(): void {
    for (const step of [...this.#urls.keys()]) this.#revoke(step);
  }

  #revoke(step: number): void {
    const url = this.#urls.get(step);
    if (url !== undefined) URL.revokeObjectURL(url);
    this.#urls.delete(step);
  }
}
