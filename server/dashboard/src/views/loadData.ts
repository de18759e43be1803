// Calls by minute: how many, how long they took, and how many failed.

import type { ActivityEntry } from '../rpc/contract.ts';

export const MINUTES = 60;
const MINUTE_MS = 60_000;

/** A minute of the clock. */
export interface Minute {
  /** When it began. */
  time: number;
  calls: number;
  errors: number;
  /** Of the durations, in milliseconds; absent without a call. */
  median?: number;
  p95?: number;
}

export const CALL_CLASSES = ['navigation', 'actions', 'reading', 'other'] as const;
export type CallClass = (typeof CALL_CLASSES)[number];

const COMMANDS: Record<Exclude<CallClass, 'other'>, ReadonlySet<string>> = {
  navigation: wordsOf('goto back forward reload newtab closetab tab adopt load-html'),
  actions: wordsOf(
    'click dblclick hover fill type press select check uncheck scroll drag mouse upload dialog-accept dialog-dismiss',
  ),
  reading: wordsOf(
    'snapshot text html links forms accessibility media data markdown ux-audit find is get attrs css inspect url ' +
      'console network perf dialog screenshot pdf scrape fetch wait expect',
  ),
};

/** The class of a command, by its first word. */
export function classOf({ command }: Pick<ActivityEntry, 'command'>): CallClass {
  const word = command.split(' ')[0] ?? '';
  return CALL_CLASSES.find((name) => name !== 'other' && COMMANDS[name].has(word)) ?? 'other';
}

/** The last 60 minutes of the clock, the one of `now` at the end. */
export function minutesOf(entries: Pick<ActivityEntry, 'time' | 'duration_ms' | 'outcome'>[], now: number): Minute[] {
  const last = Math.floor(now / MINUTE_MS);
  const durations: number[][] = Array.from({ length: MINUTES }, () => []);
  const errors = new Array<number>(MINUTES).fill(0);
  for (const { time, duration_ms, outcome } of entries) {
    // The clock of the daemon may be ahead by a little.
    const age = Math.max(0, last - Math.floor(Date.parse(time) / MINUTE_MS));
    const index = MINUTES - 1 - age;
    durations[index]?.push(duration_ms);
    if (index >= 0 && outcome !== 'ok') errors[index] = (errors[index] ?? 0) + 1;
  }
  return durations.map((all, index) => {
    const sorted = all.sort((a, b) => a - b);
    const minute = {
      time: (last - MINUTES + 1 + index) * MINUTE_MS,
      calls: all.length,
      errors: errors[index] ?? 0,
    };
    const [median, p95] = [percentile(sorted, 0.5), percentile(sorted, 0.95)];
    return median === undefined || p95 === undefined ? minute : { ...minute, median, p95 };
  });
}

/** The smallest value that so large a share of all does not exceed. */
function percentile(sorted: number[], share: number): number | undefined {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}
