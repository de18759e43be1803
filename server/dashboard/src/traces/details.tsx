// The console and the requests of a step.

import type { ConsoleMessage, NetworkEntry } from '../rpc/contract.ts';
import { bytesText } from '../ui/bytes.ts';
import { Empty } from '../ui/panel.tsx';
import { Table } from '../ui/table.tsx';

const MAX_ROWS = 200;
const LEVELS: Record<string, string> = { warning: 'warn', error: 'bad', exception: 'bad' };

export function ConsoleTable({ lines }: { lines: ConsoleMessage[] }) {
  if (lines.length === 0) return <Empty>Nothing was written.</Empty>;
  return (
    <>
      <Table label="Console" columns={['Level', 'Text', 'Where']}>
        {lines.slice(0, MAX_ROWS).map(({ level, text, location }) => (
          <tr>
            <td>
              <span class={`chip ${LEVELS[level] ?? ''}`}>{level}</span>
            </td>
            <td class="wide page-words">{text}</td>
            <td class="wide">{location}</td>
          </tr>
        ))}
      </Table>
      <Rest count={lines.length} />
    </>
  );
}

export function RequestTable({ requests }: { requests: NetworkEntry[] }) {
  if (requests.length === 0) return <Empty>No request began.</Empty>;
  return (
    <>
      <Table label="Requests" columns={['Method', 'Address', 'Status', 'Type', 'Size', 'Time taken']}>
        {requests.slice(0, MAX_ROWS).map((request) => (
          <tr key={request.id} class={request.failure || (request.status ?? 0) >= 400 ? 'failed' : ''}>
            <td>{request.method}</td>
            <td class="wide">{request.url}</td>
            <td>{request.failure ?? request.status ?? 'no answer'}</td>
            <td>{request.type}</td>
            <td class="number">{bytesText(request.size)}</td>
            <td class="number">
              {request.duration_ms === undefined ? '–' : `${Math.round(request.duration_ms)} ms`}
            </td>
          </tr>
        ))}
      </Table>
      <Rest count={requests.length} />
    </>
  );
}

function Rest({ count }: { count: number }) {
  if (count <= MAX_ROWS) return null;
  return (
    <p class="muted">
      {MAX_ROWS} of {count}; a saved trace has all
    </p>
  );
}
