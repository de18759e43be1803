// Calls and latency of the last two minutes, from the activity.

import { useActivity } from '../state/activity.ts';
import { Panel } from '../ui/panel.tsx';
import { useSeconds } from '../ui/time.tsx';

const SECONDS = 120;
const STEP = 2;
const WIDTH = 600;
const HEIGHT = 80;

interface Slot {
  calls: number;
  worstMs: number;
}

export function LoadPanel() {
  useSeconds();
  const { entries } = useActivity();
  const slots = slotsOf(entries, Date.now());
  const total = slots.reduce((sum, slot) => sum + slot.calls, 0);
  return (
    <Panel title="Load" scope="meta">
      <div class="charts">
        <Chart
          label={`Calls per second, ${(total / SECONDS).toFixed(1)} on average in 2 minutes`}
          values={slots.map((slot) => slot.calls / STEP)}
          unit="/s"
        />
        <Chart label="Longest call, in 2 minutes" values={slots.map((slot) => slot.worstMs)} unit=" ms" />
      </div>
    </Panel>
  );
}

function slotsOf(entries: { time: string; duration_ms: number }[], now: number): Slot[] {
  const slots: Slot[] = Array.from({ length: SECONDS / STEP }, () => ({ calls: 0, worstMs: 0 }));
  for (const { time, duration_ms } of entries) {
    const slot = slots[slots.length - 1 - Math.floor((now - Date.parse(time)) / (STEP * 1000))];
    if (!slot) continue;
    slot.calls += 1;
    slot.worstMs = Math.max(slot.worstMs, duration_ms);
  }
  return slots;
}

function Chart({ label, values, unit }: { label: string; values: number[]; unit: string }) {
  const highest = Math.max(...values);
  const width = WIDTH / values.length;
  return (
    <figure class="chart">
      <figcaption>
        {label}{' '}
        <span class="muted">
          highest {highest < 10 ? highest.toFixed(1) : Math.round(highest)}
          {unit}
        </span>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {values.map((value, index) => {
          const height = highest > 0 ? (value / highest) * (HEIGHT - 2) : 0;
          return (
            value > 0 && (
              <rect
                x={index * width + 1}
                y={HEIGHT - Math.max(2, height)}
                width={width - 2}
                height={Math.max(2, height)}
              />
            )
          );
        })}
        <line x1="0" y1={HEIGHT} x2={WIDTH} y2={HEIGHT} />
      </svg>
    </figure>
  );
}
