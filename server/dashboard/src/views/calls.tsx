// The calls of all clients, newest first.

import { useState } from 'preact/hooks';
import { useActivity, type NumberedEntry } from '../state/activity.ts';
import { hrefOf } from '../state/route.ts';
import { Button } from '../ui/button.tsx';
import { Failure } from '../ui/failure.tsx';
import { Empty, Panel } from '../ui/panel.tsx';
import { Table } from '../ui/table.tsx';
import { clockText } from '../ui/time.tsx';
import { filterEntries, NO_FILTER, valuesOf, type Filter } from './filter.ts';

const MAX_ROWS = 200;

export function CallsPanel() {
  const { entries: current, problem } = useActivity();
  const [frozen, setFrozen] = useState<NumberedEntry[]>();
  const [filter, setFilter] = useState<Filter>(NO_FILTER);
  const entries = frozen ?? current;
  const matching = filterEntries(entries, filter);
  const rows = matching.slice(-MAX_ROWS).reverse();
  return (
    <Panel
      title="Calls"
      scope="meta"
      tools={
        <Button
          label={frozen ? 'Continue' : 'Pause'}
          icon={frozen ? 'play' : 'pause'}
          pressed={frozen !== undefined}
          onClick={() => setFrozen(frozen ? undefined : current)}
        />
      }
    >
      {problem && problem.reason !== 'DAEMON_UNREACHABLE' && <Failure error={problem} />}
      <FilterFields entries={entries} filter={filter} onChange={(part) => setFilter({ ...filter, ...part })} />
      <p class="muted" role="status">
        {rows.length} of {matching.length} calls{matching.length !== entries.length && `, ${entries.length} in all`}
      </p>
      {rows.length === 0 ? <Empty>No call matches.</Empty> : <Calls rows={rows} />}
    </Panel>
  );
}

function FilterFields({
  entries,
  filter,
  onChange,
}: {
  entries: NumberedEntry[];
  filter: Filter;
  onChange: (part: Partial<Filter>) => void;
}) {
  return (
    <div class="filters" role="search" aria-label="Calls">
      <input
        type="search"
        aria-label="Text"
        placeholder="Filter by text"
        value={filter.text}
        onInput={(event) => onChange({ text: event.currentTarget.value })}
      />
      <Choice
        label="Session"
        values={valuesOf(entries, 'session')}
        value={filter.session}
        onChange={(session) => onChange({ session })}
      />
      <Choice
        label="Client"
        values={valuesOf(entries, 'client')}
        value={filter.client}
        onChange={(client) => onChange({ client })}
      />
      <Choice
        label="Outcome"
        values={['failed', ...valuesOf(entries, 'outcome')]}
        value={filter.outcome}
        onChange={(outcome) => onChange({ outcome })}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={filter.dashboards}
          onChange={(event) => onChange({ dashboards: event.currentTarget.checked })}
        />
        Calls of dashboards
      </label>
    </div>
  );
}

function Choice({
  label,
  values,
  value,
  onChange,
}: {
  label: string;
  values: string[];
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <select aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      <option value="">{label}: all</option>
      {values.map((name) => (
        <option value={name}>{name}</option>
      ))}
    </select>
  );
}

function Calls({ rows }: { rows: NumberedEntry[] }) {
  return (
    <Table label="Calls" columns={['Time', 'Client', 'Session', 'Command', 'Target', 'Time taken', 'Outcome', 'Tab']}>
      {rows.map((entry) => (
        <tr key={entry.number} class={entry.outcome === 'ok' ? '' : 'failed'}>
          <td class="number">{clockText(entry.time)}</td>
          <td>{entry.client}</td>
          <td>{entry.session}</td>
          <td>
            <code>{entry.command}</code>
          </td>
          <td class="wide">
            {entry.target} {entry.element && <span class="muted">{entry.element}</span>}
          </td>
          <td class="number">{Math.round(entry.duration_ms)} ms</td>
          <td>{entry.outcome}</td>
          <td>
            {entry.tab !== undefined && (
              <a href={hrefOf({ view: 'live', tab: entry.tab })} aria-label={`Tab ${entry.tab}`}>
                {entry.tab}
              </a>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}
