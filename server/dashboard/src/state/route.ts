// Which view is shown: the part of the address behind `#`.

import { Store } from './store.ts';

export const VIEWS = ['live', 'approvals', 'timeline', 'skills', 'sessions', 'system'] as const;
export type View = (typeof VIEWS)[number];

export interface Route {
  view: View;
  /** Id of the tab that is shown large. */
  tab?: string;
}

export const route = new Store<Route>(read());

window.addEventListener('hashchange', () => route.set(read()));

export function hrefOf({ view, tab }: Route): string {
  return tab === undefined ? `#${view}` : `#${view}/${tab}`;
}

export function goTo(target: Route): void {
  location.hash = hrefOf(target);
}

function read(): Route {
  const [name, tab] = location.hash.slice(1).split('/');
  const view = VIEWS.find((candidate) => candidate === name) ?? 'live';
  return view === 'live' && tab && /^\d+$/.test(tab) ? { view, tab } : { view };
}
