// Begins a demonstration in the session of a tab, or asks what becomes of the one that runs.

import type { SessionOverview } from '../rpc/contract.ts';
import { login } from '../state/login.ts';
import { useStore } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { Failure } from '../ui/failure.tsx';
import { useAction } from '../ui/useCall.ts';
import { beginDemonstration, demonstrations, endDemonstration } from './demonstrations.ts';

interface DemonstrateButtonProps {
  session: SessionOverview;
  tab: string;
  /** Called when it has begun. */
  onBegin: () => void;
}

export function DemonstrateButton({ session, tab, onBegin }: DemonstrateButtonProps) {
  const demonstrator = useStore(demonstrations).get(session.name);
  const action = useAction();
  const begin = (replaces: boolean) =>
    action.run(async () => {
      await beginDemonstration(session.name, tab, replaces);
      onBegin();
    });
  const leave = () => {
    if (demonstrator?.isUnsaved) demonstrator.state.patch({ isLeaving: true });
    else if (demonstrator) action.run(() => endDemonstration(demonstrator));
  };
  // What is noted becomes a skill, which a fleet does not have.
  if (useStore(login).fleet) return null;
  const isTaken = action.error?.reason === 'SKILL_RECORDING_RUNS';
  return (
    <span class="take">
      <Button
        label="Demonstrate"
        icon="record"
        scope="admin"
        pressed={demonstrator !== undefined}
        disabled={!demonstrator && session.holder !== undefined}
        because="Nothing is noted while somebody controls the session"
        busy={action.busy}
        onClick={demonstrator ? leave : () => begin(false)}
      />
      {isTaken && (
        <span class="confirm" role="group" aria-label="Discard the recording that runs">
          <span>The session is being recorded already, by an agent or from another window.</span>
          <Button label="Discard that recording" kind="danger" scope="admin" onClick={() => begin(true)} />
          <Button label="Cancel" onClick={action.dismiss} />
        </span>
      )}
      {!isTaken && <Failure error={action.error} retry={action.retry} dismiss={action.dismiss} />}
    </span>
  );
}
