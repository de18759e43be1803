// The steps that are chosen for a skill.

import { useRef, useState } from 'preact/hooks';
import type { TraceStep } from '../rpc/contract.ts';

export interface StepChoice {
  numbers: ReadonlySet<number>;
  /** Adds a step or takes it out; as a range also what stands between it and the last one in `steps`. */
  toggle: (steps: TraceStep[], number: number, isRange: boolean) => void;
  add: (steps: TraceStep[]) => void;
  clear: () => void;
}

export function useStepChoice(): StepChoice {
  const [numbers, setNumbers] = useState<ReadonlySet<number>>(new Set());
  const last = useRef<number>(undefined);
  return {
    numbers,
    toggle: (steps, number, isRange) => {
      const range = isRange && last.current !== undefined ? between(steps, last.current, number) : [number];
      last.current = number;
      // A range gets what its end gets.
      setNumbers((before) => (before.has(number) ? without(before, range) : new Set([...before, ...range])));
    },
    add: (steps) => setNumbers((before) => new Set([...before, ...steps.map(({ number }) => number)])),
    clear: () => {
      last.current = undefined;
      setNumbers(new Set());
    },
  };
}

/** Numbers as `SaveSkillRecord` takes them: `2-9,12`. */
export function rangesText(numbers: ReadonlySet<number>): string {
  const ranges: [first: number, last: number][] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const range = ranges.at(-1);
    if (range && range[1] === number - 1) range[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
}

function between(steps: TraceStep[], a: number, b: number): number[] {
  const [first, last] = [Math.min(a, b), Math.max(a, b)];
  return steps.map(({ number }) => number).filter((number) => number >= first && number <= last);
}

function without(numbers: ReadonlySet<number>, taken: number[]): ReadonlySet<number> {
  return new Set([...numbers].filter((number) => !taken.includes(number)));
}
