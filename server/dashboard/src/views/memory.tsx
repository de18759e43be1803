// What memory the tabs take.

import { call } from '../rpc/client.ts';
import { hasScope } from '../state/login.ts';
import { hrefOf } from '../state/route.ts';
import { bytesText } from '../ui/bytes.ts';
import { Panel } from '../ui/panel.tsx';
import { Table } from '../ui/table.tsx';
import { useLoad } from '../ui/useCall.ts';

interface Memory {
  total_bytes: string;
  daemon_bytes: string;
  tabs: {
    id: string;
    session: string;
    state: string;
    origin: string;
    heap_used_bytes?: string;
    nodes?: string;
    listeners?: string;
  }[];
}

export function MemoryPanel() {
  const allowed = hasScope('meta');
  const load = useLoad(
    async (signal) => (allowed ? call<Memory>('DaemonService/Memory', {}, { signal }) : undefined),
    [],
  );
  const memory = load.answer;
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
                <td class="number">{bytesText(tab.heap_used_bytes)}</td>
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
