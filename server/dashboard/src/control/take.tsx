// The button that takes a session over.

import { useState } from 'preact/hooks';
import type { SessionOverview } from '../rpc/contract.ts';
import { Button } from '../ui/button.tsx';
import { Failure } from '../ui/failure.tsx';
import { useAction } from '../ui/useCall.ts';
import { REASON, takeControl } from './lease.ts';

interface TakeControlProps {
  session: SessionOverview;
  tab: string;
  compact?: boolean;
  onTaken?: () => void;
}

export function TakeControl({ session, tab, compact, onTaken }: TakeControlProps) {
  const action = useAction();
  const [isAsking, setAsking] = useState(false);
  const { holder } = session;
  const take = (force: boolean) =>
    action.run(async () => {
      setAsking(false);
      await takeControl(session.name, tab, REASON, force);
      onTaken?.();
    });
  return (
    <span class="take">
      {isAsking && holder ? (
        <span class="confirm" role="group" aria-label="Take control from somebody else">
          <span>
            {holder.is_you ? 'You control it in another window.' : `${holder.client} controls it.`} Take it over?
          </span>
          <Button label="Take over" kind="danger" scope="write" onClick={() => take(true)} />
          <Button label="Cancel" onClick={() => setAsking(false)} />
        </span>
      ) : (
        <Button
          label="Take control"
          icon="hand"
          kind={compact ? 'plain' : 'primary'}
          scope="write"
          busy={action.busy}
          onClick={() => (holder ? setAsking(true) : take(false))}
        />
      )}
      <Failure error={action.error} retry={action.retry} dismiss={action.dismiss} />
    </span>
  );
}
