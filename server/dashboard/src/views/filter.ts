// Which calls the timeline shows.

import type { ActivityEntry } from '../rpc/contract.ts';

export interface Filter {
  text: string;
  session: string;
  client: string;
  /** An outcome, or `failed` for all but ok. */
  outcome: string;
  /** Shows also what people at dashboards and side panels did. */
  dashboards: boolean;
}

export const NO_FILTER: Filter = { text: '', session: '', client: '', outcome: '', dashboards: false };

/** Whether the call came from a dashboard or a side panel, also of another machine. */
export function isOfDashboard({ client }: ActivityEntry): boolean {
  return client.startsWith('dashboard:') || client.startsWith('panel:');
}

export function filterEntries<Entry extends ActivityEntry>(entries: Entry[], filter: Filter): Entry[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter((entry) => {
    if (!filter.dashboards && isOfDashboard(entry)) return false;
    if (filter.session && entry.session !== filter.session) return false;
    if (filter.client && entry.client !== filter.client) return false;
    if (filter.outcome && (filter.outcome === 'failed' ? entry.outcome === 'ok' : entry.outcome !== filter.outcome))
      return false;
    const text =
      `${entry.client} ${entry.session} ${entry.command} ${entry.target} ${entry.element} ${entry.outcome}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** The values of a member, each once, in order. */
export function valuesOf(entries: ActivityEntry[], name: 'session' | 'client' | 'outcome'): string[] {
  return [...new Set(entries.map((entry) => entry[name]).filter(Boolean))].sort();
}
