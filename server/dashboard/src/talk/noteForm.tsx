// Writes a note to the agent of a session, about an element if there is one.

import { useState } from 'preact/hooks';
import { call } from '../rpc/client.ts';
import { hasScope } from '../state/login.ts';
import { Button } from '../ui/button.tsx';
import { Failure } from '../ui/failure.tsx';
import { useAction } from '../ui/useCall.ts';
import { MAX_TEXT } from './words.ts';

/** An element of a page, as an agent names it. */
export interface NoteTarget {
  ref: string;
  tab: string;
}

interface NoteFormProps {
  session: string;
  target?: NoteTarget;
}

export function NoteForm({ session, target }: NoteFormProps) {
  const [text, setText] = useState('');
  const [done, setDone] = useState('');
  const action = useAction();
  const send = () =>
    action.run(async () => {
      setDone('');
      const { id, element } = await call(
        'DashboardService/WriteNote',
        target ? { text, target: target.ref } : { text },
        target ? { session, tab: target.tab } : { session },
      );
      setText('');
      setDone(`Note ${id} is sent${element ? `, about ${element}` : ''}.`);
    });
  return (
    <form
      class="note-form"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        aria-label={`Note to the agent of ${session}`}
        placeholder="Note to the agent"
        required
        rows={3}
        maxLength={MAX_TEXT}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          // A button that is disabled does not keep this from sending.
          if (!action.busy && hasScope('write')) event.currentTarget.form?.requestSubmit();
        }}
      />
      <div class="row">
        <Button label="Send the note" kind="primary" scope="write" busy={action.busy} submit />
        <span class="muted">
          or <kbd>Ctrl</kbd>+<kbd>Enter</kbd>
        </span>
      </div>
      <Failure error={action.error} retry={action.retry} dismiss={action.dismiss} />
      <p class="page-words" role="status">
        {done}
      </p>
    </form>
  );
}
