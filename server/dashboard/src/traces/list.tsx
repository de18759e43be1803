// The traces of steps that are kept, and the recording of new ones.

import { useState } from 'preact/hooks';
import { call } from '../rpc/client.ts';
import type { TraceInfo } from '../rpc/contract.ts';
import { hasScope } from '../state/login.ts';
import { hrefOf } from '../state/route.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm.tsx';
import { Failure } from '../ui/failure.tsx';
import { Empty, Panel } from '../ui/panel.tsx';
import { useAction, useLoad } from '../ui/useCall.ts';
import { useSessionChoice } from '../views/sessionChoice.tsx';
import { TraceActions } from './actions.tsx';
import { StateChip, TraceFacts } from './facts.tsx';
import { isRecording } from './words.ts';

const RECORDING_POLL_MS = 2_000;
/** Others may begin a recording too. */
const IDLE_POLL_MS = 10_000;

export function TracesPanel() {
  const allowed = hasScope('meta');
  const load = useLoad(
    async (signal) => (allowed ? (await call('BrowserService/ListTraces', {}, { signal })).traces : []),
    [],
    (traces) => (!allowed ? undefined : traces.some(isRecording) ? RECORDING_POLL_MS : IDLE_POLL_MS),
  );
  const traces = load.answer ?? [];
  return (
    <Panel title="Traces" scope="meta" load={{ ...load, busy: load.busy && load.answer === undefined }}>
      <Recorder traces={traces} onChanged={load.reload} />
      {traces.length === 0 ? (
        <Empty>No trace is kept. A trace has each command of a session, with the page after it.</Empty>
      ) : (
        <ul class="rows">
          {traces.map((trace) => (
            <li key={trace.id}>
              <TraceRow trace={trace} onChanged={load.reload} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Recorder({ traces, onChanged }: { traces: TraceInfo[]; onChanged: () => void }) {
  const { session, field } = useSessionChoice();
  const action = useAction();
  const [done, setDone] = useState('');
  const running = traces.find((trace) => isRecording(trace) && trace.session === session);
  const perform = (work: () => Promise<string>) =>
    action.run(async () => {
      setDone('');
      setDone(await work());
      onChanged();
    });
  const start = async () => {
    const options = session === undefined ? {} : { session };
    const { id } = await call('BrowserService/StartStepTrace', {}, options);
    return `Trace ${id} records ${session}.`;
  };
  const removeAll = async () => {
    const { removed } = await call('BrowserService/RemoveTrace', { all: true });
    return `Removed: ${removed}.`;
  };
  return (
    <>
      <div class="row">
        {field}
        <Button
          label="Record the steps"
          icon="record"
          scope="write"
          busy={action.busy}
          disabled={session === undefined || running !== undefined}
          because={running ? `Trace ${running.id} records this session` : 'No session is open'}
          onClick={() => perform(start)}
        />
        <span class="spacer" />
        {traces.some((trace) => !isRecording(trace)) && (
          <ConfirmButton
            label="Remove all…"
            confirmation="Remove all that have ended"
            scope="write"
            disabled={action.busy}
            onConfirm={() => perform(removeAll)}
          />
        )}
      </div>
      <Failure error={action.error} retry={action.retry} dismiss={action.dismiss} />
      <p role="status">{done}</p>
    </>
  );
}

function TraceRow({ trace, onChanged }: { trace: TraceInfo; onChanged: () => void }) {
  return (
    <article aria-label={`Trace ${trace.id}`}>
      <div class="row-head">
        <div>
          <h3>
            <a href={hrefOf({ view: 'timeline', trace: trace.id })}>Trace {trace.id}</a> <StateChip trace={trace} />
          </h3>
          <TraceFacts trace={trace} />
        </div>
        <TraceActions trace={trace} onChanged={onChanged} onRemoved={onChanged} />
      </div>
    </article>
  );
}
