// Where the agent acted last; it fades after 3 seconds.

import { useEffect, useState } from 'preact/hooks';
import type { TabAction } from '../rpc/contract.ts';

const SHOWN_MS = 3_000;

interface MarkerProps {
  action: TabAction | undefined;
  /** Size of the page. */
  width: number;
  height: number;
  /** Width by height of the box that the page covers, from its top; that of the page when left out. */
  boxRatio?: number;
}

export function Marker({ action, width, height, boxRatio = width / height }: MarkerProps) {
  const [shown, setShown] = useState<string>();
  const time = action?.time;
  useEffect(() => {
    const age = time === undefined ? SHOWN_MS : Date.now() - Date.parse(time);
    if (!(age < SHOWN_MS)) return;
    setShown(time);
    const timer = setTimeout(() => setShown(undefined), SHOWN_MS - Math.max(0, age));
    return () => clearTimeout(timer);
  }, [time]);
  if (!action || shown !== time || action.x === undefined || action.y === undefined || !width || !height) return null;
  // The part of the page that is seen, as `object-fit: cover` has it.
  const seenWidth = Math.min(width, height * boxRatio);
  const seenHeight = Math.min(height, width / boxRatio);
  const left = ((action.x - (width - seenWidth) / 2) / seenWidth) * 100;
  return (
    <span
      key={time}
      class="marker"
      aria-hidden="true"
      style={{ left: `${left}%`, top: `${(action.y / seenHeight) * 100}%` }}
    />
  );
}
