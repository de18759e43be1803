// Remote browsers: the pairing block that an owner gave, the token that its
// key is traded for, and where that is kept; the fleets that lie beside them.

import { Browse } from './browse.ts';
import { exchange, type Options } from './client.ts';
import { readText } from './decode.ts';
import { joinBytes } from './encode.ts';
import { BrowseError, foreign } from './error.ts';
import { Fleet, FLEET_KIND, type FleetState, fleetState } from './fleet.ts';
import { daemonOf, ownJson, remotes } from './place.ts';
import { isDeno, variable } from './runtime.ts';
import type { Message } from './table.ts';
import { pinned } from './tls.ts';

/** Options of a client of a remote browser. */
export type RemoteOptions = Pick<Options, 'tab' | 'timeout'>;

const REDEEM = '/browse.v1.PairService/Redeem';
/** Milliseconds that the daemon has to take a key. */
const REDEEM_TIMEOUT = 30_000;
/** What a remote file says when authorities may vouch for the other end. */
const VOUCHED = 'session-key';
/** Fields of the answer that the seal is bound to, in its order. */
const BOUND = ['name', 'scopes', 'hosts', 'session', 'expires_at'];

/**
 * Makes a client of a remote browser out of a pairing block, or of its link.
 *
 * The key of a block is good once. With `keep` the token is kept under that name,
 * where `remote` and the command line find it; without, it goes with the client.
 */
export async function redeem(block: string, options: RemoteOptions & { keep?: string } = {}): Promise<Browse> {
  const { keep, ...rest } = options;
  // A name that cannot be costs no key.
  const file = keep === undefined ? undefined : await remoteFile(keep);
  const { address, key, pin, session } = linkOf(block);
  const secure = pinned(pin, session !== undefined);
  const seal = session === undefined ? undefined : await sealOf(session);
  const call = { path: REDEEM, message: seal ? seal.ask(key) : { key }, timeout: REDEEM_TIMEOUT };
  let answer: Message = {};
  for await (const message of exchange({ address, token: '', secure }, call)) answer = message;
  const token = seal ? seal.open(answer) : textIn(answer, 'token');
  if (!token) throw foreign(address, 'its answer holds no token', secure.foreignHint);
  const trust = seal && VOUCHED;
  if (file !== undefined) await writeOwn(file, { address, pin, token, trust });
  return new Browse({ ...rest, address, token, secure });
}

/** How a key is redeemed where TLS may end at a tunnel, which sees neither the key nor the token. */
interface Seal {
  /** The request for the token of `key`. */
  ask(key: string): Message;
  /** The token in an answer. */
  open(answer: Message): string;
}

/** The seal of a session key, for one request. */
export async function sealOf(session: string, random?: Uint8Array): Promise<Seal> {
  const { createDecipheriv, createHash, createHmac, randomBytes } = await import('node:crypto');
  const challenge = Buffer.from(random ?? randomBytes(16)).toString('hex');
  const mac = (...lines: string[]) => createHmac('sha256', Buffer.from(session, 'hex')).update(lines.join('\n')).digest();
  return {
    ask(key) {
      const id = createHash('sha256').update(key).digest('hex');
      const proof = mac('browse-redeem-request-v1', challenge, id).toString('hex');
      return { key: `sealed-${id}`, challenge, proof };
    },
    open(answer) {
      const bytes = Buffer.from(textIn(answer, 'sealed'), 'hex');
      const lines = ['browse-redeem-answer-v1', challenge, ...BOUND.map((name) => textIn(answer, name))];
      try {
        const cipher = createDecipheriv('aes-256-gcm', mac('browse-redeem-seal-v1', challenge), bytes.subarray(0, 12), { authTagLength: 16 });
        cipher.setAAD(Buffer.from(lines.join('\n'))).setAuthTag(bytes.subarray(-16));
        return readText(joinBytes([cipher.update(bytes.subarray(12, -16)), cipher.final()]));
      } catch {
        throw unproven();
      }
    },
  };
}

/**
 * Makes a client of a remote browser that `redeem` or the command line keeps under this name, or
 * of a fleet that `browse login` signed in to.
 */
export async function remote(name: string, options: RemoteOptions = {}): Promise<Browse> {
  return new Browse({ ...options, ...(await remoteOptions(name)) });
}

/** The remote of a name, as the options of its clients. */
async function remoteOptions(name: string): Promise<Pick<Options, 'address' | 'token' | 'secure' | 'fleet'>> {
  const path = await remoteFile(name);
  const state = await readRemote(name, path);
  if (state.kind !== undefined) return { fleet: fleetAt(name, path, fleetIn(path, state)).daemon };
  const { address, pin, token, trust } = state;
  const whole = typeof address === 'string' && typeof pin === 'string' && typeof token === 'string';
  if (!whole || !address || !token || !isPin(pin) || (trust !== undefined && trust !== VOUCHED)) throw invalidRemote(path, 'it is damaged');
  return { address, token, secure: pinned(pin, trust === VOUCHED) };
}

