// Writes what a command saves, by the rules of the command line: a file appears
// whole or not at all, a name that a page chose is made harmless and replaces
// nothing, and settings, hooks and credentials are out of reach.

import { BrowseError } from './error.ts';
import { safeName } from './names.ts';
import { makeFolder, type Modules, modules, type NamedBy, OutputFile, ownFolder, placesOf, Refused } from './output.ts';
import { isLoaded, isObeyed, type Places } from './outputRule.ts';
import type { Message } from './table.ts';

/** A file that was saved. */
export interface Saved {
  /** Where it lies. */
  path: string;
  /** Where it comes from. */
  url: string;
  /** Its MIME type. */
  mime: string;
  /** Its size in bytes. */
  bytes: number;
  /** SHA-256 of its bytes, in hexadecimal. */
  sha256: string;
  /** What to know of it. */
  note: string;
}

/** What came of saving several files. */
export interface SavedFolder {
  /** Folder that holds them. */
  folder: string;
  /** Its list of what came from where; a second run leaves out what it proves to be there. */
  manifest: string;
  /** What was saved; `file` is the name in the folder. */
  saved: { url: string; file: string; mime: string; bytes: number; sha256: string }[];
  /** How many were there already. */
  present: number;
  /** What could not be saved. */
  failed: { url: string; reason: string; message: string }[];
}

type Row = SavedFolder['saved'][number];
type Part = { file: number; head?: Message; data: Uint8Array; tail?: Message };

const MANIFEST = 'manifest.json';
/** Bytes that a manifest may have; a larger one is not ours. */
const MAX_MANIFEST = 32 << 20;

/** Saves the one file of `parts` as `place`, in the folder `place`, or in the temp directory. */
export async function saveFile(parts: AsyncIterable<Message>, place: string | undefined): Promise<Saved> {
  const node = await modules();
  const places = await placesOf(node);
  const isFolder = place === undefined || place.endsWith('/') || node.fs.statSync(place, { throwIfNoEntry: false })?.isDirectory();
  let draft: Draft | undefined;
  try {
    for await (const { head, data, tail } of parts as AsyncIterable<Part>) {
      if (head) {
        const by: NamedBy = place === undefined ? 'nobody' : isFolder ? 'page' : 'caller';
        const path = isFolder ? node.path.join(place ?? ownFolder(node), nameOfPage(String(head.name))) : place;
        draft = new Draft(node, places, path, by, head);
      }
      draft?.add(data);
      if (tail?.reason) throw new BrowseError(String(tail.reason), String(tail.message), { code: 9 });
      if (tail && draft) {
        const path = await draft.finish(tail);
        return { path, ...rowOf(draft.head, tail), note: String(tail.note) };
      }
    }
  } finally {
    draft?.discard();
  }
  throw new BrowseError('BUG', 'the command ended without an answer', { code: 13 });
}

/** Saves the files that `call` streams into a folder, together with a manifest. */
export async function saveFolder(call: (known: string[]) => AsyncIterable<Message>, place: string | undefined): Promise<SavedFolder> {
  const node = await modules();
  const places = await placesOf(node);
  const folder = place ?? ownFolder(node);
  const manifest = node.path.join(folder, MANIFEST);
  attempt(folder, () => makeFolder(node, places, folder));
  const files = readManifest(node, folder);
  const out: SavedFolder = { folder, manifest, saved: [], present: 0, failed: [] };
  const open = new Map<number, Draft>();
  try {
    for await (const { file, head, data, tail } of call(files.map((row) => row.url)) as AsyncIterable<Part>) {
      if (head) {
        const name = nameOfPage(String(head.name));
        const path = node.path.join(folder, name.toLowerCase() === MANIFEST ? `_${name}` : name);
        open.set(file, new Draft(node, places, path, 'page', head));
      }
      open.get(file)?.add(data);
      if (tail) await settle(node, out, open, file, tail);
    }
  } finally {
    for (const draft of open.values()) draft.discard();
    const urls = new Set(out.saved.map((row) => row.url));
    const rows = [...files.filter((row) => !urls.has(row.url)), ...out.saved];
    const text = `${JSON.stringify({ version: 1, files: rows, failed: out.failed }, null, 2)}\n`;
    const draft = new Draft(node, places, manifest, 'caller', {});
    draft.add(new TextEncoder().encode(text));
    await draft.place();
  }
  return out;
}

