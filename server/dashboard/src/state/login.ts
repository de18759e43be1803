// The token of this page: where it comes from, what it allows, and why it ended.
// It lies in sessionStorage alone, so that it ends with the tab.

import { CallError, errorOf, unreachable } from '../rpc/error.ts';
import { connection } from './connection.ts';
import { Store } from './store.ts';

export type Scope = 'read' | 'write' | 'meta' | 'admin' | 'control';

export interface Login {
  /** out: without a token; in: with one; ended: the token is not valid any more. */
  state: 'out' | 'redeeming' | 'in' | 'ended';
  token: string;
  scopes: string[];
  expiresAt: string;
  version: string;
  readOnly: boolean;
  /** Why the token is missing. */
  problem?: CallError;
  /** Whether the daemon was away before it refused the token. */
  restarted?: boolean;
}

interface Redeemed {
  token: string;
  scopes: string[];
  expires_at: string;
  version: string;
  build_id: string;
  read_only: boolean;
}

const KEY = 'browse-dashboard';
const REDEEM_TIMEOUT_MS = 15_000;
const NOBODY: Login = { state: 'out', token: '', scopes: [], expiresAt: '', version: '', readOnly: false };

export const login = new Store<Login>(NOBODY);

export function hasScope(scope: Scope): boolean {
  return login.value.scopes.includes(scope);
}

/** Takes the code of the address, or the token of before. */
export async function enter(): Promise<void> {
  const code = /^#code=([0-9A-Za-z_-]+)$/.exec(location.hash)?.[1];
  if (code !== undefined) {
    // The code must not stay in the history or be seen over a shoulder.
    history.replaceState(null, '', location.pathname);
    await redeem(code);
  } else {
    restore();
  }
}

/** Ends the use of the token, when the daemon refuses it. */
export function endLogin(problem: CallError): void {
  if (login.value.state !== 'in') return;
  sessionStorage.removeItem(KEY);
  login.set({ ...NOBODY, state: 'ended', problem, restarted: connection.value.state === 'down' });
}

async function redeem(code: string): Promise<void> {
  sessionStorage.removeItem(KEY);
  login.set({ ...NOBODY, state: 'redeeming' });
  try {
    keep(await exchange(code));
  } catch (cause) {
    login.set({ ...NOBODY, state: 'out', problem: cause instanceof CallError ? cause : unreachable() });
  }
}

async function exchange(code: string): Promise<Redeemed> {
  const response = await fetch('/redeem', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
    signal: AbortSignal.timeout(REDEEM_TIMEOUT_MS),
    cache: 'no-store',
    credentials: 'omit',
  });
  const document: unknown = await response.json();
  if (!response.ok) throw errorOf(document);
  return document as Redeemed;
}

function keep(redeemed: Redeemed): void {
  sessionStorage.setItem(KEY, JSON.stringify(redeemed));
  enterWith(redeemed);
}

function restore(): void {
  const text = sessionStorage.getItem(KEY);
  if (text !== null) enterWith(JSON.parse(text) as Redeemed);
}

function enterWith({ token, scopes, expires_at, version, read_only }: Redeemed): void {
  login.set({ state: 'in', token, scopes, expiresAt: expires_at, version, readOnly: read_only });
}
