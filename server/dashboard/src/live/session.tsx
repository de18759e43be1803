// A session in the list: who opened it, who holds it, what it asks for, and its tabs.

import { useStore } from '../state/store.ts';
import { leases } from '../control/lease.ts';
import { TakeControl } from '../control/take.tsx';
import type { SessionOverview } from '../rpc/types.ts';
import { isWaiting } from '../state/overview.ts';
import { goTo } from '../state/route.ts';
import { Empty } from '../ui/panel.tsx';
import { holderText } from './words.ts';
import { TabCard } from './card.tsx';

export function SessionSection({ session }: { session: SessionOverview }) {
  const waiting = isWaiting(session);
  const isHeld = useStore(leases).has(session.name);
  const first = session.tabs.find((tab) => tab.active) ?? session.tabs[0];
  return (
    <section class={`session${waiting ? ' waiting' : ''}`} aria-label={`Session ${session.name}`}>
      <header>
        <h2>{session.name}</h2>
        <span class="muted">opened by {session.owner}</span>
        {session.display !== 'hidden' && <span class="chip">{session.display}</span>}
        {session.holder && <span class="chip held">{holderText(session.holder)}</span>}
        <span class="spacer" />
        {first && !isHeld && (
          <TakeControl
            session={session}
            tab={first.id}
            compact={!waiting}
            onTaken={() => goTo({ view: 'live', tab: first.id })}
          />
        )}
      </header>
      {waiting && (
        <p class="request">
          <strong>An agent asks for a person:</strong> {session.request}
        </p>
      )}
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
