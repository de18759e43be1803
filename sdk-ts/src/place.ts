// Where the daemon is: what the caller says, else the environment of a skill,
// else, for a debug run, the state file of the project around the working
// directory.

import { BrowseError } from './error.ts';
import { isDeno, variable } from './runtime.ts';

/** A daemon, and the token that calls to it carry. */
export interface Daemon {
  address: string;
  token: string;
}

/** The daemon of the state file, once it was looked for. */
let found: Promise<Daemon> | undefined;

/** The daemon that a client with these options calls. */
export async function daemonOf(options: Partial<Daemon>): Promise<Daemon> {
  const address = options.address ?? variable('BROWSE_ADDR');
  const token = options.token ?? (variable('BROWSE_SKILL_TOKEN') || variable('BROWSE_TOKEN'));
  if (address) return { address: address.replace(/^http:\/\//, '').replace(/\/+$/, ''), token: token ?? '' };
  found ??= fromState();
  const { address: known, token: root } = await found.catch((error: unknown) => {
    found = undefined;
    throw error;
  });
  return { address: known, token: token || root };
}

/** Has the state file read again by the next call. */
export function forgetDaemon(): void {
  found = undefined;
}

async function fromState(): Promise<Daemon> {
  const path = await statePath();
  const state = await ownJson(path, invalidState);
  if (!state) throw noDaemon();
  const address = String(state.address ?? '').replace(/^http:\/\//, '').replace(/\/+$/, '');
  if (!/^(127(\.\d+){3}|\[::1\]):\d+$/.test(address)) throw invalidState(path, 'its address is not on this machine');
  if (typeof state.token !== 'string' || !state.token) throw invalidState(path, 'it holds no token');
  return { address, token: state.token };
}

/**
 * What a file of JSON holds; undefined when there is no file. Whoever can write
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
  const { existsSync } = await import('node:fs');
  const { dirname, join, resolve } = await import('node:path');
  const named = variable('BROWSE_STATE_FILE');
  if (named) return resolve(named);
  // deno asks for the rights to its own folder here, and not before.
  const here = isDeno ? resolve('.') : process.cwd();
  let top = variable('BROWSE_PROJECT') || here;
  if (!variable('BROWSE_PROJECT')) {
    let folder = here;
    while (!existsSync(join(folder, '.git')) && dirname(folder) !== folder) folder = dirname(folder);
    if (existsSync(join(folder, '.git'))) top = folder;
  }
  return join(top, '.browse/daemon.json');
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
    hint: 'Run `browse status`, or the skill with `browse skill run NAME`',
    code: 14,
  });
}
