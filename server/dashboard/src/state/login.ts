// The token of this page: where it comes from, what it allows, and why it ended.
// It lies in sessionStorage alone, so that it ends with the tab. A panel over the pipe has none.

import { CallError, errorOf, unreachable } from '../rpc/error.ts';
import { frame } from '../rpc/frame.ts';
import { openPipe } from '../rpc/pipe.ts';
import { post } from '../rpc/transport.ts';
import { connection } from './connection.ts';
import { Store } from './store.ts';

/** `approve` is what approvals need: the scope `control`, or a panel that may decide. */
export type Scope = 'read' | 'write' | 'meta' | 'admin' | 'control' | 'approve';

export interface Login {
  /** out: without a token; in: with one; ended: the token is not valid any more. */
  state: 'out' | 'redeeming' | 'in' | 'ended';
  token: string;
  /** Where the daemon is; empty for the one that served this page. */
  address: string;
  scopes: string[];
  approves: boolean;
  expiresAt: string;
  version: string;
  readOnly: boolean;
  /** Whether the daemon is on another machine, by `browse --remote <name> dashboard`. */
  remote: boolean;
  /** Whether it is the pods of a fleet. */
  fleet: boolean;
  /** Why the token is missing. */
  problem?: CallError;
  /** Whether the daemon was away before it refused the token. */
  restarted?: boolean;
}

interface Redeemed {
  token: string;
  address?: string;
  scopes: string[];
  approves?: boolean;
  expires_at: string;
  version: string;
  build_id: string;
  read_only: boolean;
  remote?: boolean;
  fleet?: boolean;
}

const KEY = 'browse-dashboard';
const REDEEM_TIMEOUT_MS = 15_000;
const NOBODY: Login = {
  state: 'out',
  token: '',
  address: '',
  scopes: [],
  approves: false,
  expiresAt: '',
  version: '',
  readOnly: false,
  remote: false,
  fleet: false,
};

export const login = new Store<Login>(NOBODY);

export function hasScope(scope: Scope): boolean {
  return scope === 'approve' ? login.value.approves : login.value.scopes.includes(scope);
}

/** Takes the code of the address, or the token of before; a panel over the pipe greets the daemon. */
export async function enter(): Promise<void> {
  if (frame === 'pipe') return openWith(openPipe());
  const code = /^#code=([0-9A-Za-z_-]+)$/.exec(location.hash)?.[1];
  if (code !== undefined) {
    // The code must not stay in the history or be seen over a shoulder.
    history.replaceState(null, '', location.pathname);
    await openWith(redeem('', code));
  } else {
    restore();
  }
}

/** Ends the use of the token, when the daemon refuses it. */
export function endLogin(problem: CallError): void {
  if (login.value.state !== 'in') return;
  sessionStorage.removeItem(KEY);
  const { remote } = login.value;
  login.set({ ...NOBODY, state: 'ended', problem, remote, restarted: connection.value.state === 'down' });
}

/** Takes a link that the person pasted; false when the text is not one. */
export function enterByLink(text: string): boolean {
  const [, address, code] = /^(http:\/\/127\.0\.0\.1:\d{1,5})\/#code=([0-9A-Za-z_-]+)$/.exec(text.trim()) ?? [];
  if (address === undefined || code === undefined) return false;
  void openWith(redeem(address, code));
  return true;
}

/** Enters with what the daemon answers, or shows why not. */
async function openWith(answer: Promise<Redeemed>): Promise<void> {
  sessionStorage.removeItem(KEY);
  login.set({ ...NOBODY, state: 'redeeming' });
  try {
    const redeemed = await answer;
    if (frame !== 'pipe') sessionStorage.setItem(KEY, JSON.stringify(redeemed));
    enterWith(redeemed);
  } catch (cause) {
    login.set({ ...NOBODY, state: 'out', problem: cause instanceof CallError ? cause : unreachable() });
  }
}

async function redeem(address: string, code: string): Promise<Redeemed> {
  const response = await post(address, '/redeem', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
    signal: AbortSignal.timeout(REDEEM_TIMEOUT_MS),
    keepalive: false,
  });
  const document: unknown = await response.json();
  if (!response.ok) throw errorOf(document);
  return { ...(document as Redeemed), address };
}

function restore(): void {
  const text = sessionStorage.getItem(KEY);
  if (text !== null) enterWith(JSON.parse(text) as Redeemed);
}

function enterWith(redeemed: Redeemed): void {
  const { token, address, scopes, approves, expires_at, version, read_only, remote, fleet } = redeemed;
  login.set({
    state: 'in',
    token,
    address: address ?? '',
    scopes,
    approves: approves ?? scopes.includes('control'),
    expiresAt: expires_at,
    version,
    readOnly: read_only,
    remote: remote ?? false,
    fleet: fleet ?? false,
  });
}
