// A question of the page, answered in its place.

import { useState } from 'preact/hooks';
import type { OpenDialog } from '../rpc/contract.ts';
import { Button } from '../ui/button.tsx';
import type { PersonInput } from './event.ts';
import { Question } from './question.tsx';

const NAMES: Record<string, string> = {
  alert: 'The page says',
  confirm: 'The page asks',
  prompt: 'The page asks for a text',
  beforeunload: 'The page asks whether to leave it',
};

interface DialogBoxProps {
  dialog: OpenDialog;
  /** Answers it, where this page can. */
  send: ((event: PersonInput) => void) | undefined;
}

export function DialogBox({ dialog, send }: DialogBoxProps) {
  const [text, setText] = useState(dialog.default_text);
  const isPrompt = dialog.kind === 'prompt';
  const accept = () => send?.(isPrompt ? { kind: 'accept', text } : { kind: 'accept' });
  return (
    <Question label="Dialog of the page" title={NAMES[dialog.kind] ?? dialog.kind} canAnswer={send !== undefined}>
      <p class="page-words">{dialog.message}</p>
      {send && (
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault();
            accept();
          }}
        >
          {isPrompt && (
            <input aria-label="Answer" value={text} onInput={(event) => setText(event.currentTarget.value)} />
          )}
          <button type="submit" class="button primary">
            Accept
          </button>
          {dialog.kind !== 'alert' && (
            <Button label="Dismiss" onClick={() => send({ kind: 'dismiss' })} />
          )}
        </form>
      )}
    </Question>
  );
}
