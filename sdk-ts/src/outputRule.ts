// Where a command may write what a page served, and what it may replace there, by
// the rule and the tables of the contract. `proto/tests/outputs.json` is the table
// of cases.

import { OUTPUTS } from './generated/outputs.ts';

/** The folders that the rule goes by, with their links resolved. */
export interface Places {
  /** The project and the working directory. */
  own: string[];
  temp: string;
  home: string | undefined;
  browseHome: string | undefined;
  /** The folders that programs are looked for in. */
  search: string[];
  macos: boolean;
}

/** Bytes of a file that its kind is told by. */
export const HEAD = 4096;

const list = (name: string) => (OUTPUTS[name] ?? '').split('|');
const has = (name: string, word: string) => list(name).includes(word);
const lower = (path: string) => path.toLowerCase().split('/').filter(Boolean);
const within = (path: string, folder: string) => `${path}/`.startsWith(`${folder.replace(/\/+$/, '')}/`);

/** Whether interpreters and tools load a file of this name from the folder that they are started in. */
export const isLoaded = (name: string) => has('LOADED', extensionOf(name.toLowerCase()));

/** Whether programs run or obey a file of this name. */
export function isObeyed(name: string): boolean {
  const wanted = name.toLowerCase();
  return list('NAMES').some((entry) => {
    const [begin = '', end] = entry.split('*');
    if (end === undefined) return entry === wanted;
    return wanted.length >= begin.length + end.length && wanted.startsWith(begin) && wanted.endsWith(end);
  });
}

/** Why nothing is written at `path`, whose links are resolved. */
export function refusal(places: Places, path: string): string | undefined {
  const all = lower(path);
  const folders = all.slice(0, -1);
  const name = all.at(-1);
  if (name === undefined) return undefined;
  const closed = all.find((part) => has('CLOSED', part));
  if (closed) return `\`${closed}\` holds settings, hooks or credentials`;
  if (places.browseHome && within(path, places.browseHome)) return 'settings of browse lie there';
  const fault = settings(all, name);
  if (fault) return fault;
  const parent = path.slice(0, path.lastIndexOf('/')) || '/';
  const ofHome = list('HOME_PROGRAMS').map((part) => `${places.home}/${part}`);
  if (places.search.includes(parent) || ofHome.includes(parent)) return `programs are looked for in \`${parent}\``;
  const base = baseOf(places, path);
  const system = base === undefined ? systemFolder(all, places.macos) : undefined;
  if (system) return `\`${system}\` is a folder of the system`;
  if (places.macos && isLibrary(places, path, base)) return 'programs keep their settings in `Library`';
  const begin = base === undefined ? 0 : lower(base).length;
  for (const [index, part] of all.entries()) {
    // What `settings` let through, and the folders that Rust's `tempfile` makes.
    const ours = part === '.browse' || (base === places.temp && index === begin && part.startsWith('.tmp'));
    if (index >= begin && part.startsWith('.') && !(ours && index < folders.length)) return `\`${part}\` begins with a dot`;
  }
  const obeyed = folders.slice(begin).find((part) => has('FOLDERS', part));
  if (obeyed) return `programs run or obey what lies in \`${obeyed}\``;
  return isObeyed(name) ? `programs run or obey a file named \`${name}\`` : undefined;
}

/** The innermost of our folders that `path` lies in. */
function baseOf(places: Places, path: string): string | undefined {
  const found = [...places.own, places.temp].filter((base) => within(path, base) && path !== base && isOwn(base, places.macos));
  return found.reduce<string | undefined>((best, base) => (best === undefined || lower(base).length >= lower(best).length ? base : best), undefined);
}

/** Whether what lies below `base` can be a working directory's own. */
function isOwn(base: string, macos: boolean): boolean {
  const all = lower(base);
  if (!all.length) return false;
  if (systemFolder(all, macos) === undefined) return true;
  const shown = `/${all.join('/')}`;
  if (within(shown, '/usr')) {
    const first = all[1] === 'local' ? all[2] : all[1];
    return first !== undefined && !has('PROGRAMS', first);
  }
  return list('OPEN').some((open) => within(shown, open));
}

