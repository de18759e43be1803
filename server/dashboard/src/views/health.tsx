// The daemon and its browser.

import { call } from '../rpc/client.ts';
import { hasScope } from '../state/login.ts';
import { bytesText } from '../ui/bytes.ts';
import { countText } from '../ui/count.ts';
import { Facts } from '../ui/facts.tsx';
import { Panel } from '../ui/panel.tsx';
import { durationText } from '../ui/time.tsx';
import { useLoad } from '../ui/useCall.ts';

export function HealthPanel() {
  const allowed = hasScope('read');
  const load = useLoad(
    async (signal) => (allowed ? call('DaemonService/Status', {}, { signal }) : undefined),
    [],
  );
  const status = load.answer;
  return (
    <Panel title="Health" scope="read" load={load}>
      {status && (
        <Facts
          facts={[
            ['Browser', status.browser ? `${status.browser.state} ${status.browser.product}` : 'none'],
            ['Sandbox', status.browser?.sandbox],
            ['Problem', status.browser?.problem],
            [
              'Daemon',
              `process ${status.pid} at ${status.address}, up ${durationText(Number(status.uptime_s) * 1000)}`,
            ],
            ['Memory of the daemon', bytesText(status.memory_bytes)],
            ['Project', status.project],
            ['Open', `${countText(status.tabs, 'tab')} in ${countText(status.sessions, 'session')}, ${countText(status.calls, 'call')} in flight`],
            ['Clients', status.clients.join(', ')],
          ]}
        />
      )}
    </Panel>
  );
}
