// Pictures of the tabs that are on the screen: one stream for all of them.
//
// The daemon sends the next picture of a tab when the last message was acknowledged. There is
// one `UpdateView` in flight at most; what changes meanwhile goes with the next one.

import { call, stream, type CallOptions } from '../rpc/client.ts';
import type { UpdateViewRequest, ViewTabsResponse } from '../rpc/contract.ts';
import { asCallError, type CallError } from '../rpc/error.ts';
import { findTab, overview } from './overview.ts';
import { Store } from './store.ts';

const THUMBNAIL_WIDTH = 320;
const FRAMES_PER_SECOND = 2;
/** Time without a watched tab after which the stream ends: views change in less. */
const IDLE_MS = 500;
const MIN_WIDTH = 16;
const MAX_WIDTH = 2560;
/** Tabs that a view shows at most. */
const MAX_TABS = 64;
const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 4_000;

/** The tab that is shown large. */
interface Large {
  tab: string;
  width: number;
}

/** What is wrong with the stream; absent while it works. */
export const picturesProblem = new Store<CallError | undefined>(undefined);

const lastPictures = new Map<string, ViewTabsResponse>();
const listeners = new Map<string, Set<(picture: ViewTabsResponse) => void>>();
let large: Large | undefined;
let connected: Connection | undefined;
let idleTimer: ReturnType<typeof setTimeout> | undefined;
let restartTimer: ReturnType<typeof setTimeout> | undefined;
let delay = FIRST_DELAY_MS;

/** Receives the pictures of a tab, the last one at once, until the result is called. */
export function watchTab(tab: string, listener: (picture: ViewTabsResponse) => void): () => void {
  const all = listeners.get(tab) ?? new Set();
  listeners.set(tab, all.add(listener));
  const last = lastPictures.get(tab);
  if (last) listener(last);
  scheduleUpdate();
  return () => {
    all.delete(listener);
    if (all.size === 0) listeners.delete(tab);
    scheduleUpdate();
  };
}

/** Shows a tab large, in pixels of the screen; `undefined` shows none so. */
export function setLarge(next: { tab: string; width: number } | undefined): void {
  large = next && { tab: next.tab, width: Math.max(MIN_WIDTH, Math.min(MAX_WIDTH, Math.round(next.width))) };
  scheduleUpdate();
}

/** Forgets pictures of tabs that are not there any more. */
export function forgetTabsExcept(tabs: Set<string>): void {
  for (const tab of lastPictures.keys()) if (!tabs.has(tab)) lastPictures.delete(tab);
}

document.addEventListener('visibilitychange', scheduleUpdate);

let isScheduled = false;

/** Brings the stream to what is watched now, after the changes of this turn. */
function scheduleUpdate(): void {
  if (isScheduled) return;
  isScheduled = true;
  queueMicrotask(() => {
    isScheduled = false;
    update();
  });
}

function update(): void {
  const isSeen = document.visibilityState === 'visible';
  const tabs = (isSeen ? [...listeners.keys()] : []).sort((a, b) => Number(a) - Number(b)).slice(0, MAX_TABS);
  clearTimeout(idleTimer);
  if (tabs.length === 0) {
    idleTimer = setTimeout(closeNow, IDLE_MS);
  } else if (connected) {
    connected.show(tabs, large);
  } else if (restartTimer === undefined) {
    connected = new Connection(tabs, large);
    void connected.run();
  }
}

function closeNow(): void {
  connected?.close();
  connected = undefined;
  clearTimeout(restartTimer);
  restartTimer = undefined;
}

function restartLater(from: Connection, problem: CallError | undefined): void {
  if (connected !== from) return;
  connected = undefined;
  picturesProblem.set(problem);
  restartTimer = setTimeout(() => {
    restartTimer = undefined;
    update();
  }, delay);
  delay = Math.min(delay * 2, MAX_DELAY_MS);
}

function deliver(picture: ViewTabsResponse): void {
  delay = FIRST_DELAY_MS;
  picturesProblem.set(undefined);
  lastPictures.set(picture.tab, picture);
  for (const listener of listeners.get(picture.tab) ?? []) listener(picture);
}

/** One stream, and what it was told so far. */
class Connection {
  readonly #view = `dashboard-${crypto.randomUUID()}`;
  readonly #abort = new AbortController();
  /** The session of a tab: all calls of the view have to reach the daemon that has it. */
  readonly #options: CallOptions;
  #tabs: string[];
  #large: Large | undefined;
  #received = 0n;
  #sentTabs: string;
  #sentLarge: string;
  #sentReceived = 0n;
  #isOpen = false;
  #isSending = false;

  constructor(tabs: string[], large: Large | undefined) {
    const session = findTab(overview.value.response, tabs[0] ?? '')?.session.name;
    this.#options = { signal: this.#abort.signal, ...(session === undefined ? {} : { session }) };
    this.#tabs = tabs;
    this.#large = large;
    this.#sentTabs = keyOf(tabs);
    this.#sentLarge = keyOf(undefined);
  }

  async run(): Promise<void> {
    const request = { tabs: this.#tabs, view: this.#view, width: THUMBNAIL_WIDTH, fps: FRAMES_PER_SECOND };
    let problem: CallError | undefined;
    try {
      for await (const picture of stream('DashboardService/ViewTabs', request, this.#options)) {
        this.#isOpen = true;
        const sequence = BigInt(picture.sequence);
        if (sequence > this.#received) this.#received = sequence;
        deliver(picture);
        void this.#send();
      }
    } catch (cause) {
      problem = asCallError(cause);
    }
    restartLater(this, problem);
  }

  show(tabs: string[], large: Large | undefined): void {
    this.#tabs = tabs;
    this.#large = large;
    void this.#send();
  }

  close(): void {
    this.#abort.abort();
  }

  async #send(): Promise<void> {
    // The daemon knows the view from its first message on.
    if (this.#isSending || !this.#isOpen) return;
    this.#isSending = true;
    try {
      for (let request = this.#next(); request && !this.#abort.signal.aborted; request = this.#next()) {
        await call('DashboardService/UpdateView', request, this.#options);
      }
    } catch (cause) {
      // The stream is opened again, with everything that it should show.
      if (!this.#abort.signal.aborted) {
        this.close();
        restartLater(this, asCallError(cause));
      }
    } finally {
      this.#isSending = false;
    }
  }

  /** What the daemon does not know yet; it counts as sent from now on. */
  #next(): UpdateViewRequest | undefined {
    const [tabs, large] = [keyOf(this.#tabs), keyOf(this.#large)];
    const request = {
      ...(this.#received > this.#sentReceived ? { received: String(this.#received) } : {}),
      ...(tabs !== this.#sentTabs ? { tabs: this.#tabs } : {}),
      ...(large !== this.#sentLarge
        ? { large: this.#large?.tab ?? '0', large_width: this.#large?.width ?? THUMBNAIL_WIDTH }
        : {}),
    };
    if (Object.keys(request).length === 0) return undefined;
    this.#sentReceived = this.#received;
    this.#sentTabs = tabs;
    this.#sentLarge = large;
    return { view: this.#view, ...request };
  }
}

function keyOf(value: unknown): string {
  return JSON.stringify(value) ?? '';
}
