// The button that pauses the agents of a session: they look, and do not act. After a pause, and
// when an agent has handed the session to the person, it lets them go on.

import { call } from '../rpc/client.ts';
import type { SessionOverview } from '../rpc/contract.ts';
import { markPaused } from '../state/overview.ts';
import { Button } from '../ui/button.tsx';
import { Failure } from '../ui/failure.tsx';
import { useAction } from '../ui/useCall.ts';

/** `kind` is how it looks while the agents may act. */
export function PauseButton({ session, kind }: { session: SessionOverview; kind?: 'primary' }) {
  const { name, handed_off } = session;
  const action = useAction();
  const waits = session.paused || handed_off;
  const change = () =>
    action.run(async () => {
      const method = `DashboardService/${waits ? 'ContinueAgents' : 'PauseAgents'}` as const;
      await call(method, { session: name }, { session: name });
      markPaused(name, !waits);
    });
  return (
    <span class="pause">
      <Button
        label={handed_off ? 'Done: let the agent go on' : waits ? 'Let the agents go on' : 'Pause the agents'}
        icon={waits ? 'play' : 'pause'}
        kind={waits ? 'primary' : kind}
        scope="write"
        busy={action.busy}
        onClick={change}
      />
      <Failure error={action.error} retry={action.retry} dismiss={action.dismiss} />
    </span>
  );
}
