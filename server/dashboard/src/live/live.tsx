// Live: all sessions with their tabs, or one tab large.

import { useEffect, useState } from 'preact/hooks';
import { askToNotify, canAskToNotify } from '../state/notify.ts';
import { findTab, overview, sortedSessions } from '../state/overview.ts';
import { forgetTabsExcept, picturesProblem } from '../state/pictures.ts';
import { route } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { talk, waitingQuestions } from '../state/talk.ts';
import { Button } from '../ui/button.tsx';
import { Failure } from '../ui/failure.tsx';
import { Empty } from '../ui/panel.tsx';
import { LargeTab } from './large.tsx';
import { SessionSection } from './session.tsx';

export function LiveView() {
  const { response, problem } = useStore(overview);
  const { tab } = useStore(route);
  const pictureError = useStore(picturesProblem);
  useEffect(() => {
    if (response) forgetTabsExcept(new Set(response.sessions.flatMap((session) => session.tabs.map(({ id }) => id))));
  }, [response]);
  const found = tab === undefined ? undefined : findTab(response, tab);
  const asking = new Set(waitingQuestions(useStore(talk)).map(({ session }) => session));
  const sessions = sortedSessions(response, asking);
  return (
    <div class={tab === undefined ? 'live' : 'live large'}>
      {tab === undefined && (
        <header class="view-header">
          <h1>Live</h1>
          <NotifyButton />
        </header>
      )}
      {pictureError && pictureError.reason !== 'DAEMON_UNREACHABLE' && <Failure error={pictureError} />}
      {!response && !problem && <Empty>Loading the sessions…</Empty>}
      {tab !== undefined && response && !found && <ClosedTab />}
      {found && <LargeTab key={found.tab.id} session={found.session} tab={found.tab} />}
      {tab === undefined && response && sessions.length === 0 && (
        <Empty>No session is open. Agents open them with their first command.</Empty>
      )}
      {tab === undefined &&
        sessions.map((session) => (
          <SessionSection key={session.name} session={session} isAsked={asking.has(session.name)} />
        ))}
    </div>
  );
}

function ClosedTab() {
  return (
    <div class="notice" role="status">
      <h1>This tab is closed</h1>
      <p>
        <a href="#live">All tabs</a>
      </p>
    </div>
  );
}

function NotifyButton() {
  const [canAsk, setCanAsk] = useState(canAskToNotify());
  if (!canAsk) return null;
  return (
    <Button label="Notify me" icon="bell" onClick={() => void askToNotify().then(() => setCanAsk(canAskToNotify()))} />
  );
}
