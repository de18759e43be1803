// Agents on other machines: what they may do, and what they did.

import { useState } from 'preact/hooks';
import { call } from '../rpc/client.ts';
import { hasScope } from '../state/login.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm.tsx';
import { Failure } from '../ui/failure.tsx';
import { Empty, Panel } from '../ui/panel.tsx';
import { Table } from '../ui/table.tsx';
import { agoText, dateText } from '../ui/time.tsx';
import { useAction, useLoad } from '../ui/useCall.ts';
import { NewPairing } from './newPairing.tsx';

export function PairingsPanel() {
  const allowed = hasScope('control');
  const load = useLoad(
    async (signal) => (allowed ? (await call('PairService/ListPairings', {}, { signal })).pairings : []),
    [],
  );
  const action = useAction();
  const [isPairing, setPairing] = useState(false);
  const revoke = (name: string) =>
    action.run(async () => {
      await call('PairService/RevokePairing', { name });
      load.reload();
    });
  const pairings = load.answer ?? [];
  return (
    <Panel
      title="Pairings"
      scope="control"
      load={load}
      tools={<Button label="Pair an agent…" pressed={isPairing} onClick={() => setPairing(!isPairing)} />}
    >
      {isPairing && (
        <NewPairing
          known={pairings.map(({ name }) => name)}
          onPaired={load.reload}
          onClose={() => setPairing(false)}
        />
      )}
      <Failure error={action.error} retry={action.retry} dismiss={action.dismiss} />
      {pairings.length === 0 ? (
        <Empty>No remote agent is paired.</Empty>
      ) : (
        <Table
          label="Pairings"
          columns={['Name', 'State', 'Scopes', 'Hosts', 'Session', 'Tabs', 'Calls', 'Last call', 'Ends', '']}
        >
          {pairings.map((pairing) => (
            <tr key={pairing.name}>
              <td>{pairing.name}</td>
              <td>{pairing.state}</td>
              <td>{pairing.scopes.join(', ')}</td>
              <td class="wide">{pairing.hosts.join(', ')}</td>
              <td>{pairing.session}</td>
              <td class="number">{pairing.tabs}</td>
              <td class="number">{pairing.calls}</td>
              <td class="number">{pairing.last_call ? agoText(pairing.last_call) : 'never'}</td>
              <td class="number">{dateText(pairing.expires_at)}</td>
              <td>
                <ConfirmButton
                  label="Revoke…"
                  confirmation={`Revoke ${pairing.name}, close its tabs`}
                  scope="control"
                  disabled={action.busy}
                  onConfirm={() => revoke(pairing.name)}
                />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Panel>
  );
}