async function settle(node: Modules, out: SavedFolder, open: Map<number, Draft>, file: number, tail: Message): Promise<void> {
  const draft = open.get(file);
  open.delete(file);
  if (tail.known || tail.reason || !draft) {
    draft?.discard();
    if (tail.known) out.present += 1;
    else if (tail.reason) out.failed.push({ url: String(tail.url), reason: String(tail.reason), message: String(tail.message) });
    return;
  }
  try {
    const path = await draft.finish(tail);
    const { url, ...rest } = rowOf(draft.head, tail);
    out.saved.push({ url, file: node.path.basename(path), ...rest });
  } finally {
    draft.discard();
  }
}

function rowOf(head: Message, tail: Message): Omit<Row, 'file'> {
  return { url: String(head.url), mime: String(head.mime), bytes: Number(tail.bytes), sha256: String(tail.sha256) };
}

/** The rows of a manifest that speak of a plain file in the folder that is as they say. It may come from anywhere. */
function readManifest({ fs, path, crypto }: Modules, folder: string): Row[] {
  const file = path.join(folder, MANIFEST);
  const about = fs.statSync(file, { throwIfNoEntry: false });
  if (!about) return [];
  let files: unknown;
  try {
    if (about.isFile() && about.size <= MAX_MANIFEST) files = (JSON.parse(fs.readFileSync(file, 'utf8')) as { files: unknown }).files;
  } catch {
    // It is not ours, and would be lost.
  }
  if (!Array.isArray(files)) {
    throw new BrowseError('FILE_UNWRITABLE', `\`${file}\` is there, and is not a list of saved files`, { hint: 'Give another folder, or move that file away', metadata: { path: file }, code: 3 });
  }
  try {
    return (files as Row[]).filter((row) => {
      if (typeof row.url !== 'string' || safeName(row.file) !== row.file || row.file === MANIFEST) return false;
      const about = fs.lstatSync(path.join(folder, row.file), { throwIfNoEntry: false });
      if (!about?.isFile() || about.size !== row.bytes) return false;
      return crypto.createHash('sha256').update(fs.readFileSync(path.join(folder, row.file))).digest('hex') === row.sha256;
    });
  } catch {
    return [];
  }
}

/** A file under way, and the hash of what it is to hold. */
class Draft {
  readonly head: Message;
  readonly #path: string;
  readonly #file: OutputFile;
  readonly #hash;
  #bytes = 0;

  constructor(node: Modules, places: Places, path: string, by: NamedBy, head: Message) {
    this.head = head;
    this.#path = path;
    this.#hash = node.crypto.createHash('sha256');
    this.#file = attempt(path, () => new OutputFile(node, places, path, by));
  }

  add(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    this.#hash.update(bytes);
    attempt(this.#path, () => this.#file.add(bytes));
  }

  /** Puts it where it is to be, when it is what was sent. */
  async finish(tail: Message): Promise<string> {
    if (tail.bytes !== this.#bytes || tail.sha256 !== this.#hash.digest('hex')) {
      throw new BrowseError('BUG', `\`${this.#path}\` did not arrive as it was sent`, { code: 13 });
    }
    return this.place();
  }

  async place(): Promise<string> {
    try {
      return await this.#file.finish();
    } catch (error) {
      return attempt(this.#path, () => {
        throw error;
      });
    } finally {
      this.discard();
    }
  }

  /** Takes away what is half written. */
  discard(): void {
    this.#file.discard();
  }
}

/** The name of a file that a page chose, made harmless: programs do not obey it. */
function nameOfPage(wanted: string): string {
  const name = safeName(wanted);
  if (!isObeyed(name) && !isLoaded(name)) return name;
  // Some extensions are obeyed whatever stands before them.
  return isObeyed(`_${name}`) ? `_${name}.txt` : `_${name}`;
}

function attempt<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof BrowseError) throw error;
    if (error instanceof Refused) {
      const hint = 'Give another path; a program may move the file itself';
      throw new BrowseError('FILE_UNWRITABLE', `\`${path}\` is not written: ${error.message}`, { hint, metadata: { path }, code: 3 });
    }
    const why = (error as Error).message.replace(/^[A-Z]+: ([^,]+),.*$/s, '$1');
    throw new BrowseError('FILE_UNWRITABLE', `\`${path}\` cannot be written: ${why}`, { hint: 'Give another path', metadata: { path }, code: 3 });
  }
}
