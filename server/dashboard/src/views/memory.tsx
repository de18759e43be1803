// What memory the tabs take.

import { call } from '../rpc/client.ts';
import { hasScope } from '../state/login.ts';
import { hrefOf } from '../state/route.ts';
import { bytesText } from '../ui/bytes.ts';
import { Panel } from '../ui/panel.tsx';
import { Table } from '../ui/table.tsx';
import { useLoad } from '../ui/useCall.ts';

export function MemoryPanel() {
  const allowed = hasScope('meta');
  const load = useLoad(
    async (signal) => (allowed ? call('DaemonService/Memory', {}, { signal }) : undefined),
    [],
  );
  const memory = load.answer;
  const largest = Math.max(1, ...(memory?.tabs ?? []).map(({ heap_used_bytes }) => Number(heap_used_bytes ?? 0)));
  return (
    <Panel title="Memory" scope="meta" load={load}>
      {memory && (
        <>
          <p>
            {bytesText(memory.total_bytes)} in all, {bytesText(memory.daemon_bytes)} of the daemon itself
          </p>
          <Table
            label="Memory of the tabs"
            columns={['Tab', 'Session', 'Origin', 'State', 'Heap', 'Nodes', 'Listeners']}
          >
            {memory.tabs.map((tab) => (
              <tr key={tab.id}>
                <td>
                  <a href={hrefOf({ view: 'live', tab: tab.id })}>{tab.id}</a>
                </td>
                <td>{tab.session}</td>
                <td class="wide">{tab.origin}</td>
                <td>{tab.state}</td>
                <td class="number">
                  {bytesText(tab.heap_used_bytes)}
                  {tab.heap_used_bytes !== undefined && <Share of={Number(tab.heap_used_bytes) / largest} />}
                </td>
                <td class="number">{tab.nodes ?? '–'}</td>
                <td class="number">{tab.listeners ?? '–'}</td>
              </tr>
            ))}
          </Table>
        </>
      )}
    </Panel>
  );
}

/** A bar beside a number: of the largest one, so much. */
function Share({ of }: { of: number }) {
  return (
    <svg class="tab-share" viewBox="0 0 72 6" preserveAspectRatio="none" aria-hidden="true">
      <rect width="72" height="6" />
      <rect width={Math.max(1, 72 * of)} height="6" />
    </svg>
  );
}