async function readRemote(name: string, path: string): Promise<Record<string, unknown>> {
  const state = await ownJson(path, invalidRemote);
  if (state) return state;
  const hint = 'Run `browse redeem <link>` with the link of a pairing block, or `browse login <url>` with the address of a fleet';
  throw new BrowseError('REMOTE_UNKNOWN', `there is no remote \`${name}\``, { hint, code: 5 });
}

/** The fleets of this process by their files: the clients of one share its token. */
const fleets = new Map<string, Fleet>();

function fleetAt(name: string, path: string, state: FleetState): Fleet {
  const known = fleets.get(path);
  known?.take(state);
  const fleet = known ?? new Fleet(name, state, () => readFleet(name, path));
  fleets.set(path, fleet);
  return fleet;
}

/** Reads the file of a fleet again. */
async function readFleet(name: string, path: string): Promise<FleetState> {
  const document = await readRemote(name, path);
  if (document.kind !== undefined) return fleetIn(path, document);
  throw new BrowseError('REMOTE_UNKNOWN', `the remote \`${name}\` was replaced by a pairing just now`, { hint: 'Open it again', code: 5 });
}

function fleetIn(path: string, document: Record<string, unknown>): FleetState {
  const state = document.kind === FLEET_KIND ? fleetState(document) : undefined;
  if (!state) throw invalidRemote(path, 'it is damaged');
  return state;
}

remotes.find = async (name) => {
  const options = await remoteOptions(name);
  return () => daemonOf(options);
};

/** The parts of the link of a block; parts that are not known are for others. */
function linkOf(block: string): { address: string; key: string; pin: string; session: string | undefined } {
  const link = /browse-pair:\/\/(\S*)/.exec(block)?.[1];
  if (link === undefined) throw noLink('it does not hold `browse-pair://`');
  const [address = '', ...parts] = link.split('/');
  const port = Number(/^[\w.\-:[\]]+:(\d{1,5})$/.exec(address)?.[1]);
  if (!(port > 0 && port < 65536)) throw noLink('it names no host with a port');
  const part = (prefix: string) => parts.find((part) => part.startsWith(prefix)) ?? '';
  const [key, pin] = [part('setup-'), part('pin-').slice('pin-'.length)];
  if (!key) throw noLink('it holds no setup key');
  if (!isPin(pin)) throw noLink('it holds no whole fingerprint');
  const session = parts.find((part) => part.startsWith('session-'))?.slice('session-'.length);
  if (session !== undefined && !isPin(session)) throw noLink('it holds no whole session key');
  return { address, key, pin, session };
}

function isPin(text: string): boolean {
  return /^[0-9a-f]{64}$/i.test(text);
}

/** A text of the answer; those of a list with commas between. */
function textIn(answer: Message, name: string): string {
  const value = answer[name] ?? '';
  return Array.isArray(value) ? value.join(',') : String(value);
}

/** The file that keeps the remote `name`. */
async function remoteFile(name: string): Promise<string> {
  if (!/^[a-z0-9][\w.-]{0,63}$/i.test(name)) {
    const hint = 'Use letters, digits, dash, dot and underscore, at most 64';
    throw new BrowseError('ARGUMENT_INVALID', `\`${name}\` cannot name a remote`, { hint, code: 3 });
  }
  const { homedir } = await import('node:os');
  const { join } = await import('node:path');
  return join(variable('BROWSE_HOME') || join(homedir(), '.browse'), 'remotes', `${name}.json`);
}

async function writeOwn(path: string, value: unknown): Promise<void> {
  const { closeSync, constants, mkdirSync, openSync, renameSync, writeFileSync } = await import('node:fs');
  const { basename, dirname, join } = await import('node:path');
  const { O_CREAT, O_NOFOLLOW, O_TRUNC, O_WRONLY } = constants;
  // Through a file of its own, so that nobody reads half of it.
  const waiting = join(dirname(path), `.${basename(path)}.${isDeno ? 'deno' : process.pid}`);
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const draft = openSync(waiting, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
    try {
      writeFileSync(draft, JSON.stringify(value));
    } finally {
      closeSync(draft);
    }
    renameSync(waiting, path);
  } catch (error) {
    const { code } = error as { code?: string };
    throw new BrowseError('FILE_UNWRITABLE', `\`${path}\` cannot be written: ${code}`, { hint: 'Give another path', metadata: { path }, code: 3 });
  }
}

function noLink(why: string): BrowseError {
  // It never repeats the key.
  const hint = 'Copy the link of the block whole: it is one word';
  return new BrowseError('PAIRING_LINK_INVALID', `that is no link of a pairing block: ${why}`, { hint, code: 3 });
}

function unproven(): BrowseError {
  const message = 'the answer is not that of the daemon of the pairing block: it does not fit the session key';
  const hint = 'Do not go on; ask the owner to revoke the pairing (`browse pair list` names it), and for a new block by another way';
  return new BrowseError('REMOTE_UNPROVEN', message, { hint, code: 9 });
}

function invalidRemote(path: string, fault: string): BrowseError {
  const message = `the remote file \`${path}\` cannot be used: ${fault}`;
  return new BrowseError('REMOTE_FILE_INVALID', message, { hint: `Remove ${path}, then redeem a new block, or sign in again`, metadata: { path }, code: 9 });
}
