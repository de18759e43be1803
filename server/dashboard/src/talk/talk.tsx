// Talk: what agents and the person write to each other, one session at a time.

import { useEffect } from 'preact/hooks';
import { becomesVisible } from '../rpc/wait.ts';
import { hasScope } from '../state/login.ts';
import { overview } from '../state/overview.ts';
import { hrefOf, route } from '../state/route.ts';
import { markSeen, seen, unseenSays } from '../state/seen.ts';
import { useStore } from '../state/store.ts';
import { isWaitingQuestion, talk, waitingQuestions } from '../state/talk.ts';
import { Badge } from '../ui/badge.tsx';
import { Failure } from '../ui/failure.tsx';
import { Empty, Panel } from '../ui/panel.tsx';
import { Conversation } from './conversation.tsx';
import { NoteForm } from './noteForm.tsx';
import { firstSession, sessionsOf } from './words.ts';

export function TalkView() {
  const current = useStore(talk);
  const { response } = useStore(overview);
  const { session: named } = useStore(route);
  const names = sessionsOf(response, current);
  const session = named !== undefined && names.includes(named) ? named : firstSession(names, current);
  const { messages, problem } = current;
  const isLoading = hasScope('meta') && messages === undefined;
  return (
    <>
      <h1>Talk</h1>
      {problem && problem.reason !== 'DAEMON_UNREACHABLE' && <Failure error={problem} />}
      {hasScope('meta') && names.length > 1 && <SessionStrip names={names} session={session} />}
      <Panel title={session === undefined ? 'Messages' : `Session ${session}`} scope="meta">
        {isLoading && !problem && <Empty>Loading the messages…</Empty>}
        {!isLoading && session === undefined && <Empty>No session is open.</Empty>}
        {!isLoading && session !== undefined && <SessionTalk key={session} session={session} />}
      </Panel>
    </>
  );
}

function SessionStrip({ names, session }: { names: string[]; session: string | undefined }) {
  const current = useStore(talk);
  useStore(seen);
  return (
    <nav class="tab-strip" aria-label="Sessions">
      {names.map((name) => (
        <a href={hrefOf({ view: 'talk', session: name })} aria-current={name === session ? 'page' : undefined}>
          {name}
          <Badge
            count={waitingQuestions(current, name).length + unseenSays(current, name).length}
            what="to read or answer"
          />
        </a>
      ))}
    </nav>
  );
}

/** `max` is how many of its messages are shown beside the questions that wait; all when it is left out. */
export function SessionTalk({ session, max }: { session: string; max?: number }) {
  const current = useStore(talk);
  const all = (current.messages ?? []).filter((message) => message.session === session);
  const begin = max === undefined ? 0 : all.length - max;
  const shown = all.filter((message, index) => index >= begin || isWaitingQuestion(message));
  useEffect(() => {
    const abort = new AbortController();
    void becomesVisible(abort.signal).then(() => {
      if (!abort.signal.aborted) markSeen(current, session);
    });
    return () => abort.abort();
  }, [current, session]);
  return (
    <>
      <Conversation messages={shown} />
      <NoteForm session={session} />
    </>
  );
}
