// Opens what a command writes to. The folder is opened first, and everything is
// decided on the folder that was opened. A regular file appears whole or not at
// all; pipes with a name and a few devices are written into; nothing else is.

import { projectOf } from './place.ts';
import { contradiction, HEAD, type Places, refusal, replacement } from './outputRule.ts';
import { variable } from './runtime.ts';

/** Loaded by what saves, and by nothing else: it would cost every skill its start. */
export async function modules() {
  const [fs, os, path, crypto] = await Promise.all([import('node:fs'), import('node:os'), import('node:path'), import('node:crypto')]);
  return { fs, os, path, crypto };
}

export type Modules = Awaited<ReturnType<typeof modules>>;

/** Who chose the path of a file. */
export type NamedBy = 'caller' | 'page' | 'nobody';

/** Why a file is not written. */
export class Refused extends Error {}

/** Milliseconds until a pipe that nobody reads is given up. */
const PIPE_PATIENCE = 30_000;
const MAX_LINKS = 40;
const O_PATH = 0o10000000;
/** Devices that are written into: name, and their numbers on Linux. */
const DEVICES: Record<string, number> = { null: 0x103, zero: 0x105, full: 0x107, tty: 0x500 };

/** The places of this process. */
export async function placesOf({ fs, os }: Modules): Promise<Places> {
  const real = (path: string) => {
    try {
      return fs.realpathSync(path);
    } catch {
      return path;
    }
  };
  const folder = (name: string) => {
    const set = variable(name);
    return set ? real(set) : undefined;
  };
  return {
    own: [await projectOf(process.cwd()), process.cwd()].map(real),
    temp: real(os.tmpdir()),
    home: folder('HOME'),
    browseHome: folder('BROWSE_HOME'),
    search: (variable('PATH') ?? '').split(':').filter((path) => path.startsWith('/')).map(real),
    macos: process.platform === 'darwin',
  };
}

/** A folder that was opened, and its path. */
class Folder {
  readonly path: string;
  readonly #node: Modules;
  readonly #file: number;
  readonly #held: boolean;

  constructor(node: Modules, path: string) {
    const { fs } = node;
    this.#node = node;
    this.#file = fs.openSync(path, process.platform === 'linux' ? O_PATH : fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    const about = fs.fstatSync(this.#file);
    if (!about.isDirectory()) throw new Refused('a part of the path is not a folder');
    const link = `/proc/self/fd/${this.#file}`;
    this.#held = fs.existsSync(link);
    this.path = this.#held ? fs.readlinkSync(link) : fs.realpathSync(path);
    // Where descriptors have no names the path is compared with what was opened.
    if (!this.#held && !isSame(fs.lstatSync(this.path), about)) throw new Refused('the folder changed meanwhile');
  }

  /** A path to `name` in this folder, wherever the folder is by now. */
  at(name: string): string {
    return this.#node.path.join(this.#held ? `/proc/self/fd/${this.#file}` : this.path, name);
  }

  about(name: string) {
    return this.#node.fs.lstatSync(this.at(name), { throwIfNoEntry: false });
  }

  close(): void {
    this.#node.fs.closeSync(this.#file);
  }
}

type Stats = ReturnType<Modules['fs']['fstatSync']>;
type Goal = { folder: Folder; name: string; stream?: Stats } | { descriptor: number };

const isSame = (one: Stats, other: Stats) => one.dev === other.dev && one.ino === other.ino;

function find(node: Modules, places: Places, wanted: string): Goal {
  let path = node.path.isAbsolute(wanted) ? wanted : `${process.cwd()}/${wanted}`;
  for (let count = 0; count < MAX_LINKS; count += 1) {
    const number = descriptorOf(path);
    if (number !== undefined) return { descriptor: number };
    const name = node.path.basename(path);
    if (path.endsWith('/') || ['', '.', '..'].includes(name)) throw new Refused('it is a folder');
    const folder = new Folder(node, path.slice(0, path.lastIndexOf('/')) || '/');
    try {
      const about = folder.about(name);
      if (about?.isSymbolicLink()) {
        const target = node.fs.readlinkSync(folder.at(name));
        path = target.startsWith('/') ? target : `${folder.path}/${target}`;
        continue;
      }
      const fault = about && unfit(folder, name, about);
      if (fault) throw new Refused(fault);
      const why = about?.isCharacterDevice() ? undefined : refusal(places, node.path.join(folder.path, name));
      if (why) throw new Refused(why);
      const goal = { folder: new Folder(node, folder.at('.')), name };
      return about && !about.isFile() ? { ...goal, stream: about } : goal;
    } finally {
      folder.close();
    }
  }
  throw new Refused('it is a link to itself');
}

/** Why a file of this type is not written to. */
function unfit(folder: Folder, name: string, about: Stats): string | undefined {
  if (about.isFile() || about.isFIFO()) return undefined;
  const numbers = folder.path === '/dev' ? DEVICES[name] : undefined;
  if (about.isCharacterDevice() && numbers !== undefined && (process.platform !== 'linux' || Number(about.rdev) === numbers)) return undefined;
  if (about.isDirectory()) return 'it is a folder';
  if (about.isBlockDevice()) return 'it is a block device';
  return about.isSocket() ? 'it is a socket' : 'it is a device';
}

/** The descriptor that a path names. */
/** Whether a descriptor was opened for reading alone. To open it by its path on Linux asks for the file anew. */
function isReadOnly({ fs }: Modules, descriptor: number): boolean {
  let about = '';
  try {
    about = fs.readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8');
  } catch {
    // Other systems keep the mode.
  }
  const flags = /^flags:\s*([0-7]+)/m.exec(about)?.[1];
  return flags !== undefined && (Number.parseInt(flags, 8) & 3) === 0;
}

function descriptorOf(path: string): number | undefined {
  if (path === '/dev/stdout') return 1;
  if (path === '/dev/stderr') return 2;
  const found = /^\/(?:dev|proc\/(?:self|thread-self|(\d+)))\/fd\/(\d+)$/.exec(path);
  return found && (found[1] === undefined || Number(found[1]) === process.pid) ? Number(found[2]) : undefined;
}

/** A file under way: it lies under another name beside its own until it is whole. */
export class OutputFile {
  readonly #node: Modules;
  readonly #path: string;
  readonly #goal: Goal;
  readonly #draft: string;
  readonly #own: string | undefined;
  readonly #numbered: boolean;
  readonly #file: number;
  readonly #head: number[] = [];
  #isOpen = true;

