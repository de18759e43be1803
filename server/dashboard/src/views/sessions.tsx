// Sessions and logins: what sessions there are, what is saved of them, what is signed in.

import { call } from '../rpc/client.ts';
import { hasScope } from '../state/login.ts';
import { bytesText } from '../ui/bytes.ts';
import { Empty, Panel } from '../ui/panel.tsx';
import { Table } from '../ui/table.tsx';
import { durationText } from '../ui/time.tsx';
import { useLoad } from '../ui/useCall.ts';
import { CookiesPanel } from './cookies.tsx';
import { StatesPanel } from './states.tsx';

interface Session {
  name: string;
  tabs: number;
  owner: string;
  idle_seconds: string;
  heap_bytes: string;
  browser?: string;
}

export function SessionsView() {
  const allowed = hasScope('control');
  const load = useLoad(
    async (signal) =>
      allowed ? (await call<{ sessions: Session[] }>('DaemonService/ListSessions', {}, { signal })).sessions : [],
    [],
  );
  const sessions = load.answer ?? [];
  return (
    <>
      <h1>Sessions and logins</h1>
      <Panel title="Sessions" scope="control" load={load}>
        {sessions.length === 0 ? (
          <Empty>No session is open.</Empty>
        ) : (
          <Table label="Sessions" columns={['Name', 'Opened by', 'Tabs', 'Idle', 'Heap', 'Browser']}>
            {sessions.map((session) => (
              <tr key={session.name}>
                <td>{session.name}</td>
                <td>{session.owner}</td>
                <td class="number">{session.tabs}</td>
                <td class="number">{durationText(Number(session.idle_seconds) * 1000)}</td>
                <td class="number">{bytesText(session.heap_bytes)}</td>
                <td>{session.browser ?? 'its own'}</td>
              </tr>
            ))}
          </Table>
        )}
      </Panel>
      <StatesPanel />
      <CookiesPanel />
    </>
  );
}
