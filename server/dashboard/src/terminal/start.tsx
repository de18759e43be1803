// The question before a terminal starts: which shell, and where.

import { useEffect, useRef } from 'preact/hooks';
import { useStore } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { declineOffer, startTerminal, terminal } from './session.ts';

export function StartTerminal() {
  const { offer } = useStore(terminal);
  const box = useRef<HTMLDivElement>(null);
  // The button that had the focus is gone. Of two it is the one that changes nothing.
  useEffect(() => box.current?.querySelector<HTMLButtonElement>('button:last-of-type')?.focus(), []);
  if (!offer) return null;
  return (
    <div ref={box} class="banner warning terminal-question" role="group" aria-label="Start a terminal">
      <p>
        This starts <code>{offer.shell}</code> in <code>{offer.folder}</code> as you; anything in this page could type
        into it.
      </p>
      <div class="row">
        <Button label="Start it" kind="primary" scope="control" onClick={() => void startTerminal()} />
        <Button label="Cancel" onClick={declineOffer} />
      </div>
    </div>
  );
}
