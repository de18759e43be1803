// The sessions and tabs, as the daemon reports them while they change.

import type { OverviewResponse, SessionOverview, TabOverview } from '../rpc/contract.ts';
import { follow } from '../rpc/follow.ts';
import type { CallError } from '../rpc/error.ts';
import { notify } from './notify.ts';
import { Store } from './store.ts';

export interface Overview {
  /** Absent until the first answer. */
  response?: OverviewResponse;
  /** Why the last try failed, until one succeeds. */
  problem?: CallError;
  /** The build that served when this page was loaded. */
  firstBuild?: string;
}

export const overview = new Store<Overview>({});

/** Follows the overview until `signal` ends it. */
export function followOverview(signal: AbortSignal): void {
  overview.set({});
  void follow(
    {
      method: 'DashboardService/Overview',
      request: () => ({ follow: true }),
      onMessage: take,
      onError: (problem) => overview.patch({ problem }),
    },
    signal,
  );
}

/** Whether another build than the one that served this page answers. */
export function isOutdated({ response, firstBuild }: Overview): boolean {
  return response !== undefined && firstBuild !== undefined && response.build_id !== firstBuild;
}

/** The sessions, those first in which an agent asks for a person, or asks one of the questions of `asking`. */
export function sortedSessions(response: OverviewResponse | undefined, asking: ReadonlySet<string>): SessionOverview[] {
  const sessions = response?.sessions ?? [];
  const isFirst = (session: SessionOverview) => isWaiting(session) || asking.has(session.name);
  return [...sessions.filter(isFirst), ...sessions.filter((session) => !isFirst(session))];
}

/** Whether an agent asks for a person, and nobody came yet. */
export function isWaiting(session: SessionOverview): boolean {
  return session.request !== undefined;
}

export function findTab(
  response: OverviewResponse | undefined,
  id: string,
): { session: SessionOverview; tab: TabOverview } | undefined {
  for (const session of response?.sessions ?? []) {
    const tab = session.tabs.find((candidate) => candidate.id === id);
    if (tab) return { session, tab };
  }
  return undefined;
}

/** For what is about no session of its own: a session of the daemon that is shown. */
export function anySession(): { session?: string } {
  const session = overview.value.response?.sessions[0]?.name;
  return session === undefined ? {} : { session };
}

/** Shows at once what a call has changed; the next overview confirms it. */
export function markPaused(name: string, paused: boolean): void {
  const { response } = overview.value;
  if (!response) return;
  const change = paused ? { paused } : { paused, handed_off: false };
  const sessions = response.sessions.map((session) => (session.name === name ? { ...session, ...change } : session));
  overview.patch({ response: { ...response, sessions } });
}

/** What waits for a person: requests of agents, and approvals. */
export function waitingCount(response: OverviewResponse | undefined): number {
  return (response?.sessions ?? []).filter(isWaiting).length + (response?.approvals ?? 0);
}

function take(response: OverviewResponse): void {
  const before = overview.value;
  overview.set({ response, firstBuild: before.firstBuild ?? response.build_id });
  if (before.response) notifyOfChanges(before.response, response);
}

function notifyOfChanges(before: OverviewResponse, now: OverviewResponse): void {
  const known = new Map(before.sessions.map((session) => [session.name, session.request]));
  for (const { name, request } of now.sessions) {
    if (request !== undefined && request !== known.get(name)) notify(`Session ${name} asks for a person`, request);
  }
  if (now.approvals > before.approvals) notify('An agent waits for an approval', `${now.approvals} waiting`);
}
