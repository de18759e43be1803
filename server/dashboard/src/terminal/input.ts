// What is typed into a terminal, and its size: one call after another, in order. What comes
// while a call is under way goes with the next one.

import { toBase64 } from '../rpc/base64.ts';
import { call } from '../rpc/client.ts';
import { asCallError, type CallError } from '../rpc/error.ts';
import type { TerminalSize } from './screen.ts';

/** Bytes of one call; the daemon takes twice as many. */
const MAX_BYTES = 32 << 10;

export class TerminalInput {
  readonly #terminal: string;
  readonly #onError: (error: CallError) => void;
  #bytes = new Uint8Array(0);
  #size: TerminalSize | undefined;
  #isSending = false;

  constructor(terminal: string, onError: (error: CallError) => void) {
    this.#terminal = terminal;
    this.#onError = onError;
  }

  type(text: string): void {
    this.typeBytes(new TextEncoder().encode(text));
  }

  typeBytes(bytes: Uint8Array): void {
    const all = new Uint8Array(this.#bytes.length + bytes.length);
    all.set(this.#bytes);
    all.set(bytes, this.#bytes.length);
    this.#bytes = all;
    void this.#send();
  }

  resize(size: TerminalSize): void {
    this.#size = size;
    void this.#send();
  }

  async #send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      while (this.#bytes.length > 0 || this.#size) {
        const data = this.#bytes.subarray(0, MAX_BYTES);
        const typed = data.length > 0 ? { data: toBase64(data) } : {};
        const request = { terminal: this.#terminal, ...typed, ...this.#size };
        this.#bytes = this.#bytes.slice(data.length);
        this.#size = undefined;
        await call('DashboardService/WriteTerminal', request);
      }
    } catch (cause) {
      // What was typed behind it would arrive without it.
      this.#bytes = new Uint8Array(0);
      this.#onError(asCallError(cause));
    } finally {
      this.#isSending = false;
    }
  }
}
