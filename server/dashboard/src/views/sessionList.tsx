// The sessions, also those that are kept and not open: which of them last, and how they are opened
// and closed.

import { useState } from 'preact/hooks';
import { call } from '../rpc/client.ts';
import type { Session } from '../rpc/contract.ts';
import { hasScope, login } from '../state/login.ts';
import { useStore } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { bytesText } from '../ui/bytes.ts';
import { ConfirmButton } from '../ui/confirm.tsx';
import { Failure } from '../ui/failure.tsx';
import { Empty, Panel } from '../ui/panel.tsx';
import { Table } from '../ui/table.tsx';
import { Ago, durationText } from '../ui/time.tsx';
import { useAction, useLoad } from '../ui/useCall.ts';
import { NewSessionForm, openSession } from './newSession.tsx';

/** Stands in the place of the browser of a kept session that is not open. */
const NOT_OPEN = 'none: it is not open';

export function SessionsPanel() {
  const allowed = hasScope('control');
  const load = useLoad(
    async (signal) => (allowed ? (await call('DaemonService/ListSessions', {}, { signal })).sessions : []),
    [],
  );
  const action = useAction();
  const [done, setDone] = useState('');
  const perform = (work: () => Promise<string>) =>
    action.run(async () => {
      setDone('');
      setDone(await work());
      load.reload();
    });
  const close = (name: string, forget: boolean) =>
    perform(async () => {
      await call('DaemonService/CloseSession', forget ? { name, forget } : { name });
      return forget ? `${name} is forgotten.` : `${name} is closed.`;
    });
  const sessions = load.answer ?? [];
  return (
    <Panel title="Sessions" scope="control" load={load}>
      <NewSessionForm busy={action.busy} onOpen={(name, keep) => perform(() => openSession(name, keep))} />
      <Failure error={action.error} retry={action.retry} dismiss={action.dismiss} />
      <p class="page-words" role="status">
        {done}
      </p>
      {sessions.length === 0 ? (
        <Empty>There is no session.</Empty>
      ) : (
        <Table label="Sessions" columns={['Name', 'Opened by', 'Tabs', 'Idle', 'Heap', 'Browser', 'Kept', '']}>
          {sessions.map((session) => (
            <tr key={session.name}>
              <td>{session.name}</td>
              <td>{session.owner}</td>
              <td class="number">{session.tabs}</td>
              <td class="number">{durationText(Number(session.idle_seconds) * 1000)}</td>
              <td class="number">{bytesText(session.heap_bytes)}</td>
              <td>{session.browser ?? 'its own'}</td>
              <td class="number">
                <KeptText session={session} />
              </td>
              <td>
                <SessionActions
                  session={session}
                  busy={action.busy}
                  onKeep={() => perform(() => openSession(session.name, true))}
                  onClose={(forget) => close(session.name, forget)}
                />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Panel>
  );
}

function KeptText({ session: { kept, saved } }: { session: Session }) {
  if (!kept) return <>no</>;
  return saved ? (
    <>
      saved <Ago time={saved} />
    </>
  ) : (
    <>not saved yet</>
  );
}

interface SessionActionsProps {
  session: Session;
  busy: boolean;
  onKeep: () => void;
  onClose: (forget: boolean) => void;
}

function SessionActions({ session: { name, kept, browser }, busy, onKeep, onClose }: SessionActionsProps) {
  const { fleet } = useStore(login);
  if (browser === NOT_OPEN)
    return (
      <div class="row" role="group" aria-label={`Session ${name}`}>
        <Button label="Open" scope="control" disabled={busy} onClick={onKeep} />
        <ConfirmButton
          label="Forget…"
          confirmation={`Forget the logins of ${name}`}
          scope="control"
          disabled={busy}
          onConfirm={() => onClose(true)}
        />
      </div>
    );
  return (
    <div class="row" role="group" aria-label={`Session ${name}`}>
      {!kept && !fleet && <Button label="Keep" scope="control" disabled={busy} onClick={onKeep} />}
      <ConfirmButton
        label="Close…"
        confirmation={kept ? `Close ${name}, keep its logins` : `Close ${name}, lose its logins`}
        scope="control"
        disabled={busy}
        onConfirm={() => onClose(false)}
      />
      {kept && (
        <ConfirmButton
          label="Close and forget…"
          confirmation={`Close ${name}, forget its logins`}
          scope="control"
          disabled={busy}
          onConfirm={() => onClose(true)}
        />
      )}
    </div>
  );
}
