// The layers that guard the text of pages, and what was refused.

import { call } from '../rpc/client.ts';
import { hasScope } from '../state/login.ts';
import { Empty, Panel } from '../ui/panel.tsx';
import { Table } from '../ui/table.tsx';
import { dateText } from '../ui/time.tsx';
import { useLoad } from '../ui/useCall.ts';

const CHIPS: Record<string, string> = { on: 'good', loading: 'warn', degraded: 'bad' };

export function SecurityPanel() {
  const allowed = hasScope('meta');
  const load = useLoad(
    async (signal) => (allowed ? call('DaemonService/SecurityStatus', {}, { signal }) : undefined),
    [],
  );
  return (
    <Panel title="Guards" scope="meta" load={load}>
      <Table label="Guards" columns={['Layer', 'State', 'What it does']}>
        {load.answer?.layers.map((layer) => (
          <tr key={layer.name}>
            <td>{layer.name}</td>
            <td>
              <span class={`chip ${CHIPS[layer.state] ?? ''}`}>{layer.state}</span>
            </td>
            <td class="wide">{layer.detail}</td>
          </tr>
        ))}
      </Table>
      <p class="muted">{load.answer?.counts.map(({ name, count }) => `${name}: ${count}`).join(' · ')}</p>
    </Panel>
  );
}

export function RefusalsPanel() {
  const allowed = hasScope('control');
  const load = useLoad(
    async (signal) =>
      allowed ? (await call('DaemonService/SecurityLog', { limit: 100 }, { signal })).attempts : [],
    [],
  );
  const attempts = [...(load.answer ?? [])].reverse();
  return (
    <Panel title="Refused" scope="control" load={load}>
      {attempts.length === 0 ? (
        <Empty>Nothing was refused.</Empty>
      ) : (
        <Table label="Refused" columns={['Time', 'Surface', 'Reason', 'Source', 'Host']}>
          {attempts.map(({ time, surface, reason, source, domain, dropped }) => (
            <tr>
              <td class="number">{dateText(time)}</td>
              <td>{surface}</td>
              <td>
                <code>{reason}</code> {dropped}
              </td>
              <td>
                <code>{source}</code>
              </td>
              <td>{domain}</td>
            </tr>
          ))}
        </Table>
      )}
    </Panel>
  );
}
