// Saved states of sessions: cookies, local storage and addresses under a name.

import { useState } from 'preact/hooks';
import { call } from '../rpc/client.ts';
import { hasScope } from '../state/login.ts';
import { Button } from '../ui/button.tsx';
import { Failure } from '../ui/failure.tsx';
import { Empty, Panel } from '../ui/panel.tsx';
import { Table } from '../ui/table.tsx';
import { dateText } from '../ui/time.tsx';
import { useAction, useLoad } from '../ui/useCall.ts';
import { useSessionChoice } from './sessionChoice.tsx';

const STATE_MS = 60_000;

export function StatesPanel() {
  const allowed = hasScope('control');
  const load = useLoad(
    async (signal) => (allowed ? (await call('BrowserService/ListStates', {}, { signal })).states : []),
    [],
  );
  const { session, field } = useSessionChoice();
  const [name, setName] = useState('');
  const [done, setDone] = useState('');
  const action = useAction();
  const perform = (method: 'SaveState' | 'LoadState', state: string) =>
    action.run(async () => {
      setDone('');
      const { summary } = await call(
        `BrowserService/${method}`,
        { name: state },
        { ...(session !== undefined ? { session } : {}), timeoutMs: STATE_MS },
      );
      setDone(summary);
      load.reload();
    });
  const states = load.answer ?? [];
  return (
    <Panel title="Saved states" scope="control" load={load}>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          perform('SaveState', name);
        }}
      >
        {field}
        <input
          aria-label="Name of the state"
          placeholder="Name of the state"
          required
          pattern="[A-Za-z0-9._\-]{1,64}"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <button type="submit" class="button" disabled={action.busy || session === undefined}>
          Save the session
        </button>
      </form>
      <Failure error={action.error} retry={action.retry} dismiss={action.dismiss} />
      <p role="status">{done}</p>
      {states.length === 0 ? (
        <Empty>No state is saved.</Empty>
      ) : (
        <Table label="Saved states" columns={['Name', 'Saved', 'Holds', 'Key', '']}>
          {states.map((state) => (
            <tr key={state.name}>
              <td>{state.name}</td>
              <td class="number">{dateText(state.saved)}</td>
              <td class="wide">{state.problem || state.holds}</td>
              <td>{state.key}</td>
              <td>
                <Button
                  label={`Load into ${session ?? 'a session'}`}
                  disabled={action.busy || session === undefined || state.problem !== ''}
                  onClick={() => perform('LoadState', state.name)}
                />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Panel>
  );
}
