// What the agents of a session did last, the newest first.

import { useActivity } from '../state/activity.ts';
import { Failure } from '../ui/failure.tsx';
import { Empty, Panel } from '../ui/panel.tsx';
import { clockText } from '../ui/time.tsx';
import { filterEntries, NO_FILTER } from '../views/filter.ts';

const MAX_ROWS = 50;

export function RowsPanel({ session }: { session: string }) {
  const { entries, problem } = useActivity();
  const rows = filterEntries(entries, { ...NO_FILTER, session }).slice(-MAX_ROWS).reverse();
  return (
    <Panel title="What the agent does" scope="meta">
      {problem && problem.reason !== 'DAEMON_UNREACHABLE' && <Failure error={problem} />}
      {rows.length === 0 ? (
        <Empty>Nothing yet.</Empty>
      ) : (
        <ol class="panel-rows" tabIndex={0} aria-label="Calls">
          {rows.map((entry) => (
            <li key={entry.number} class={entry.outcome === 'ok' ? '' : 'failed'}>
              <span class="muted">{clockText(entry.time)}</span> <code>{entry.command}</code>{' '}
              <span class="page-words">
                {entry.target} {entry.element}
              </span>{' '}
              {entry.client !== 'root' && <span class="muted">({entry.client})</span>}{' '}
              {entry.outcome !== 'ok' && <strong>{entry.outcome}</strong>}
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}
