// Approvals: what callers wait for, until a person decides. Nothing here ends by itself.

import { call } from '../rpc/client.ts';
import type { Approval, ApproveRequest } from '../rpc/contract.ts';
import { hasScope } from '../state/login.ts';
import { anySession } from '../state/overview.ts';
import { Button } from '../ui/button.tsx';
import { Failure } from '../ui/failure.tsx';
import { Empty, Panel } from '../ui/panel.tsx';
import { durationText } from '../ui/time.tsx';
import { useAction, useLoad } from '../ui/useCall.ts';

const POLL_MS = 2_000;

export function ApprovalsView() {
  const allowed = hasScope('approve');
  const load = useLoad(
    async (signal) => (allowed ? (await call('BrowserService/Approve', {}, { signal, ...anySession() })).approvals : []),
    [],
    allowed ? POLL_MS : undefined,
  );
  const decided = useLoad(
    async (signal) =>
      allowed
        ? (await call('BrowserService/Approve', { decisions: true }, { signal, ...anySession() })).approvals
        : [],
    [],
    allowed ? POLL_MS : undefined,
  );
  const reload = () => {
    load.reload();
    decided.reload();
  };
  const approvals = load.answer ?? [];
  const decisions = decided.answer ?? [];
  return (
    <>
      <h1>Approvals</h1>
      <Panel title="Waiting for you" scope="approve" load={{ ...load, busy: load.busy && load.answer === undefined }}>
        {approvals.length === 0 ? (
          <Empty>Nothing waits for an approval.</Empty>
        ) : (
          <ul class="rows">
            {approvals.map((approval) => (
              <li key={approval.id}>
                <ApprovalRow approval={approval} onDone={reload} />
              </li>
            ))}
          </ul>
        )}
      </Panel>
      {decisions.length > 0 && (
        <Panel title="Decided" scope="approve" load={{ ...decided, busy: false }}>
          <ul class="rows">
            {decisions.map((approval) => (
              <li key={approval.id}>
                <ApprovalRow approval={approval} onDone={reload} />
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  );
}

function ApprovalRow({
  approval: { id, client, action: wanted, waiting_s, state },
  onDone,
}: {
  approval: Approval;
  onDone: () => void;
}) {
  const action = useAction();
  const decide = (how: Pick<ApproveRequest, 'deny' | 'always' | 'revoke'>) =>
    action.run(async () => {
      await call('BrowserService/Approve', { id, ...how }, anySession());
      onDone();
    });
  return (
    <article class="approval" aria-label={`Approval ${id}`}>
      <div>
        <p class="page-words">{wanted}</p>
        <p class="muted">
          {client} · asked for {durationText(Number(waiting_s) * 1000)} ago · <code>{id}</code>
        </p>
        <Failure error={action.error} retry={action.retry} dismiss={action.dismiss} />
      </div>
      {state === 'waits' ? (
        <div class="row">
          <Button label="Approve once" kind="primary" scope="approve" busy={action.busy} onClick={() => decide({})} />
          <Button label="Always" scope="approve" busy={action.busy} onClick={() => decide({ always: true })} />
          <Button label="Deny" scope="approve" busy={action.busy} onClick={() => decide({ deny: true })} />
        </div>
      ) : (
        <div class="row">
          <span class={state === 'denied' ? 'chip' : 'chip good'}>{state}</span>
          <Button label="Revoke" scope="approve" busy={action.busy} onClick={() => decide({ revoke: true })} />
        </div>
      )}
    </article>
  );
}
