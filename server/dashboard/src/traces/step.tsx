// The selected step: the page after it, what it was about, and what happened meanwhile.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../rpc/client.ts';
import type { TraceStep } from '../rpc/contract.ts';
import { sleep } from '../rpc/wait.ts';
import { hrefOf } from '../state/route.ts';
import { Facts } from '../ui/facts.tsx';
import { Failure } from '../ui/failure.tsx';
import { indented, Output } from '../ui/output.tsx';
import { clockText } from '../ui/time.tsx';
import { useLoad } from '../ui/useCall.ts';
import { ConsoleTable, RequestTable } from './details.tsx';
import { SETTLE_MS, StepPicture, type Side } from './picture.tsx';
import type { PictureCache } from './pictureCache.ts';
import { isFailed } from './words.ts';

interface StepPanelProps {
  trace: string;
  step: TraceStep;
  /** All steps of the trace. */
  steps: TraceStep[];
  cache: PictureCache;
}

export function StepPanel({ trace, step, steps, cache }: StepPanelProps) {
  // Stays while the selection moves.
  const [side, setSide] = useState<Side>('after');
  return (
    <section class="step" aria-label={`Step ${step.number}`}>
      <h3>
        Step {step.number}: {step.command}{' '}
        <span class={`chip ${isFailed(step) ? 'bad' : 'good'}`}>{step.outcome}</span>
      </h3>
      <div class="step-parts">
        <div>
          <StepPicture trace={trace} step={step} steps={steps} cache={cache} side={side} onSide={setSide} />
          <StepFacts step={step} />
        </div>
        <div>
          <Meanwhile key={step.number} trace={trace} step={step} />
        </div>
      </div>
    </section>
  );
}

function StepFacts({ step }: { step: TraceStep }) {
  return (
    <>
      {step.error && (
        <Part title="Error">
          <p class="problem page-words">{step.error}</p>
        </Part>
      )}
      {step.findings.length > 0 && (
        <Part title="Findings">
          <ul>
            {step.findings.map((finding) => (
              <li class="page-words">{finding}</li>
            ))}
          </ul>
        </Part>
      )}
      <Facts
        facts={[
          ['Element', step.element],
          ['Address', step.url],
          ['Client', step.client],
          ['Began', clockText(step.time)],
          ['Time taken', `${Math.round(step.duration_ms)} ms`],
        ]}
      />
      {step.tab !== undefined && (
        <p>
          <a href={hrefOf({ view: 'live', tab: step.tab })}>Tab {step.tab}</a>
        </p>
      )}
      {step.arguments && (
        <Part title="Arguments">
          <Output label="Arguments" text={indented(step.arguments)} />
        </Part>
      )}
    </>
  );
}

/** What the list of steps does not have. */
function Meanwhile({ trace, step: { number } }: { trace: string; step: TraceStep }) {
  const load = useLoad(
    async (signal) => {
      await sleep(SETTLE_MS, signal);
      return call('BrowserService/ShowStep', { id: trace, step: number }, { signal });
    },
    [trace, number],
  );
  if (load.error) return <Failure error={load.error} retry={load.reload} />;
  if (!load.answer) return <p class="muted">Loading…</p>;
  const { console: lines, requests, snapshot } = load.answer;
  return (
    <>
      <Part title="Console">
        <ConsoleTable lines={lines} />
      </Part>
      <Part title="Requests">
        <RequestTable requests={requests} />
      </Part>
      <Part title="Snapshot">
        {snapshot ? <Output label="Snapshot" text={snapshot} /> : <p class="muted">No snapshot is kept.</p>}
      </Part>
    </>
  );
}

function Part({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="step-part">
      <h4>{title}</h4>
      {children}
    </div>
  );
}
