// A question of the page, answered in its place.

import { useState } from 'preact/hooks';
import type { OpenDialog } from '../rpc/types.ts';
import { Button } from '../ui/button.tsx';
import { sendInput, type Lease } from './lease.ts';
import { Question } from './question.tsx';

const NAMES: Record<string, string> = {
  alert: 'The page says',
  confirm: 'The page asks',
  prompt: 'The page asks for a text',
  beforeunload: 'The page asks whether to leave it',
};

export function DialogBox({ dialog, tab, lease }: { dialog: OpenDialog; tab: string; lease: Lease | undefined }) {
  const [text, setText] = useState(dialog.default_text);
  const isPrompt = dialog.kind === 'prompt';
  const accept = () => lease && sendInput(lease, tab, isPrompt ? { kind: 'accept', text } : { kind: 'accept' });
  return (
    <Question label="Dialog of the page" title={NAMES[dialog.kind] ?? dialog.kind} canAnswer={lease !== undefined}>
      <p class="page-words">{dialog.message}</p>
      {lease && (
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
            <Button label="Dismiss" onClick={() => sendInput(lease, tab, { kind: 'dismiss' })} />
          )}
        </form>
      )}
    </Question>
  );
}
