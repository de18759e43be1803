// The screen of a terminal: xterm.js, which is loaded when the first terminal starts. This is the
// entry of a bundle of its own.

import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import type { OpenTerminalRequest } from '../rpc/contract.ts';
import { ownPasteOf } from './clean.ts';
import { withoutInlineStyles } from './styles.ts';
import { themeFor } from './theme.ts';

/** Lines above the screen that are kept. */
const SCROLLBACK = 5_000;

/** Sequences that are not followed: titles, links, and the clipboard. */
const REFUSED_OSC = [0, 1, 2, 8, 52];

/** In characters. */
export type TerminalSize = Required<Pick<OpenTerminalRequest, 'columns' | 'rows'>>;

export interface ScreenEvents {
  /** The person typed or pasted. */
  onText: (text: string) => void;
  /** A program wants reports of the mouse as bytes. */
  onBytes: (bytes: Uint8Array) => void;
  onResize: (size: TerminalSize) => void;
  /** The person wants the focus out of the terminal. */
  onLeave: () => void;
}

export interface Screen {
  readonly size: TerminalSize;
  /** Whether the program in it tells pasted text from typed text. */
  readonly knowsPastes: boolean;
  /** Shows output; done when it was taken in. */
  write: (bytes: Uint8Array) => Promise<void>;
  fit: () => void;
  focus: () => void;
  applyTheme: () => void;
  setScreenReader: (isOn: boolean) => void;
  /** Takes no more input. */
  close: () => void;
  dispose: () => void;
}

/** Makes a screen in `host`, which must be in the document to be measured. */
export function createScreen(host: HTMLElement, events: ScreenEvents): Screen {
  const terminal = new Terminal({
    fontFamily: getComputedStyle(host).fontFamily,
    fontSize: 13,
    minimumContrastRatio: 4.5,
    scrollback: SCROLLBACK,
    macOptionIsMeta: true,
    cursorBlink: !matchMedia('(prefers-reduced-motion: reduce)').matches,
    theme: themeFor(host),
  });
  const fitting = new FitAddon();
  terminal.loadAddon(fitting);
  for (const number of REFUSED_OSC) terminal.parser.registerOscHandler(number, () => true);
  withoutInlineStyles(() => terminal.open(host));
  terminal.attachCustomKeyEventHandler((event) => {
    if (!(event.key === 'Enter' && event.ctrlKey && event.shiftKey)) return true;
    if (event.type === 'keydown') events.onLeave();
    event.preventDefault();
    return false;
  });
  terminal.onData(events.onText);
  terminal.onBinary((text) => events.onBytes(Uint8Array.from(text, (letter) => letter.charCodeAt(0))));
  terminal.onResize(({ cols, rows }) => events.onResize({ columns: cols, rows }));
  const paste = (event: ClipboardEvent) => {
    event.preventDefault();
    event.stopPropagation();
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (text && !terminal.options.disableStdin) events.onText(ownPasteOf(text, terminal.modes.bracketedPasteMode));
  };
  host.addEventListener('paste', paste, { capture: true });
  return {
    get size() {
      return { columns: terminal.cols, rows: terminal.rows };
    },
    get knowsPastes() {
      return terminal.modes.bracketedPasteMode;
    },
    write: (bytes) => new Promise((done) => terminal.write(bytes, done)),
    fit: () => fitting.fit(),
    focus: () => terminal.focus(),
    applyTheme: () => void (terminal.options.theme = themeFor(host)),
    setScreenReader: (isOn) => void (terminal.options.screenReaderMode = isOn),
    close: () => {
      terminal.options.disableStdin = true;
      terminal.options.cursorBlink = false;
    },
    dispose: () => {
      host.removeEventListener('paste', paste, { capture: true });
      terminal.dispose();
      host.replaceChildren();
    },
  };
}
