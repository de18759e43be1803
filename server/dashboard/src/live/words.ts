// How states and actions are named.

import type { ControlHolder, TabAction, TabOverview } from '../rpc/contract.ts';

const DONE: Record<string, string> = {
  click: 'clicked',
  dblclick: 'double-clicked',
  fill: 'filled a field',
  type: 'typed',
  press: 'pressed a key',
  hover: 'pointed at an element',
  select: 'chose an option',
  check: 'checked a box',
  uncheck: 'unchecked a box',
  scroll: 'scrolled',
  drag: 'dragged an element',
  goto: 'opened an address',
  newtab: 'opened the tab',
  back: 'went back',
  forward: 'went forward',
  reload: 'reloaded',
  upload: 'chose a file',
};

export function actionText({ client, command }: TabAction): string {
  return `${client} ${DONE[command] ?? `ran ${command}`}`;
}

export function holderText({ client, reason, is_you }: ControlHolder): string {
  return `${is_you ? 'You control it' : `Held by ${client}`}${reason ? `: ${reason}` : ''}`;
}

export function titleOf(tab: TabOverview): string {
  return tab.title || tab.url || `Tab ${tab.id}`;
}
