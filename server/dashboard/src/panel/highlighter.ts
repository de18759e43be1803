// Frames an element on its page, in a window that a person sees. The last request counts.

import { call } from '../rpc/client.ts';
import { asCallError, type CallError } from '../rpc/error.ts';

export class Highlighter {
  readonly #place: { session: string; tab: string };
  readonly #onError: (error: CallError) => void;
  #wanted: string | undefined;
  #shown: string | undefined;
  #isBusy = false;

  constructor(session: string, tab: string, onError: (error: CallError) => void) {
    this.#place = { session, tab };
    this.#onError = onError;
  }

  /** Frames the element of a ref, or none. */
  point(ref: string | undefined): void {
    this.#wanted = ref;
    if (!this.#isBusy) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isBusy = true;
    try {
      while (this.#wanted !== this.#shown) {
        this.#shown = this.#wanted;
        const request = this.#shown === undefined ? { clear: true } : { target: this.#shown };
        await call('BrowserService/Highlight', request, this.#place);
      }
    } catch (cause) {
      this.#onError(asCallError(cause));
    } finally {
      this.#isBusy = false;
    }
  }
}
