// The terminal of this page: it is offered, starts, and ends with the page. It stays open while
// other views are shown.

import { fromBase64 } from '../rpc/base64.ts';
import { call, stream } from '../rpc/client.ts';
import type { OfferTerminalResponse } from '../rpc/contract.ts';
import { asCallError, type CallError } from '../rpc/error.ts';
import { login } from '../state/login.ts';
import { Store } from '../state/store.ts';
import { theme } from '../state/theme.ts';
import { pasteOf } from './clean.ts';
import { TerminalInput } from './input.ts';
import type { Screen } from './screen.ts';

export interface TerminalState {
  state: 'none' | 'offered' | 'starting' | 'open' | 'ended';
  offer?: OfferTerminalResponse;
  /** How it ended, in words. */
  ended?: string;
  /** Why it could not be started or typed into. */
  error?: CallError;
}

/** The bundle of the screen, which `build.mjs` makes. */
const SCREEN_URL = '/terminal.js';

export const terminal = new Store<TerminalState>({ state: 'none' });

/** Where the screen is drawn; a view shows it. */
export const host = document.createElement('div');
host.className = 'terminal-host';

interface OpenParts {
  screen: Screen;
  abort: AbortController;
  input?: TerminalInput;
}

let parts: OpenParts | undefined;
/** Takes the focus when the person leaves the screen. */
let takeFocus = () => {};

new ResizeObserver(() => parts?.screen.fit()).observe(host);
const applyTheme = () => parts?.screen.applyTheme();
theme.subscribe(applyTheme);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', applyTheme);
login.subscribe(() => login.value.state !== 'in' && endTerminal());
window.addEventListener('beforeunload', (event) => {
  if (isOpen()) event.preventDefault();
});

export function isOpen(): boolean {
  return terminal.value.state === 'open';
}

/** Asks the daemon what a terminal would start. */
export async function offerTerminal(): Promise<void> {
  const offer = await call('DashboardService/OfferTerminal');
  terminal.set({ state: 'offered', offer });
}

export function declineOffer(): void {
  terminal.set({ state: 'none' });
}

/** `take` is called from now on when the person leaves the screen by a key. */
export function onLeave(take: () => void): void {
  takeFocus = take;
}

/** Starts what was offered. */
export async function startTerminal(): Promise<void> {
  const { offer } = terminal.value;
  if (!offer) return;
  terminal.set({ state: 'starting' });
  try {
    parts?.screen.dispose();
    parts = undefined;
    const { createScreen } = (await import(SCREEN_URL)) as typeof import('./screen.ts');
    const abort = new AbortController();
    const screen = createScreen(host, {
      onText: (text) => parts?.input?.type(text),
      onBytes: (bytes) => parts?.input?.typeBytes(bytes),
      onResize: (size) => parts?.input?.resize(size),
      onLeave: () => takeFocus(),
    });
    parts = { screen, abort };
    screen.fit();
    await readToEnd(parts, offer.offer);
  } catch (cause) {
    terminal.set({ state: 'ended', error: asCallError(cause) });
  } finally {
    parts?.screen.close();
    if (parts) delete parts.input;
  }
}

/** Ends it; its programs end with it. */
export function endTerminal(): void {
  parts?.abort.abort();
}

/** Types a clean text, which is run when the person presses Enter. */
export function sendText(text: string): void {
  if (parts) parts.input?.type(pasteOf(text, parts.screen.knowsPastes));
}

export function focusScreen(): void {
  parts?.screen.focus();
}

export function setScreenReader(isOn: boolean): void {
  parts?.screen.setScreenReader(isOn);
}

async function readToEnd(open: OpenParts, offer: string): Promise<void> {
  const { screen, abort } = open;
  let ended = 'the daemon ended it';
  const { signal } = abort;
  try {
    const request = { offer, ...screen.size };
    for await (const message of stream('DashboardService/OpenTerminal', request, { signal })) {
      if (message.terminal) begin(open, message.terminal);
      // Nothing is read ahead of the screen.
      if (message.data) await screen.write(fromBase64(message.data));
      if (message.ended) ended = message.ended;
    }
  } catch (cause) {
    if (!signal.aborted) throw cause;
    ended = 'you ended it';
  }
  terminal.set({ state: 'ended', ended });
}

function begin(open: OpenParts, capability: string): void {
  open.input = new TerminalInput(capability, (error) => isOpen() && terminal.patch({ error }));
  open.input.resize(open.screen.size);
  terminal.set({ state: 'open' });
  open.screen.focus();
}
