// Makes a skill of steps of a trace.

import { useState } from 'preact/hooks';
import type { TraceStep } from '../rpc/contract.ts';
import { Button } from '../ui/button.tsx';
import { countText } from '../ui/count.ts';
import { rangesText, type StepChoice } from './choice.ts';
import { SkillForm } from './skillForm.tsx';

interface SkillMakerProps {
  trace: string;
  steps: TraceStep[];
  /** Those that the filter leaves. */
  matching: TraceStep[];
  choice: StepChoice;
}

export function SkillMaker({ trace, steps, matching, choice }: SkillMakerProps) {
  const [isOpen, setOpen] = useState(false);
  const { size } = choice.numbers;
  const ranges = rangesText(choice.numbers);
  return (
    <div class="skill-maker">
      <div class="row">
        <Button label="Choose all matching" disabled={matching.length === 0} onClick={() => choice.add(matching)} />
        <Button label="Choose none" disabled={size === 0} onClick={choice.clear} />
        <Button label="Save as a skill" scope="admin" pressed={isOpen} onClick={() => setOpen(!isOpen)} />
      </div>
      <p class="muted" role="status">
        {size === 0 ? 'No step is chosen.' : `${countText(size, 'step')} chosen.`}
      </p>
      <p class="muted">
        <kbd>Space</kbd> or its box chooses a step; with <kbd>Shift</kbd> all up to it.
      </p>
      {isOpen && (
        <SkillForm
          about={aboutText(ranges, steps.length)}
          request={{ trace, ...(ranges ? { steps: ranges } : {}) }}
        />
      )}
    </div>
  );
}

function aboutText(ranges: string, count: number): string {
  return ranges ? `Of the steps ${ranges}` : `Of all ${countText(count, 'step')}`;
}
