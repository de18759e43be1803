// What the daemon has noted of a demonstration, as `ShowSkillRecord` answers it. It leaves out what
// was typed.

import type { ShowSkillRecordResponse } from '../rpc/contract.ts';

/** Its summary has a line about all, then one for each step. */
export type SkillRecord = Omit<ShowSkillRecordResponse, 'session'>;

export interface NotedStep {
  /** Command and element. */
  text: string;
  /** What becomes of it. */
  note: string;
}

/** `3 fill #name (kept)` as its parts. */
export function notedSteps({ summary }: SkillRecord): NotedStep[] {
  const steps: NotedStep[] = [];
  for (const line of summary.split('\n').slice(1)) {
    const [, text, note] = /^\d+ (.*) \((.*)\)$/.exec(line) ?? [];
    steps.push({ text: text ?? line, note: note ?? '' });
  }
  return steps;
}
