// The demonstrations of this page, one a session: beginning and ending them. They end with the page.

import { call } from '../rpc/client.ts';
import { asCallError } from '../rpc/error.ts';
import { login } from '../state/login.ts';
import { overview } from '../state/overview.ts';
import { Store } from '../state/store.ts';
import { Demonstrator } from './demonstrator.ts';

const START = 'SkillService/StartSkillRecord';
const STOP = 'SkillService/StopSkillRecord';
/** The daemon finds out what the session holds. */
const START_MS = 30_000;

export const demonstrations = new Store<ReadonlyMap<string, Demonstrator>>(new Map());

/** Begins to note what this page does in a session; `replaces` ends a recording that runs. */
export async function beginDemonstration(session: string, tab: string, replaces: boolean): Promise<void> {
  if (replaces) await stop(session);
  await call(START, {}, { session, tab, timeoutMs: START_MS });
  demonstrations.set(new Map(demonstrations.value).set(session, new Demonstrator(session)));
}

/** Forgets what was noted. */
export async function endDemonstration(demonstrator: Demonstrator): Promise<void> {
  await stop(demonstrator.session);
  drop(demonstrator);
}

async function stop(session: string): Promise<void> {
  try {
    await call(STOP, {}, { session });
  } catch (cause) {
    // It ended before: what was wanted is so.
    if (asCallError(cause).reason !== 'SKILL_RECORDING_MISSING') throw cause;
  }
}

function drop(demonstrator: Demonstrator): void {
  demonstrations.set(new Map([...demonstrations.value].filter(([, one]) => one !== demonstrator)));
}

window.addEventListener('beforeunload', (event) => {
  if ([...demonstrations.value.values()].some(({ isUnsaved }) => isUnsaved)) event.preventDefault();
});
window.addEventListener('pagehide', () => {
  for (const demonstrator of demonstrations.value.values()) {
    // The page does not live to see the answer.
    call(STOP, {}, { session: demonstrator.session, keepalive: true }).catch(() => {});
    drop(demonstrator);
  }
});
login.subscribe(() => {
  if (login.value.state !== 'in') demonstrations.set(new Map());
});
overview.subscribe(() => {
  const sessions = overview.value.response?.sessions;
  if (!sessions) return;
  for (const demonstrator of demonstrations.value.values())
    if (!sessions.some(({ name }) => name === demonstrator.session)) drop(demonstrator);
});
