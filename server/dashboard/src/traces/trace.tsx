// An open trace: its steps, and the selected one beside them.

import { useEffect, useMemo, useState } from 'preact/hooks';
import { call } from '../rpc/client.ts';
import type { TraceInfo, TraceStep } from '../rpc/contract.ts';
import { hasScope } from '../state/login.ts';
import { goTo, hrefOf, replaceRoute } from '../state/route.ts';
import { Icon } from '../ui/icons.tsx';
import { Empty, Panel } from '../ui/panel.tsx';
import { useLoad } from '../ui/useCall.ts';
import { TraceActions } from './actions.tsx';
import { useStepChoice } from './choice.ts';
import { StateChip, TraceFacts } from './facts.tsx';
import { PictureCache } from './pictureCache.ts';
import { SkillMaker } from './skill.tsx';
import { StepPanel } from './step.tsx';
import { StepList } from './steps.tsx';
import { filterSteps, isRecording, type StepFilter } from './words.ts';

const POLL_MS = 2_000;

interface OpenTrace {
  info?: TraceInfo;
  steps: TraceStep[];
}

/** `number` is the selected step; the first one when left out. */
export function TraceView({ id, number }: { id: string; number: string | undefined }) {
  const allowed = hasScope('meta');
  const load = useLoad<OpenTrace>(
    async (signal) => (allowed ? readTrace(id, signal) : { steps: [] }),
    [id],
    ({ info }) => (info && isRecording(info) ? POLL_MS : undefined),
  );
  const info = load.answer?.info;
  const steps = load.answer?.steps ?? [];
  return (
    <>
      <header class="view-header">
        <a class="button" href={hrefOf({ view: 'timeline', part: 'traces' })}>
          <Icon name="timeline" />
          <span>All traces</span>
        </a>
        <div class="titles">
          <h1>
            Trace {id} {info && <StateChip trace={info} />}
          </h1>
          {info && <TraceFacts trace={info} />}
        </div>
      </header>
      {info && (
        <TraceActions
          trace={info}
          onChanged={load.reload}
          onRemoved={() => goTo({ view: 'timeline', part: 'traces' })}
        />
      )}
      <Panel title="Steps" scope="meta" load={{ ...load, busy: load.busy && load.answer === undefined }}>
        {steps.length === 0 ? <Empty>No step yet.</Empty> : <Steps trace={id} steps={steps} number={number} />}
      </Panel>
    </>
  );
}

function Steps({ trace, steps, number }: { trace: string; steps: TraceStep[]; number: string | undefined }) {
  const [filter, setFilter] = useState<StepFilter>({ text: '', failed: false });
  const [cache] = useState(() => new PictureCache());
  const choice = useStepChoice();
  useEffect(() => () => cache.clear(), []);
  const matching = useMemo(() => filterSteps(steps, filter), [steps, filter]);
  const selected = steps.find((step) => String(step.number) === number) ?? matching[0];
  return (
    <div class="trace">
      <div class="trace-list">
        <div class="filters" role="search" aria-label="Steps">
          <input
            type="search"
            aria-label="Text"
            placeholder="Filter by text"
            value={filter.text}
            onInput={(event) => setFilter({ ...filter, text: event.currentTarget.value })}
          />
          <label class="check">
            <input
              type="checkbox"
              checked={filter.failed}
              onChange={(event) => setFilter({ ...filter, failed: event.currentTarget.checked })}
            />
            Failed only
          </label>
        </div>
        <p class="muted" role="status">
          {matching.length} of {steps.length} steps
        </p>
        {matching.length === 0 ? (
          <Empty>No step matches.</Empty>
        ) : (
          <StepList
            steps={matching}
            selected={selected?.number ?? 0}
            onSelect={(step) => replaceRoute({ view: 'timeline', trace, step: String(step) })}
            chosen={choice.numbers}
            onChoose={(step, isRange) => choice.toggle(matching, step, isRange)}
          />
        )}
        <SkillMaker trace={trace} steps={steps} matching={matching} choice={choice} />
      </div>
      {selected && <StepPanel trace={trace} step={selected} steps={steps} cache={cache} />}
    </div>
  );
}

async function readTrace(id: string, signal: AbortSignal): Promise<OpenTrace> {
  const [{ traces }, { steps }] = await Promise.all([
    call('BrowserService/ListTraces', {}, { signal }),
    call('BrowserService/ShowTrace', { id }, { signal }),
  ]);
  const info = traces.find((trace) => trace.id === id);
  return info ? { info, steps } : { steps };
}
