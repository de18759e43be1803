// The sessions and tabs, as the daemon reports them while they change.

import { follow } from '../rpc/follow.ts';
import type { CallError } from '../rpc/error.ts';
import type { OverviewResponse, SessionOverview, TabOverview } from '../rpc/types.ts';
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
  void follow<OverviewResponse>(
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

/** The sessions, those first in which an agent asks for a person. */
export function sortedSessions(response: OverviewResponse | undefined): SessionOverview[] {
  const sessions = response?.sessions ?? [];
  return [...sessions.filter(isWaiting), ...sessions.filter((session) => !isWaiting(session))];
}

/** Whether an agent asks for a person, and nobody came yet. */
export function isWaiting(session: SessionOverview): boolean {
  return Boolean(session.request);
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

/** What waits for a person: requests of agents, and approvals. */
export function waitingCount(response: OverviewResponse | undefined): number {
  return (response?.sessions ?? []).filter(isWaiting).length + (response?.approvals ?? 0);
}

function take(response: OverviewResponse): void {
  const before = overview.value;
  overview.set({ response, firstBuild: before.firstBuild ?? response.build_id });
  const count = waitingCount(response);
  document.title = `${count > 0 ? `(${count}) ` : ''}browse dashboard`;
  if (before.response) notifyOfChanges(before.response, response);
}

function notifyOfChanges(before: OverviewResponse, now: OverviewResponse): void {
  const known = new Map(before.sessions.map((session) => [session.name, session.request]));
  for (const { name, request } of now.sessions) {
    if (request && request !== known.get(name)) notify(`Session ${name} asks for a person`, request);
  }
  if (now.approvals > before.approvals) notify('An agent waits for an approval', `${now.approvals} waiting`);
}
