// The list of steps: one is selected, with the arrow keys or by a click, and any number is chosen for
// a skill, with the space key or by a click on its box; with Shift all from the last one on.

import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { TraceStep } from '../rpc/contract.ts';
import { countText } from '../ui/count.ts';
import { isFailed, targetText } from './words.ts';

const PAGE_STEPS = 10;
/** Steps that are rendered together. */
const CHUNK_STEPS = 50;

/** Where a key leads to, from the place `index` of `count`. */
const KEYS: Record<string, (index: number, count: number) => number> = {
  ArrowUp: (index) => index - 1,
  ArrowDown: (index) => index + 1,
  PageUp: (index) => index - PAGE_STEPS,
  PageDown: (index) => index + PAGE_STEPS,
  Home: () => 0,
  End: (_, count) => count - 1,
};

interface StepListProps {
  steps: TraceStep[];
  /** Number of a step, which the filter may have taken out of `steps`. */
  selected: number;
  onSelect: (number: number) => void;
  /** Numbers of the steps for a skill. */
  chosen: ReadonlySet<number>;
  /** `isRange` when Shift was held. */
  onChoose: (number: number, isRange: boolean) => void;
}

export function StepList({ steps, selected, onSelect, chosen, onChoose }: StepListProps) {
  const list = useRef<HTMLDivElement>(null);
  const chunks = useMemo(() => chunksOf(steps), [steps]);
  const isShown = steps.some((step) => step.number === selected);
  useEffect(() => {
    // The link that opened the trace is gone, and the focus with it; the keys of the list are
    // what moves through a trace.
    if (document.activeElement === document.body) list.current?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    const option = list.current?.querySelector<HTMLElement>('[aria-selected="true"]');
    if (!list.current || !option) return;
    // With the keys the selection goes where the person looks; else the page stays where it is.
    if (document.activeElement === list.current) option.scrollIntoView({ block: 'nearest' });
    else scrollTo(list.current, option);
  }, [selected, isShown]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === ' ' && isShown) {
      event.preventDefault();
      onChoose(selected, event.shiftKey);
      return;
    }
    const lead = KEYS[event.key];
    if (!lead || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const next = steps[clamp(lead(indexOf(steps, selected, event.key), steps.length), steps.length)];
    if (next) onSelect(next.number);
  };
  const onClick = ({ target, shiftKey }: MouseEvent) => {
    if (!(target instanceof Element)) return;
    const number = Number(target.closest<HTMLElement>('[data-step]')?.dataset.step ?? NaN);
    if (Number.isNaN(number)) return;
    if (target.closest('.step-check')) onChoose(number, shiftKey);
    else onSelect(number);
  };
  return (
    <div
      ref={list}
      class="step-list"
      role="listbox"
      aria-label="Steps"
      tabIndex={0}
      aria-activedescendant={isShown ? optionId(selected) : undefined}
      onKeyDown={onKeyDown}
      onClick={onClick}
    >
      {chunks.map((chunk) => (
        <Options
          key={chunk[0]?.number}
          steps={chunk}
          selected={chunk.some(({ number }) => number === selected) ? selected : undefined}
          chosen={chosenOf(chunk, chosen)}
        />
      ))}
    </div>
  );
}

/** Rendered again only where something changed: a key changes at most two of 2,000 steps. */
function Options({ steps, selected, chosen }: { steps: TraceStep[]; selected: number | undefined; chosen: string }) {
  return useMemo(() => {
    const numbers = new Set(chosen.split(','));
    return (
      <>
        {steps.map((step) => (
          <Option
            key={step.number}
            step={step}
            isSelected={step.number === selected}
            isChosen={numbers.has(String(step.number))}
          />
        ))}
      </>
    );
  }, [steps, selected, chosen]);
}

function Option({ step, isSelected, isChosen }: { step: TraceStep; isSelected: boolean; isChosen: boolean }) {
  return (
    <div
      id={optionId(step.number)}
      role="option"
      aria-selected={isSelected}
      aria-checked={isChosen}
      data-step={step.number}
    >
      <span class="step-head">
        <span class="step-check" aria-hidden="true" title="Choose it for a skill" />
        <span class="step-number">{step.number}</span> <code>{step.command}</code> <span class="spacer" />
        {step.findings.length > 0 && <span class="chip warn">{countText(step.findings.length, 'finding')}</span>}{' '}
        <span class={isFailed(step) ? 'chip bad' : 'muted'}>{step.outcome}</span>{' '}
        <span class="muted">{Math.round(step.duration_ms)} ms</span>
      </span>
      <span class="step-target">{targetText(step)}</span>
    </div>
  );
}

function chunksOf(steps: TraceStep[]): TraceStep[][] {
  const count = Math.ceil(steps.length / CHUNK_STEPS);
  return Array.from({ length: count }, (_, index) => steps.slice(index * CHUNK_STEPS, (index + 1) * CHUNK_STEPS));
}

/** The chosen ones among some steps, as a value that compares by its content. */
function chosenOf(steps: TraceStep[], chosen: ReadonlySet<number>): string {
  return steps.flatMap(({ number }) => (chosen.has(number) ? [number] : [])).join();
}

function optionId(number: number): string {
  return `step-${number}`;
}

/** The place of the selected step; of its neighbour where the filter took it out. */
function indexOf(steps: TraceStep[], selected: number, key: string): number {
  const after = steps.findIndex((step) => step.number >= selected);
  const index = after < 0 ? steps.length : after;
  const isDown = key === 'ArrowDown' || key === 'PageDown';
  return isDown && steps[index]?.number !== selected ? index - 1 : index;
}

function clamp(index: number, count: number): number {
  return Math.min(Math.max(index, 0), count - 1);
}

/** Brings the option into sight within the list. */
function scrollTo(list: HTMLElement, option: HTMLElement): void {
  const { offsetTop: top, offsetHeight: height } = option;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + height > list.scrollTop + list.clientHeight) list.scrollTop = top + height - list.clientHeight;
}
