// Which view is shown: the part of the address behind `#`.

import { frame } from '../rpc/frame.ts';
import { Store } from './store.ts';

export const VIEWS = ['panel', 'live', 'talk', 'approvals', 'timeline', 'skills', 'sessions', 'terminal', 'system'] as const;
export type View = (typeof VIEWS)[number];

export interface Route {
  view: View;
  /** Id of the tab that is shown large. */
  tab?: string;
  /** Session whose conversation or panel is shown. */
  session?: string;
  /** Part of the timeline; the calls when left out. */
  part?: 'traces';
  /** Number of the trace that is open. */
  trace?: string;
  /** Number of its selected step. */
  step?: string;
}

/** How long an address that is replaced may lag behind: browsers refuse to replace it often. */
const REPLACE_DELAY_MS = 250;

export const route = new Store<Route>(read());

let replaceTimer: ReturnType<typeof setTimeout> | undefined;

window.addEventListener('hashchange', () => {
  clearTimeout(replaceTimer);
  route.set(read());
});

export function hrefOf({ view, tab, session, part, trace, step }: Route): string {
  if (trace !== undefined) return step === undefined ? `#${view}/trace/${trace}` : `#${view}/trace/${trace}/${step}`;
  if (session !== undefined) return `#${view}/${encodeURIComponent(session)}`;
  if (part !== undefined) return `#${view}/${part}`;
  return tab === undefined ? `#${view}` : `#${view}/${tab}`;
}

export function goTo(target: Route): void {
  location.hash = hrefOf(target);
}

/** Shows `target` without a new entry in the history. */
export function replaceRoute(target: Route): void {
  const before = location.hash;
  route.set(target);
  clearTimeout(replaceTimer);
  replaceTimer = setTimeout(() => {
    // A link may have been followed whose event is still to come.
    if (location.hash === before) history.replaceState(null, '', hrefOf(target));
  }, REPLACE_DELAY_MS);
}

function read(): Route {
  const [name, first, second, third] = location.hash.slice(1).split('/');
  const view = VIEWS.find((candidate) => candidate === name) ?? (frame === 'page' ? 'live' : 'panel');
  if (view === 'live' && isNumber(first)) return { view, tab: first };
  if ((view === 'talk' || view === 'panel') && first) return { view, session: decoded(first) };
  if (view === 'timeline' && first === 'traces') return { view, part: 'traces' };
  if (view === 'timeline' && first === 'trace' && isNumber(second))
    return isNumber(third) ? { view, trace: second, step: third } : { view, trace: second };
  return { view };
}

/** The text of a part of an address; one that was not encoded stands for itself. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function isNumber(part: string | undefined): part is string {
  return part !== undefined && /^\d+$/.test(part);
}
