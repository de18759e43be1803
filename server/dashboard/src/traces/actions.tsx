// What can be done with a trace: stop it, save it, remove it.

import { useState } from 'preact/hooks';
import { call } from '../rpc/client.ts';
import type { TraceInfo } from '../rpc/contract.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm.tsx';
import { saveFile } from '../ui/download.ts';
import { Failure } from '../ui/failure.tsx';
import { useAction } from '../ui/useCall.ts';
import { isRecording } from './words.ts';

/** Of RPCs that write a file. */
const FILE_MS = 60_000;

/** The media types of the formats that the daemon writes. */
const FORMATS = { zip: 'application/zip', har: 'application/json' } as const;

interface TraceActionsProps {
  trace: TraceInfo;
  onChanged: () => void;
  onRemoved: () => void;
}

export function TraceActions({ trace, onChanged, onRemoved }: TraceActionsProps) {
  const action = useAction();
  const [done, setDone] = useState('');
  const { busy } = action;
  const recording = isRecording(trace);
  const perform = (work: () => Promise<string>) => () =>
    action.run(async () => {
      setDone('');
      setDone(await work());
    });
  return (
    <div class="trace-actions">
      <div class="row">
        {recording && (
          <Button
            label="Stop recording"
            icon="stop"
            scope="write"
            disabled={busy}
            onClick={perform(async () => {
              await stop(trace).finally(onChanged);
              return 'The recording has ended.';
            })}
          />
        )}
        <Button
          label="Save for Playwright"
          scope="meta"
          disabled={busy}
          onClick={perform(async () => {
            const { name, note } = await save(trace, 'zip');
            return `${note}. Open it with npx playwright show-trace ${name}`;
          })}
        />
        <Button
          label="Save as HAR"
          scope="meta"
          disabled={busy}
          onClick={perform(async () => (await save(trace, 'har')).note)}
        />
        <ConfirmButton
          label="Remove…"
          confirmation={`Remove trace ${trace.id}`}
          scope="write"
          disabled={busy || recording}
          because={recording ? 'It is being recorded' : 'Wait for the file'}
          onConfirm={() =>
            action.run(async () => {
              await call('BrowserService/RemoveTrace', { id: trace.id });
              onRemoved();
            })
          }
        />
      </div>
      <Failure error={action.error} retry={action.retry} dismiss={action.dismiss} />
      <p class="muted" role="status">
        {busy ? 'Working…' : done}
      </p>
    </div>
  );
}

async function stop({ session }: TraceInfo): Promise<void> {
  // The answer has the trace as a file, which nobody asked for: that of the requests is small.
  await call('BrowserService/StopStepTrace', { format: 'har' }, { session, timeoutMs: FILE_MS });
}

async function save({ id }: TraceInfo, format: keyof typeof FORMATS): Promise<{ name: string; note: string }> {
  const { trace, mime, note } = await call('BrowserService/SaveTrace', { id, format }, { timeoutMs: FILE_MS });
  const name = `trace-${id}.${format}`;
  saveFile(name, trace, mime || FORMATS[format]);
  return { name, note };
}
