// A button that asks once more, in its place, before it does what cannot be undone.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { Scope } from '../state/login.ts';
import { Button } from './button.tsx';

interface ConfirmButtonProps {
  label: string;
  /** Label of the second button: says what happens. */
  confirmation: string;
  scope?: Scope;
  disabled?: boolean;
  because?: string;
  onConfirm: () => void;
}

export function ConfirmButton({ label, confirmation, scope, disabled, because, onConfirm }: ConfirmButtonProps) {
  const [isAsking, setAsking] = useState(false);
  const box = useRef<HTMLSpanElement>(null);
  const wasAsking = useRef(false);
  useEffect(() => {
    if (isAsking === wasAsking.current) return;
    wasAsking.current = isAsking;
    // The button that had the focus is gone. Of two it is the one that changes nothing: the key
    // may still be held.
    box.current?.querySelector<HTMLButtonElement>('button:last-child')?.focus();
  }, [isAsking]);
  return (
    <span
      ref={box}
      class="confirm"
      role={isAsking ? 'group' : undefined}
      aria-label={isAsking ? confirmation : undefined}
    >
      {isAsking ? (
        <>
          <Button
            label={confirmation}
            kind="danger"
            scope={scope}
            disabled={disabled}
            onClick={() => {
              setAsking(false);
              onConfirm();
            }}
          />
          <Button label="Cancel" onClick={() => setAsking(false)} />
        </>
      ) : (
        <Button
          label={label}
          kind="danger"
          scope={scope}
          disabled={disabled}
          because={because}
          onClick={() => setAsking(true)}
        />
      )}
    </span>
  );
}
