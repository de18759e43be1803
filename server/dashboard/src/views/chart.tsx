// A chart of values by minute: bars, or lines with a gap where there is no value.

import type { ComponentChildren } from 'preact';

const WIDTH = 600;
const HEIGHT = 80;

export interface Series {
  name: string;
  kind: 'bars' | 'line' | 'dashed';
  /** Colour of what it stands for. */
  tone: 'plain' | 'bad';
  values: (number | undefined)[];
}

interface ChartProps {
  title: string;
  series: Series[];
  /** A value as text, with its unit. */
  text: (value: number) => string;
}

export function Chart({ title, series, text }: ChartProps) {
  const highestOf = ({ values }: Series) => Math.max(0, ...values.map((value) => value ?? 0));
  const highest = Math.max(...series.map(highestOf));
  const parts = series.map((one) => `${one.name ? `${one.name} ` : ''}at most ${text(highestOf(one))}`);
  const label = `${title}, in 60 minutes: ${parts.join(', ')}`;
  return (
    <figure class="chart">
      <figcaption>
        {title} <span class="muted">at most {text(highest)}</span>
        {series.length > 1 && series.map((one) => <LegendEntry series={one} />)}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {series.map((one) => (one.kind === 'bars' ? bars(one, highest) : line(one, highest)))}
        <line class="axis" x1="0" y1={HEIGHT} x2={WIDTH} y2={HEIGHT} />
      </svg>
      <div class="chart-ends muted">
        <span>60 min ago</span>
        <span>now</span>
      </div>
    </figure>
  );
}

function LegendEntry({ series: { name, kind, tone } }: { series: Series }) {
  return (
    <span class="legend">
      <svg viewBox="0 0 18 4" width="18" height="4" aria-hidden="true">
        <path class={`${kind} ${tone}`} d="M0 2H18" />
      </svg>
      {name}
    </span>
  );
}

function bars({ values, tone }: Series, highest: number): ComponentChildren {
  const width = WIDTH / values.length;
  return values.map((value, index) => {
    if (!value) return null;
    const height = Math.max(2, heightOf(value, highest));
    return <rect class={tone} x={index * width + 1} y={HEIGHT - height} width={width - 2} height={height} />;
  });
}

/** A level stretch for each minute, joined to the one before it where that has a value. */
function line({ values, kind, tone }: Series, highest: number): ComponentChildren {
  const width = WIDTH / values.length;
  const parts = values.map((value, index) => {
    if (value === undefined) return '';
    const y = (HEIGHT - Math.max(1, heightOf(value, highest))).toFixed(1);
    const isJoined = index > 0 && values[index - 1] !== undefined;
    return `${isJoined ? 'V' : `M${index * width} `}${y}H${(index + 1) * width}`;
  });
  return <path class={`${kind} ${tone}`} d={parts.join('')} />;
}

function heightOf(value: number, highest: number): number {
  return highest > 0 ? (value / highest) * (HEIGHT - 2) : 0;
}
