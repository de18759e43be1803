// A session in the list: who opened it, who holds it, what it asks for, and its tabs.

import type { SessionOverview } from '../rpc/contract.ts';
import { useStore } from '../state/store.ts';
import { leases } from '../control/lease.ts';
import { PauseButton } from '../control/pause.tsx';
import { PersonRequest } from '../control/request.tsx';
import { TakeControl } from '../control/take.tsx';
import { isWaiting } from '../state/overview.ts';
import { goTo } from '../state/route.ts';
import { SessionQuestions } from '../talk/questions.tsx';
import { Empty } from '../ui/panel.tsx';
import { holderText } from './words.ts';
import { TabCard } from './card.tsx';

/** `isAsked` when an agent waits there for an answer. */
export function SessionSection({ session, isAsked }: { session: SessionOverview; isAsked: boolean }) {
  const waiting = isWaiting(session);
  const isHeld = useStore(leases).has(session.name);
  const first = session.tabs.find((tab) => tab.active) ?? session.tabs[0];
  return (
    <section class={`session${waiting || isAsked ? ' waiting' : ''}`} aria-label={`Session ${session.name}`}>
      <header>
        <h2>{session.name}</h2>
        <span class="muted">opened by {session.owner}</span>
        {session.display !== 'hidden' && <span class="chip">{session.display}</span>}
        {session.holder && <span class="chip held">{holderText(session.holder)}</span>}
        {session.paused && <span class="chip warn">agents paused</span>}
        <span class="spacer" />
        <PauseButton session={session} />
        {first && !isHeld && (
          <TakeControl
            session={session}
            tab={first.id}
            compact={!waiting}
            onTaken={() => goTo({ view: 'live', tab: first.id })}
          />
        )}
      </header>
      <PersonRequest session={session} />
      <SessionQuestions session={session.name} />
      {session.tabs.length === 0 ? (
        <Empty>No open tab.</Empty>
      ) : (
        <ul class="cards">
          {session.tabs.map((tab) => (
            <li key={tab.id}>
              <TabCard session={session} tab={tab} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
