// The side panel beside a page: pausing, what agents ask for, say and do, notes, and the refs.

import { PauseButton } from '../control/pause.tsx';
import { PersonRequest } from '../control/request.tsx';
import type { SessionOverview } from '../rpc/contract.ts';
import { overview } from '../state/overview.ts';
import { goTo, hrefOf, route } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { talk } from '../state/talk.ts';
import { SessionTalk } from '../talk/talk.tsx';
import { firstSession } from '../talk/words.ts';
import { Empty, Panel } from '../ui/panel.tsx';
import { RefsPanel } from './refs.tsx';
import { RowsPanel } from './rows.tsx';

/** Messages of a session that are shown beside the questions that wait. */
const MAX_MESSAGES = 10;

export function SidePanelView() {
  const { response, problem } = useStore(overview);
  const { session: named } = useStore(route);
  const messages = useStore(talk);
  const sessions = response?.sessions ?? [];
  const chosen = named ?? firstSession(sessions.map(({ name }) => name), messages);
  const session = sessions.find(({ name }) => name === chosen) ?? sessions[0];
  return (
    <>
      <h1 class="panel-title">Panel</h1>
      {!response && !problem && <Empty>Loading the session…</Empty>}
      {response && !session && <Empty>No session is open. Agents open them with their first command.</Empty>}
      {session && sessions.length > 1 && <SessionChoice sessions={sessions} session={session} />}
      {session && <SessionPanel key={session.name} session={session} />}
    </>
  );
}

function SessionChoice({ sessions, session }: { sessions: SessionOverview[]; session: SessionOverview }) {
  return (
    <select
      aria-label="Session"
      value={session.name}
      onChange={(event) => goTo({ view: 'panel', session: event.currentTarget.value })}
    >
      {sessions.map(({ name }) => (
        <option value={name}>{name}</option>
      ))}
    </select>
  );
}

function SessionPanel({ session }: { session: SessionOverview }) {
  const active = session.tabs.find((tab) => tab.active) ?? session.tabs[0];
  return (
    <>
      <div class={`panel-state${session.paused || session.handed_off ? ' paused' : ''}`}>
        <p role="status">{stateText(session)}</p>
        <PauseButton session={session} kind="primary" />
      </div>
      <PersonRequest session={session} />
      <Panel title="Talk" scope="meta" tools={<a href={hrefOf({ view: 'talk', session: session.name })}>All messages</a>}>
        <SessionTalk session={session.name} max={MAX_MESSAGES} />
      </Panel>
      <RowsPanel session={session.name} />
      {active && <RefsPanel key={active.id} session={session} tab={active} />}
    </>
  );
}

function stateText({ name, paused, handed_off, holder, request }: SessionOverview): string {
  if (holder) return holder.is_you ? `You control ${name}. Agents wait.` : `${holder.client} controls ${name}.`;
  if (handed_off) return `It is your turn in ${name}. Its agents look, and do not act.`;
  if (paused) return `You paused the agents of ${name}. They look, and do not act.`;
  return request !== undefined ? `The agent of ${name} waits for you.` : `An agent drives ${name}.`;
}