/** The folder of the system that a path lies in. */
function systemFolder(all: string[], macos: boolean): string | undefined {
  const shown = `/${all.join('/')}`;
  // Units of the session manager lie beside its sockets.
  if (all[3] !== 'systemd' && list('SHARED').some((open) => within(shown, open))) return undefined;
  return [...list('SYSTEM'), ...(macos ? list('SYSTEM_OF_MACOS') : [])].find((folder) => within(shown, folder));
}

function isLibrary(places: Places, path: string, base: string | undefined): boolean {
  if (!places.home || !within(path, places.home)) return false;
  if (base !== undefined && within(base, `${places.home}/Library`)) return false;
  const inner = lower(path.slice(places.home.length));
  return inner[0] === 'library' && !['mobile documents', 'cloudstorage'].includes(inner[1] ?? '');
}

/** Whether it is a file of ours in a `.browse`, other than what commands save there. */
function settings(all: string[], name: string): string | undefined {
  const at = all.indexOf('.browse');
  if (at < 0) return undefined;
  const inner = all.length > at + 2;
  if (all[at + 1] === 'downloads' && inner) return undefined;
  if (all[at + 1] !== 'skills') return 'settings of browse lie there';
  // A skill is source code; pages that it is tested with are not.
  const data = has('DATA', extensionOf(name)) || expected(extensionOf(name)) !== undefined;
  return inner && data ? undefined : `\`${name}\` is part of a skill`;
}

function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot + 1) : '';
}

function entry(name: string, fits: (key: string) => boolean): string | undefined {
  const found = list(name).map((text) => text.split(' ')).find(([key]) => fits(key ?? ''));
  return found?.[1];
}

/** The kind that an extension promises. */
const expected = (extension: string) => entry('EXPECTED', (key) => key === extension);

/** The kind of a file by its first bytes; `text` for text, empty when they say nothing. */
export function kindOf(head: Uint8Array): string {
  const hex = Array.from(head.subarray(0, 32), (byte) => byte.toString(16).padStart(2, '0')).join('');
  const fits = (pattern: string) => hex.length >= pattern.length && [...pattern].every((digit, at) => digit === '.' || digit === hex[at]);
  return entry('FIRST_BYTES', fits) ?? (isText(head) ? 'text' : '');
}

function isText(head: Uint8Array): boolean {
  if (!head.length || head.some((byte) => byte < 32 && ![9, 10, 12, 13, 27].includes(byte))) return false;
  try {
    // A letter may be cut in two at the end.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: head.length === HEAD });
    return true;
  } catch {
    return false;
  }
}

/** Why what begins with `head` is not written as `file`. */
export function contradiction(file: string, head: Uint8Array): string | undefined {
  const extension = extensionOf(file.toLowerCase());
  const isCode = has('CODE', extension);
  const wanted = expected(extension) ?? (isCode || has('DATA', extension) ? 'text' : undefined);
  const kind = kindOf(head);
  if (wanted === undefined || !kind || kind === wanted || (has('PICTURES', kind) && has('PICTURES', wanted))) return undefined;
  // Programs have extensions of code as well.
  if (isCode && !has('PICTURES', kind) && !['PDF', 'WebM', 'ZIP'].includes(kind)) return undefined;
  return `the content is ${named(kind)}, not ${named(wanted)}`;
}

/** Why the file `file`, which begins with `old`, is not replaced by what begins with `head`. */
export function replacement(file: string, old: Uint8Array, executable: boolean, head: Uint8Array): string | undefined {
  const extension = extensionOf(file.toLowerCase());
  const [was, is] = [kindOf(old), kindOf(head)];
  if (has('CODE', extension)) return `it exists and holds code or settings, as \`.${extension}\` says`;
  const isKnown = has('DATA', extension) || expected(extension) !== undefined;
  const isScript = old[0] === 0x23 && old[1] === 0x21;
  if (has('EXECUTABLE', was) || (!isKnown && (executable || isScript))) return 'it exists and is a program';
  if (was === 'text' && !isKnown && extension) return `it exists, and \`.${extension}\` is not known as data`;
  if (!old.length || was === is || !was || !is) return undefined;
  return `it exists and is ${named(was)}, and the content is ${named(is)}`;
}

const named = (kind: string) => (kind === 'text' ? 'text' : `a ${kind} file`);
