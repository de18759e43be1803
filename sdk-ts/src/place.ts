// Where the daemon is: what the caller says, else what the environment names,
// else, for a debug run, the state file of the project around the working
// directory.

import { BrowseError } from './error.ts';
import { isDeno, variable } from './runtime.ts';
import type { Secure } from './transport.ts';

/** A daemon, and the token that calls to it carry. */
export interface Daemon {
  address: string;
  token: string;
  /** How it is reached when it is remote. */
  secure?: Secure;
  /** Session of calls whose client names none. */
  session?: string;
  /** The same with another token, after this one was not accepted; undefined when there is none. */
  renewed?(): Promise<Daemon | undefined>;
}

/** A remote daemon, or the gateway of a fleet, for the next call. */
export type RemoteDaemon = () => Promise<Daemon>;

/** What a client knows of its daemon. */
type Known = Partial<Daemon> & { fleet?: RemoteDaemon };

/** Finds the remote of a name. A skill has none: its browser is that of its run. */
export const remotes: { find?(name: string): Promise<RemoteDaemon> } = {};

/** The daemon of the state file, once it was looked for. */
let found: Promise<Daemon> | undefined;

/** The daemon that a client with these options calls. */
export async function daemonOf({ address, token, secure, fleet }: Known): Promise<Daemon> {
  if (fleet) return fleet();
  if (secure) return { address: address ?? '', token: token ?? '', secure };
  const session = variable('BROWSE_SESSION') || undefined;
  const own = variable('BROWSE_ADDR');
  const ofSkill = variable('BROWSE_SKILL_TOKEN');
  // A run of a skill has both of these.
  const name = (address ?? (own && ofSkill)) ? undefined : variable('BROWSE_REMOTE');
  if (name) return { ...(await remoteOf(name)), session };
  const named = address ?? own;
  const given = token ?? (variable('BROWSE_TOKEN') || (named ? ofSkill : undefined));
  if (named) return { address: named.replace(/^http:\/\//, '').replace(/\/+$/, ''), token: given ?? '', session };
  found ??= fromState();
  const { address: known, token: root } = await found.catch((error: unknown) => {
    found = undefined;
    throw error;
  });
  return { address: known, token: given || root, session };
}

async function remoteOf(name: string): Promise<Daemon> {
  if (remotes.find) return (await remotes.find(name))();
  const message = '`BROWSE_REMOTE` names a remote, and the SDK of a skill has no remotes';
  throw new BrowseError('SETTING_INVALID', message, { hint: 'Unset BROWSE_REMOTE, or run the skill with `browse skill run NAME`', code: 3 });
}

/** Has the state file read again by the next call. */
export function forgetDaemon(): void {
  found = undefined;
}

async function fromState(): Promise<Daemon> {
  const path = await statePath();
  if (await hasLinkedSettings(path)) throw invalidState(path, 'its folder is a link');
  const state = await ownJson(path, invalidState);
  if (!state) throw noDaemon();
  const address = String(state.address ?? '').replace(/^http:\/\//, '').replace(/\/+$/, '');
  if (!/^(127(\.\d+){3}|\[::1\]):\d+$/.test(address)) throw invalidState(path, 'its address is not on this machine');
  if (typeof state.token !== 'string' || !state.token) throw invalidState(path, 'it holds no token');
  return { address, token: state.token };
}

/**
 * What a file of JSON holds; undefined when there is no file. A process that can write
 * it can have our calls, so it counts only when it is ours alone: a checkout of a
 * repository that carries one never has its mode.
 */
export async function ownJson(path: string, invalid: (path: string, fault: string) => BrowseError): Promise<Record<string, unknown> | undefined> {
  const { closeSync, constants, fstatSync, openSync, readFileSync } = await import('node:fs');
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw invalid(path, code === 'ELOOP' ? 'it is a link' : 'it cannot be read');
  }
  try {
    const about = fstatSync(file);
    const { getuid } = await import('node:process');
    if (!about.isFile()) throw invalid(path, 'it is no plain file');
    if (getuid && about.uid !== getuid()) throw invalid(path, 'it belongs to another user');
    if (about.mode & 0o077) throw invalid(path, 'others may open it');
    return (JSON.parse(readFileSync(file, 'utf8')) ?? {}) as Record<string, unknown>;
  } catch (error) {
    throw error instanceof SyntaxError ? invalid(path, 'it is no JSON') : error;
  } finally {
    closeSync(file);
  }
}

async function statePath(): Promise<string> {
  const { join, resolve } = await import('node:path');
  const named = variable('BROWSE_STATE_FILE');
  if (named) return resolve(named);
  // deno asks for the rights to its own folder here, and not before.
  const top = variable('BROWSE_PROJECT') || (await projectOf(isDeno ? resolve('.') : process.cwd()));
  return join(top, '.browse/daemon.json');
}

/** Whether a state file lies in a `.browse` that is a link: a cloned project may name another place so. */
async function hasLinkedSettings(path: string): Promise<boolean> {
  const { lstatSync } = await import('node:fs');
  const folder = path.replace(/\/daemon\.json$/, '');
  const home = variable('BROWSE_HOME') || `${variable('HOME')}/.browse`;
  return folder.endsWith('/.browse') && folder !== home && lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/**
 * The project of a working directory: the nearest folder with a `.git`, else the
 * nearest one below the home folder with a `.browse` of this user that nobody
 * else can replace, else the directory itself. The command line decides alike;
 * `proto/tests/projects.json` is the table of cases.
 */
export async function projectOf(start: string): Promise<string> {
  const { existsSync, lstatSync, statSync } = await import('node:fs');
  const { dirname, join } = await import('node:path');
  const uid = (await import('node:process')).geteuid?.();
  const at = (path: string) => statSync(path, { throwIfNoEntry: false });
  const isSame = (path: string, other: string | undefined) => {
    const [first, second] = [at(path), other ? at(other) : undefined];
    return first !== undefined && second !== undefined && first.dev === second.dev && first.ino === second.ino;
  };
  const isWritableByOthers = (folder: string, stickyProtects: boolean) => {
    const about = at(folder);
    if (!about) return true;
    const byGroup = (about.mode & 0o020) !== 0 && about.gid !== about.uid;
    return (byGroup || (about.mode & 0o002) !== 0) && !(stickyProtects && (about.mode & 0o1000) !== 0);
  };
  const above: string[] = [];
  for (let folder = start; ; folder = dirname(folder)) {
    above.push(folder);
    if (dirname(folder) === folder) break;
  }
  const top = above.find((folder) => existsSync(join(folder, '.git')));
  if (top !== undefined) return top;
  for (const [index, folder] of above.entries()) {
    if (isSame(folder, variable('HOME'))) break;
    const own = join(folder, '.browse');
    const about = lstatSync(own, { throwIfNoEntry: false });
    if (!about?.isDirectory() || (uid !== undefined && about.uid !== uid)) continue;
    if (isSame(own, variable('BROWSE_HOME')) || isWritableByOthers(folder, false)) continue;
    if (above.slice(index + 1).every((parent) => !isWritableByOthers(parent, true))) return folder;
  }
  return start;
}

function invalidState(path: string, fault: string): BrowseError {
  return new BrowseError('STATE_FILE_INVALID', `the state file \`${path}\` cannot be used: ${fault}`, {
    hint: `Remove ${path}`,
    metadata: { path },
    code: 9,
  });
}

function noDaemon(): BrowseError {
  return new BrowseError('DAEMON_NOT_RUNNING', 'no daemon runs for this folder, and BROWSE_ADDR is not set', {
    hint: 'Run `browse goto about:blank` in this folder, which starts one; a skill runs with `browse skill run NAME`',
    code: 14,
  });
}
