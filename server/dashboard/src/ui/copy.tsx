// A button that copies a text; the text itself where the browser does not allow that.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { Output } from './output.tsx';
import { useAction } from './useCall.ts';

interface CopyProps {
  label: string;
  text: string;
  what: string;
  /** Buttons beside it. */
  children?: ComponentChildren;
}

export function CopyButton({ label, text, what, children }: CopyProps) {
  const [done, setDone] = useState('');
  const copy = useAction();
  return (
    <>
      <div class="row">
        <Button
          label={label}
          busy={copy.busy}
          onClick={() =>
            copy.run(async () => {
              setDone('');
              await navigator.clipboard.writeText(text);
              setDone('Copied.');
            })
          }
        />
        {children}
        <span class="muted" role="status">
          {done}
        </span>
      </div>
      {copy.error && (
        <div role="alert">
          <p class="muted">The browser did not let this page write to the clipboard. This is the text:</p>
          <Output label={what} text={text} />
        </div>
      )}
    </>
  );
}
