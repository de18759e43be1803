// Opens a session, which lasts if that is wanted.

import { useState } from 'preact/hooks';
import { call } from '../rpc/client.ts';
import { login } from '../state/login.ts';
import { useStore } from '../state/store.ts';
import { Button } from '../ui/button.tsx';

/** A session that is kept is filled with what it held before. */
const OPEN_MS = 60_000;

/** Opens a session, or keeps one that is open; answers what came of it, in words. */
export async function openSession(name: string, keep: boolean): Promise<string> {
  const { restored } = await call('DaemonService/NewSession', keep ? { name, keep } : { name }, { timeoutMs: OPEN_MS });
  return `${name} is open${keep ? ' and kept' : ''}.${restored ? ` ${restored}` : ''}`;
}

export function NewSessionForm({ busy, onOpen }: { busy: boolean; onOpen: (name: string, keep: boolean) => void }) {
  const [name, setName] = useState('');
  const [keep, setKeep] = useState(false);
  const { fleet } = useStore(login);
  return (
    <form
      class="row"
      aria-label="New session"
      onSubmit={(event) => {
        event.preventDefault();
        onOpen(name, keep);
        setName('');
      }}
    >
      <input
        aria-label="Name of the session"
        placeholder="Name of the session"
        required
        pattern="[A-Za-z0-9._\-]{1,64}"
        title="Letters, digits, dash, dot and underscore, at most 64"
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      {/* A fleet saves all sessions, or none. */}
      {!fleet && (
        <label class="check">
          <input type="checkbox" checked={keep} onChange={(event) => setKeep(event.currentTarget.checked)} />
          Keep its cookies, storage and tabs
        </label>
      )}
      <Button label="New session" scope="control" disabled={busy} submit />
    </form>
  );
}
