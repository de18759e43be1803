// Calls, their latency and their errors in the last hour, from the activity.

import { useMemo, useState } from 'preact/hooks';
import { MAX_ENTRIES, useActivity } from '../state/activity.ts';
import { countText } from '../ui/count.ts';
import { Failure } from '../ui/failure.tsx';
import { Panel } from '../ui/panel.tsx';
import { Table } from '../ui/table.tsx';
import { clockText, useSeconds } from '../ui/time.tsx';
import { Chart } from './chart.tsx';
import { CALL_CLASSES, classOf, MINUTES, minutesOf, type CallClass, type Minute } from './loadData.ts';

const MINUTE_MS = 60_000;

export function LoadPanel() {
  useSeconds();
  const { entries, problem } = useActivity();
  const [chosen, setChosen] = useState<CallClass>();
  const minute = Math.floor(Date.now() / MINUTE_MS);
  const minutes = useMemo(() => {
    const counted = chosen === undefined ? entries : entries.filter((entry) => classOf(entry) === chosen);
    return minutesOf(counted, minute * MINUTE_MS);
  }, [entries, chosen, minute]);
  const calls = minutes.reduce((sum, one) => sum + one.calls, 0);
  const errors = minutes.reduce((sum, one) => sum + one.errors, 0);
  return (
    <Panel
      title="Load"
      scope="meta"
      tools={
        <select
          aria-label="Commands"
          value={chosen ?? ''}
          onChange={(event) => setChosen(CALL_CLASSES.find((name) => name === event.currentTarget.value))}
        >
          <option value="">All commands</option>
          {CALL_CLASSES.map((name) => (
            <option value={name}>{NAMES[name]}</option>
          ))}
        </select>
      }
    >
      {problem && problem.reason !== 'DAEMON_UNREACHABLE' && <Failure error={problem} />}
      <p>
        {countText(calls, 'call')} and {countText(errors, 'error')} in 60 minutes
        <MissingPart entries={entries} minutes={minutes} />
      </p>
      <Charts minutes={minutes} />
      <details>
        <summary>As a table</summary>
        <MinuteTable minutes={minutes} />
      </details>
    </Panel>
  );
}

const NAMES: Record<CallClass, string> = {
  navigation: 'Navigation',
  actions: 'Actions in pages',
  reading: 'Reading',
  other: 'Other commands',
};

/** The daemon keeps the last calls: with many of them these are from less than an hour. */
function MissingPart({ entries, minutes }: { entries: { time: string }[]; minutes: Minute[] }) {
  const [oldest] = entries;
  const begin = minutes[0]?.time ?? 0;
  if (!oldest || entries.length < MAX_ENTRIES || Date.parse(oldest.time) < begin) return null;
  return (
    <span class="muted">
      ; the daemon keeps the last {MAX_ENTRIES.toLocaleString('en')} calls, which began at {clockText(oldest.time)}
    </span>
  );
}

function Charts({ minutes }: { minutes: Minute[] }) {
  const values = (of: (minute: Minute) => number | undefined) => minutes.map(of);
  return (
    <div class="charts">
      <Chart
        title="Calls a minute"
        text={(value) => String(value)}
        series={[{ name: '', kind: 'bars', tone: 'plain', values: values(({ calls }) => calls) }]}
      />
      <Chart
        title="Latency"
        text={millisecondsText}
        series={[
          { name: 'p95', kind: 'dashed', tone: 'plain', values: values(({ p95 }) => p95) },
          { name: 'median', kind: 'line', tone: 'plain', values: values(({ median }) => median) },
        ]}
      />
      <Chart
        title="Errors a minute"
        text={(value) => String(value)}
        series={[{ name: '', kind: 'bars', tone: 'bad', values: values(({ errors }) => errors) }]}
      />
    </div>
  );
}

/** The minutes with a call, newest first. */
function MinuteTable({ minutes }: { minutes: Minute[] }) {
  return (
    <Table label={`Calls of ${MINUTES} minutes`} columns={['Minute', 'Calls', 'Median', 'p95', 'Errors']}>
      {minutes
        .filter(({ calls }) => calls > 0)
        .reverse()
        .map(({ time, calls, median, p95, errors }) => (
          <tr key={time}>
            <td class="number">{minuteText(time)}</td>
            <td class="number">{calls}</td>
            <td class="number">{millisecondsText(median ?? 0)}</td>
            <td class="number">{millisecondsText(p95 ?? 0)}</td>
            <td class="number">{errors}</td>
          </tr>
        ))}
    </Table>
  );
}

function minuteText(time: number): string {
  return new Date(time).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', hour12: false });
}

function millisecondsText(value: number): string {
  return `${value < 10 ? Math.round(value * 10) / 10 : Math.round(value)} ms`;
}
