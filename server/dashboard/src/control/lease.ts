// The sessions that this page holds: taking them, keeping them, giving them back.

import { call } from '../rpc/client.ts';
import { asCallError, CallError } from '../rpc/error.ts';
import { login } from '../state/login.ts';
import { overview, type Overview } from '../state/overview.ts';
import { Store } from '../state/store.ts';
import type { PersonInput } from './event.ts';
import { InputQueue } from './queue.ts';

/** A session that this page holds. */
export interface Lease {
  id: string;
  session: string;
  expiresAt: string;
  queue: InputQueue;
  /** Tab that the last input went to. */
  tab: string;
  /** Whether the overview has shown it. */
  isConfirmed: boolean;
  /** Whether it is given back just now. */
  isEnding: boolean;
}

/** What agents read while a person holds their session. */
export const REASON = 'A person works in the dashboard';

const HEARTBEAT_MS = 10_000;
/** Errors after which nothing is held any more. */
const ENDS = new Set(['LEASE_ENDED', 'SESSION_NOT_FOUND']);

/** What this page holds, by session. */
export const leases = new Store<ReadonlyMap<string, Lease>>(new Map());
/** What went wrong with input or with holding, by session. */
export const leaseProblems = new Store<ReadonlyMap<string, { error: CallError; ended: boolean }>>(new Map());

export async function takeControl(session: string, tab: string, reason: string, force: boolean): Promise<void> {
  const request = { session, ...(reason ? { reason } : {}), force };
  const { lease: id, expires_at } = await call('DashboardService/TakeControl', request, { session });
  const queue = new InputQueue(id, session, (error) => onInputError(session, error));
  setLease({ id, session, expiresAt: expires_at, queue, tab, isConfirmed: false, isEnding: false });
  clearProblem(session);
  // The overview may have shown it before the answer came.
  compare(overview.value);
}

export async function giveBack(lease: Lease, note: string): Promise<void> {
  lease.isEnding = true;
  try {
    const { session } = lease;
    await call('DashboardService/ReleaseControl', { lease: lease.id, ...(note ? { note } : {}) }, { session });
  } catch (cause) {
    // It ended before: what was wanted is so.
    if (!ENDS.has(asCallError(cause).reason)) {
      lease.isEnding = false;
      throw cause;
    }
  }
  drop(lease);
}

export function sendInput(lease: Lease, tab: string, event: PersonInput): void {
  lease.tab = tab;
  lease.queue.push(tab, event);
}

export function clearProblem(session: string): void {
  leaseProblems.set(new Map([...leaseProblems.value].filter(([name]) => name !== session)));
}

function onInputError(session: string, error: CallError): void {
  const ended = ENDS.has(error.reason);
  leaseProblems.set(new Map(leaseProblems.value).set(session, { error, ended }));
  const lease = leases.value.get(session);
  if (ended && lease) drop(lease);
}

function setLease(lease: Lease): void {
  leases.value.get(lease.session)?.queue.close();
  leases.set(new Map(leases.value).set(lease.session, lease));
}

function drop(lease: Lease): void {
  lease.queue.close();
  if (leases.value.get(lease.session) !== lease) return;
  leases.set(new Map([...leases.value].filter(([name]) => name !== lease.session)));
}

/** Ends what another person has by now, or nobody. */
function compare({ response }: Overview): void {
  for (const lease of leases.value.values()) {
    const holder = response?.sessions.find(({ name }) => name === lease.session)?.holder;
    // By its end it is told from an earlier one of this page.
    if (holder?.is_you && holder.expires_at === lease.expiresAt) lease.isConfirmed = true;
    if (response && lease.isConfirmed && !lease.isEnding && !holder?.is_you) {
      onInputError(
        lease.session,
        new CallError(
          'LEASE_ENDED',
          holder ? `${holder.client} holds the session now` : 'the session was given back',
          'Take control again',
        ),
      );
    }
  }
}

function beat(): void {
  for (const lease of leases.value.values()) lease.queue.beat(lease.tab);
}

setInterval(beat, HEARTBEAT_MS);
document.addEventListener('visibilitychange', beat);
window.addEventListener('pagehide', () => {
  for (const lease of leases.value.values()) {
    // The page does not live to see the answer.
    const options = { session: lease.session, keepalive: true };
    call('DashboardService/ReleaseControl', { lease: lease.id }, options).catch(() => {});
    drop(lease);
  }
});
overview.subscribe(() => compare(overview.value));
login.subscribe(() => {
  if (login.value.state !== 'in') for (const lease of leases.value.values()) drop(lease);
});
