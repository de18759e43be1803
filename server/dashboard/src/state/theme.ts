// Light, dark, or as the system has it; kept as long as the tab.

import { Store } from './store.ts';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'browse-dashboard-theme';
const THEMES: Theme[] = ['system', 'light', 'dark'];

export const theme = new Store<Theme>(THEMES.find((name) => name === sessionStorage.getItem(KEY)) ?? 'system');

apply();
theme.subscribe(apply);

export function nextTheme(): void {
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system';
  sessionStorage.setItem(KEY, next);
  theme.set(next);
}

function apply(): void {
  document.documentElement.dataset.theme = theme.value;
}
