// What stands over the page while this page holds its session.

import { useState } from 'preact/hooks';
import type { TabOverview } from '../rpc/contract.ts';
import { AddressForm } from '../ui/address.tsx';
import { Button } from '../ui/button.tsx';
import { Failure } from '../ui/failure.tsx';
import { remainingText, useSeconds } from '../ui/time.tsx';
import { useAction } from '../ui/useCall.ts';
import { giveBack, REASON, sendInput, takeControl, type Lease } from './lease.ts';

const MAX_NOTE = 500;
/** Remaining time from which it can be extended. */
const SOON_MS = 5 * 60_000;

export function ControlBar({ lease, tab, onKeyboard }: { lease: Lease; tab: TabOverview; onKeyboard: () => void }) {
  const [note, setNote] = useState('');
  const action = useAction();
  const send = (kind: string) => () => sendInput(lease, tab.id, { kind });
  return (
    <div class="control-bar">
      <p role="status">
        <strong>You control {lease.session}. Agents wait.</strong>
      </p>
      <div class="muted">
        <Remaining lease={lease} tab={tab.id} /> Give back from the keyboard: <kbd>Ctrl</kbd>+<kbd>Shift</kbd>+
        <kbd>.</kbd>
      </div>
      <div class="row">
        <Button label="Back" icon="back" iconOnly onClick={send('back')} />
        <Button label="Forward" icon="forward" iconOnly onClick={send('forward')} />
        <Button label="Reload" icon="reload" iconOnly onClick={send('reload')} />
        <AddressForm url={tab.url} onOpen={(text) => sendInput(lease, tab.id, { kind: 'open', text })} />
        <span class="touch-only">
          <Button label="Keyboard" icon="keyboard" onClick={onKeyboard} />
        </span>
      </div>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          action.run(() => giveBack(lease, note));
        }}
      >
        <input
          aria-label="Note to the agent"
          placeholder="Note to the agent (optional)"
          maxLength={MAX_NOTE}
          value={note}
          onInput={(event) => setNote(event.currentTarget.value)}
        />
        <button type="submit" class="button primary" disabled={action.busy}>
          {action.busy ? 'Giving back…' : 'Give back'}
        </button>
      </form>
      <Failure error={action.error} retry={action.retry} dismiss={action.dismiss} />
    </div>
  );
}

function Remaining({ lease, tab }: { lease: Lease; tab: string }) {
  useSeconds();
  const action = useAction();
  const isSoon = Date.parse(lease.expiresAt) - Date.now() < SOON_MS;
  return (
    <>
      Ends in {remainingText(lease.expiresAt)}.{' '}
      {isSoon && (
        <Button
          label="Extend"
          busy={action.busy}
          onClick={() => action.run(() => takeControl(lease.session, tab, REASON, true))}
        />
      )}
      <Failure error={action.error} retry={action.retry} dismiss={action.dismiss} />
    </>
  );
}
