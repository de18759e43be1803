// Input on its way to a tab: one request in flight, and the events behind it joined.

import { call } from '../rpc/client.ts';
import { asCallError, type CallError } from '../rpc/error.ts';
import type { PersonInput } from './event.ts';

/** Kinds of which only the last of a run counts. */
const LAST_ONE_COUNTS = new Set(['move', 'touch-move', 'compose']);
/** Events of one request. */
const MAX_EVENTS = 100;
const FILES_TIMEOUT_MS = 60_000;

export class InputQueue {
  readonly #lease: string;
  readonly #session: string;
  readonly #onError: (error: CallError) => void;
  #waiting: { tab: string; event: PersonInput }[] = [];
  #isSending = false;
  #isClosed = false;

  constructor(lease: string, session: string, onError: (error: CallError) => void) {
    this.#lease = lease;
    this.#session = session;
    this.#onError = onError;
  }

  push(tab: string, event: PersonInput): void {
    if (this.#isClosed) return;
    const last = this.#waiting.at(-1);
    const joined = last?.tab === tab ? join(last.event, event) : undefined;
    if (last && joined) last.event = joined;
    else this.#waiting.push({ tab, event });
    if (!this.#isSending) void this.#send();
  }

  /** Tells the daemon that the person is still there. */
  beat(tab: string): void {
    if (!this.#isSending && !this.#isClosed) void this.#send(tab);
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting = [];
  }

  async #send(beatTab?: string): Promise<void> {
    this.#isSending = true;
    try {
      if (beatTab !== undefined) await this.#post(beatTab, []);
      while (this.#waiting.length > 0) {
        const { tab, events } = this.#take();
        await this.#post(tab, events);
      }
    } catch (cause) {
      // What waits was meant for what the person saw then.
      this.#waiting = [];
      if (!this.#isClosed) this.#onError(asCallError(cause));
    } finally {
      this.#isSending = false;
    }
    // Events that came while the error was handled.
    if (this.#waiting.length > 0) void this.#send();
  }

  async #post(tab: string, events: PersonInput[]): Promise<void> {
    const hasFiles = events.some((event) => event.files && event.files.length > 0);
    await call(
      'DashboardService/SendInput',
      { lease: this.#lease, tab, events },
      { session: this.#session, ...(hasFiles ? { timeoutMs: FILES_TIMEOUT_MS } : {}) },
    );
  }

  /** The first events of one tab. */
  #take(): { tab: string; events: PersonInput[] } {
    const tab = this.#waiting[0]?.tab ?? '';
    const other = this.#waiting.findIndex((item) => item.tab !== tab);
    const count = Math.min(other < 0 ? this.#waiting.length : other, MAX_EVENTS);
    return { tab, events: this.#waiting.splice(0, count).map((item) => item.event) };
  }
}

/** One event in place of two in a row, where that has the same effect. */
function join(last: PersonInput, next: PersonInput): PersonInput | undefined {
  if (last.kind !== next.kind || last.modifiers !== next.modifiers) return undefined;
  if (LAST_ONE_COUNTS.has(next.kind)) return next;
  if (next.kind !== 'wheel') return undefined;
  return { ...next, dx: (last.dx ?? 0) + (next.dx ?? 0), dy: (last.dy ?? 0) + (next.dy ?? 0) };
}
