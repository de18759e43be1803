// A fleet that was signed in to with `browse login`: its gateway, the token to call it with, and
// how the next token is got.

import { BrowseError } from './error.ts';
import type { Daemon } from './place.ts';
import { renewByProgram } from './renewal.ts';
import { vouchedFor } from './tls.ts';
import type { Secure } from './transport.ts';

/** What a remote file of a fleet says of its `kind`. */
export const FLEET_KIND = 'fleet';

/** Milliseconds before its end in which a token is renewed. */
const RENEWAL_TIME = 30_000;
/** Bytes of a token. */
const MAX_TOKEN = 16 << 10;
const TOKEN_REASONS = ['TOKEN_MISSING', 'TOKEN_INVALID', 'TOKEN_EXPIRED', 'TOKEN_REVOKED', 'TOKEN_FOREIGN'];

/** What the file of a fleet holds. */
export interface FleetState {
  isTls: boolean;
  /** Host, and the port where the URL has one: what a request names. */
  authority: string;
  /** Without the brackets of an IPv6 address. */
  host: string;
  port: number;
  /** File with authorities that count beside those of this machine. */
  ca: string | undefined;
  token: string;
  /** When it ends, in milliseconds since 1970, where that is known. */
  expiresAt: number | undefined;
  /** Whether the issuer gives another one. */
  isRenewable: boolean;
}

/** Reads the document of a file; undefined when it is damaged. */
export function fleetState(document: Record<string, unknown>): FleetState | undefined {
  const text = (name: string) => (typeof document[name] === 'string' && document[name] !== '' ? document[name] : undefined);
  const [, scheme = '', host = '', port] = /^(https?):\/\/(\[[0-9a-f:.]+\]|[^\s/?#@\\:[\]]+)(?::(\d{1,5}))?\/?$/i.exec(text('url') ?? '') ?? [];
  const isTls = scheme.toLowerCase() === 'https';
  const bare = host.replace(/^\[|\]$/g, '');
  const number = Number(port ?? (isTls ? 443 : 80));
  const token = text('token');
  const isRenewable = text('refresh_token') !== undefined;
  if (!host || number > 65535 || !(isTls || isLoopback(bare)) || !token) return undefined;
  if (token.length > MAX_TOKEN || !/^[!-~]+$/.test(token)) return undefined;
  if (isRenewable && (!text('issuer') || !text('client_id'))) return undefined;
  const end = document.expires_at;
  const expiresAt = Number.isInteger(end) && (end as number) >= 0 ? (end as number) * 1000 : undefined;
  return { isTls, authority: port ? `${host}:${port}` : host, host: bare, port: number, ca: text('ca'), token, expiresAt, isRenewable };
}

/** A fleet, for the clients of this process that call it. */
export class Fleet {
  readonly #name: string;
  readonly #read: () => Promise<FleetState>;
  #state: FleetState;
  #secure: Secure;
  /** The renewal that is under way: one at a time, for all calls. */
  #renewal: Promise<void> | undefined;

  /** The fleet `name` with what its file holds, which `read` reads again. */
  constructor(name: string, state: FleetState, read: () => Promise<FleetState>) {
    this.#name = name;
    this.#read = read;
    this.#state = state;
    this.#secure = gatewayOf(name, state);
  }

  /** Takes over what its file holds by now. */
  take(state: FleetState): void {
    const { authority, isTls, ca } = this.#state;
    const isSame = state.authority === authority && state.isTls === isTls && state.ca === ca;
    if (!isSame) this.#secure = gatewayOf(this.#name, state);
    this.#state = state;
  }

  /** The gateway, with a token that is good for a while where one can be got. */
  readonly daemon = async (): Promise<Daemon> => {
    if (isDue(this.#state)) {
      await this.#renewed().catch((error: unknown) => {
        // Its last seconds may do.
        if ((this.#state.expiresAt ?? 0) <= Date.now()) throw error;
      });
    }
    const { host, port, token } = this.#state;
    const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
    return { address, token, secure: this.#secure, renewed: () => this.#after(token) };
  };

  /** The gateway with another token than `refused`; undefined when there is none. */
  async #after(refused: string): Promise<Daemon | undefined> {
    // What was answered counts, and not why there is no other token.
    if (this.#state.token === refused) await this.#renewed(refused).catch(() => {});
    return this.#state.token === refused ? undefined : this.daemon();
  }

  /** Reads the file again, and has the program renew the token when that is still `refused`, or about to end. */
  #renewed(refused?: string): Promise<void> {
    this.#renewal ??= (async () => {
      this.take(await this.#read());
      const isStale = refused === undefined ? isDue(this.#state) : this.#state.token === refused;
      if (!isStale || !this.#state.isRenewable) return;
      await renewByProgram(this.#name, loginCommand(this.#name, this.#state), refused);
      this.take(await this.#read());
    })().finally(() => (this.#renewal = undefined));
    return this.#renewal;
  }
}

function isDue({ expiresAt }: FleetState): boolean {
  return expiresAt !== undefined && expiresAt <= Date.now() + RENEWAL_TIME;
}

/** How the gateway is reached, and what its errors advise. */
function gatewayOf(name: string, state: FleetState): Secure {
  const { authority, isTls, ca } = state;
  const login = `Run \`${loginCommand(name, state)}\` again`;
  return {
    pin: `${originOf(state)} ${ca ?? ''}`,
    authority,
    hint: 'Check the network and the address of the fleet, and ask its operator',
    foreignHint: 'Check the address of the fleet, and whether a proxy answers in place of its gateway',
    advise(error) {
      if (!TOKEN_REASONS.includes(error.reason)) return error;
      const { reason, message, metadata, page, code } = error;
      return new BrowseError(reason, message, { hint: login, metadata, page, code });
    },
    open: isTls ? vouchedFor(ca) : openLoopback,
  };
}

/** Connects without TLS, to this machine alone: `localhost` is a name, which can resolve to any address. */
async function openLoopback(address: string, signal: AbortSignal, timeout: number): Promise<import('node:net').Socket> {
  const { connect } = await import('node:net');
  const colon = address.lastIndexOf(':');
  const socket = connect({ host: address.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(address.slice(colon + 1)), noDelay: true });
  const stop = () => socket.destroy(new Error('the call was given up'));
  const timer = setTimeout(() => socket.destroy(new Error(`nothing answers within ${timeout / 1000} s`)), timeout);
  signal.addEventListener('abort', stop);
  try {
    await new Promise<void>((done, failed) => socket.once('connect', done).once('error', failed));
    if (isLoopback((socket.remoteAddress ?? '').replace(/^::ffff:/, ''))) return socket;
    throw new Error('its host is not this machine, and the connection has no TLS');
  } catch (error) {
    socket.on('error', () => {}).destroy();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

function originOf({ isTls, authority }: FleetState): string {
  return `${isTls ? 'https' : 'http'}://${authority}`;
}

/** The command that signs in again, under the same name. */
function loginCommand(name: string, state: FleetState): string {
  return `browse login ${originOf(state)} --name ${name}${state.ca === undefined ? '' : ` --ca ${state.ca}`}`;
}
