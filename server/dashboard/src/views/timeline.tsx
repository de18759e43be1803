// Timeline: the calls of all clients, and the traces of steps.

import { hrefOf, route } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { TracesPanel } from '../traces/list.tsx';
import { TraceView } from '../traces/trace.tsx';
import { CallsPanel } from './calls.tsx';

export function TimelineView() {
  const { part, trace, step } = useStore(route);
  if (trace !== undefined) return <TraceView key={trace} id={trace} number={step} />;
  return (
    <>
      <h1>Timeline</h1>
      <nav class="tab-strip" aria-label="Timeline">
        <a href={hrefOf({ view: 'timeline' })} aria-current={part === undefined ? 'page' : undefined}>
          Calls
        </a>
        <a href={hrefOf({ view: 'timeline', part: 'traces' })} aria-current={part === 'traces' ? 'page' : undefined}>
          Traces
        </a>
      </nav>
      {part === 'traces' ? <TracesPanel /> : <CallsPanel />}
    </>
  );
}
