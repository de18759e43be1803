// What is known of a trace without opening it.

import type { TraceInfo } from '../rpc/contract.ts';
import { bytesText } from '../ui/bytes.ts';
import { countText } from '../ui/count.ts';
import { dateText } from '../ui/time.tsx';
import { isRecording } from './words.ts';

export function StateChip({ trace }: { trace: TraceInfo }) {
  return <span class={`chip ${isRecording(trace) ? 'warn' : ''}`}>{trace.state}</span>;
}

export function TraceFacts({ trace: { session, started, steps, failed, bytes } }: { trace: TraceInfo }) {
  return (
    <p class="muted">
      session {session} · {dateText(started)} · {countText(steps, 'step')} ·{' '}
      {failed > 0 ? <span class="problem">{failed} failed</span> : 'none failed'} · {bytesText(bytes)}
    </p>
  );
}
