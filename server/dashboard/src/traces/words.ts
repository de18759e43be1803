// What is said of a step, and which steps match.

import type { TraceInfo, TraceStep } from '../rpc/contract.ts';

export interface StepFilter {
  text: string;
  failed: boolean;
}

export function isRecording({ state }: TraceInfo): boolean {
  return state === 'recording';
}

export function isFailed({ outcome }: TraceStep): boolean {
  return outcome !== 'ok';
}

/** What the step was about: its element, or else what its arguments say. */
export function targetText({ element, arguments: json }: TraceStep): string {
  if (element || !json) return element;
  const members = membersOf(json);
  const place = [members.target, members.url].find((value) => value && typeof value === 'string');
  if (place) return String(place);
  // The daemon writes what was not given too, as the zero value.
  const given = Object.entries(members).filter(([, value]) => value === null || (value && String(value) !== ''));
  return given.length === 0 ? '' : JSON.stringify(Object.fromEntries(given));
}

export function filterSteps(steps: TraceStep[], { text, failed }: StepFilter): TraceStep[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0 && !failed) return steps;
  return steps.filter((step) => {
    if (failed && !isFailed(step)) return false;
    const { command, element, url, outcome, error, findings } = step;
    const parts = [command, step.arguments, element, url, outcome, error, ...findings];
    const held = parts.join(' ').toLowerCase();
    return words.every((word) => held.includes(word));
  });
}

/** The step whose picture shows the page before `step`: the last one of its tab that has any. */
export function stepBefore(steps: TraceStep[], { number, tab }: TraceStep): TraceStep | undefined {
  return steps.findLast((other) => other.number < number && other.tab === tab && other.has_picture);
}

function membersOf(json: string): Record<string, unknown> {
  try {
    return JSON.parse(json) as Record<string, unknown>;
  } catch {
    return {};
  }
}