  constructor(node: Modules, places: Places, path: string, by: NamedBy) {
    this.#node = node;
    this.#path = path;
    this.#numbered = by === 'page';
    this.#goal = find(node, places, path);
    if ('folder' in this.#goal && !this.#goal.stream) {
      this.#draft = this.#goal.folder.at(`.${this.#goal.name.slice(0, 30)}.${unique()}`);
    } else {
      this.#own = ownFolder(node);
      this.#draft = node.path.join(this.#own, 'draft');
    }
    this.#file = node.fs.openSync(this.#draft, 'wx+', by === 'nobody' ? 0o600 : 0o666);
  }

  add(bytes: Uint8Array): void {
    this.#head.push(...bytes.subarray(0, Math.max(0, HEAD - this.#head.length)));
    for (let at = 0; at < bytes.length; ) at += this.#node.fs.writeSync(this.#file, bytes, at);
  }

  /** Puts it where it is to be, and returns the path that it got. */
  async finish(): Promise<string> {
    const goal = this.#goal;
    if ('descriptor' in goal) {
      const path = `/dev/fd/${goal.descriptor}`;
      const about = this.#node.fs.statSync(path);
      if (about.isBlockDevice() || about.isDirectory()) throw new Refused('it is not a file that is written to');
      if (isReadOnly(this.#node, goal.descriptor)) throw new Refused('it is open for reading only');
      const isOurs = goal.descriptor <= 2 && !about.isFIFO();
      await this.#pour(isOurs ? goal.descriptor : path);
    } else if (goal.stream) {
      await this.#pour(goal.folder.at(goal.name), goal.stream);
    } else if (!this.#numbered) {
      this.#replace(goal.folder, goal.name);
    } else {
      const { dir, name, ext } = this.#node.path.parse(this.#path);
      for (let number = 1; ; number += 1) {
        const wanted = number === 1 ? goal.name : `${name}-${number}${ext}`;
        if (this.#claim(goal.folder, wanted)) return this.#node.path.join(dir, wanted);
      }
    }
    return this.#path;
  }

  #replace(folder: Folder, name: string): void {
    const { fs } = this.#node;
    const head = Uint8Array.from(this.#head);
    const about = folder.about(name);
    if (about && !about.isFile()) throw new Refused('it changed meanwhile');
    const why = contradiction(name, head) ?? (about && replacement(name, this.#old(folder.at(name), about), (Number(about.mode) & 0o111) !== 0, head));
    if (why) throw new Refused(why);
    if (about) fs.renameSync(this.#draft, folder.at(name));
    else if (!this.#claim(folder, name)) throw new Refused('it came into being meanwhile');
  }

  /** The first bytes of what is to be replaced. */
  #old(path: string, about: Stats): Uint8Array {
    const { fs } = this.#node;
    let file: number;
    try {
      file = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    } catch (error) {
      // It may be replaced where it may not be read.
      if (codeOf(error) === 'EACCES') return new Uint8Array();
      throw error;
    }
    try {
      if (!isSame(fs.fstatSync(file), about)) throw new Refused('it changed meanwhile');
      const head = new Uint8Array(HEAD);
      return head.subarray(0, fs.readSync(file, head, 0, HEAD, 0));
    } finally {
      fs.closeSync(file);
    }
  }

  /** Gives it the name `wanted`, unless something has it. */
  #claim(folder: Folder, wanted: string): boolean {
    const { fs } = this.#node;
    try {
      // A rename would replace; a link does not.
      fs.linkSync(this.#draft, folder.at(wanted));
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST' || folder.about(wanted)) return false;
      if (codeOf(error) === 'ENOENT') throw error;
    }
    // The file system has no links.
    fs.renameSync(this.#draft, folder.at(wanted));
    return true;
  }

  /** Writes what the draft holds into a pipe or a device. */
  async #pour(to: number | string, wanted?: Stats): Promise<void> {
    const { fs } = this.#node;
    const end = Date.now() + PIPE_PATIENCE;
    const attempt = async <T>(code: string, work: () => T): Promise<T> => {
      for (;;) {
        try {
          return work();
        } catch (error) {
          if (codeOf(error) !== code) throw error;
        }
        if (Date.now() >= end) throw new Refused('nobody reads it');
        await new Promise((done) => setTimeout(done, 10));
      }
    };
    const flags = fs.constants.O_WRONLY | fs.constants.O_NONBLOCK | fs.constants.O_APPEND;
    const out = typeof to === 'number' ? to : await attempt(wanted?.isFIFO() === false ? '' : 'ENXIO', () => fs.openSync(to, flags));
    try {
      if (wanted && !isSame(fs.fstatSync(out), wanted)) throw new Refused('it changed meanwhile');
      const buffer = new Uint8Array(1 << 16);
      for (let from = 0; ; ) {
        const count = fs.readSync(this.#file, buffer, 0, buffer.length, from);
        if (!count) return;
        from += count;
        for (let at = 0; at < count; ) at += await attempt('EAGAIN', () => fs.writeSync(out, buffer, at, count - at));
      }
    } finally {
      if (out !== to) fs.closeSync(out);
    }
  }

  /** Takes away what is half written. */
  discard(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { fs } = this.#node;
    fs.closeSync(this.#file);
    fs.rmSync(this.#draft, { force: true });
    if (this.#own) fs.rmdirSync(this.#own);
    if ('folder' in this.#goal) this.#goal.folder.close();
  }
}

/** Makes the folder `path`, and those above it, where the rule lets a file lie in it. */
export function makeFolder(node: Modules, places: Places, path: string): void {
  let found = node.path.resolve(path);
  let rest = '';
  while (!node.fs.existsSync(found)) {
    rest = node.path.join(node.path.basename(found), rest);
    found = node.path.dirname(found);
  }
  const real = node.path.join(node.fs.realpathSync(found), rest);
  const why = refusal(places, node.path.join(real, 'download'));
  if (why) throw new Refused(why);
  node.fs.mkdirSync(real, { recursive: true });
}

/** Makes a folder in the temp folder that nobody else can enter. */
export function ownFolder(node: Modules): string {
  return node.fs.mkdtempSync(node.path.join(node.os.tmpdir(), 'browse-files-'));
}

const codeOf = (error: unknown) => (error as { code?: string }).code;

function unique(): string {
  return `${Date.now()}-${Math.random().toString(36).slice(2, 10)}`;
}
