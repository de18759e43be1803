// The picture of the page after a step, or before it: that after the step before.

import { useState } from 'preact/hooks';
import { call } from '../rpc/client.ts';
import type { TraceStep } from '../rpc/contract.ts';
import { sleep } from '../rpc/wait.ts';
import { Button } from '../ui/button.tsx';
import { Failure } from '../ui/failure.tsx';
import { useLoad } from '../ui/useCall.ts';
import type { PictureCache } from './pictureCache.ts';
import { stepBefore } from './words.ts';

export type Side = 'before' | 'after';

/** How long a selection lasts before anything is loaded for it: keys that are held go further. */
export const SETTLE_MS = 80;

interface StepPictureProps {
  trace: string;
  step: TraceStep;
  steps: TraceStep[];
  cache: PictureCache;
  side: Side;
  onSide: (side: Side) => void;
}

export function StepPicture({ trace, step, steps, cache, side, onSide }: StepPictureProps) {
  const before = stepBefore(steps, step);
  const shown = side === 'before' ? before : step.has_picture ? step : undefined;
  return (
    <figure class="step-picture">
      <div class="row" role="group" aria-label="Picture of the page">
        <Button label="Before" pressed={side === 'before'} onClick={() => onSide('before')} />
        <Button label="After" pressed={side === 'after'} onClick={() => onSide('after')} />
        <figcaption class="muted">
          {shown ? `Page after step ${shown.number}, ${shown.command}` : missingText(side)}
        </figcaption>
      </div>
      <div class="step-picture-box">
        {shown && <Picture key={shown.number} trace={trace} number={shown.number} cache={cache} />}
      </div>
    </figure>
  );
}

function missingText(side: Side): string {
  return side === 'before' ? 'No earlier picture of this tab is kept' : 'No picture of the page after it is kept';
}

function Picture({ trace, number, cache }: { trace: string; number: number; cache: PictureCache }) {
  const [isBroken, setBroken] = useState(false);
  const load = useLoad(
    async (signal) => {
      if (cache.get(number) !== undefined) return;
      await sleep(SETTLE_MS, signal);
      const request = { id: trace, step: number };
      const { image } = await call('BrowserService/TracePicture', request, { signal });
      if (!signal.aborted) cache.put(number, image);
    },
    [trace, number],
  );
  const url = cache.get(number);
  if (load.error) return <Failure error={load.error} retry={load.reload} />;
  if (url === undefined) return <p class="muted">Loading…</p>;
  if (isBroken) return <p class="muted">The picture cannot be shown.</p>;
  return <img src={url} alt={`Page after step ${number}`} onError={() => setBroken(true)} />;
}
