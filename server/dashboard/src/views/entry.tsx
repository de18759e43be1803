// The page of those without a token: how to get a link, and why the last one ended.

import { login, type Login } from '../state/login.ts';
import { useStore } from '../state/store.ts';

export function EntryPage() {
  const current = useStore(login);
  return (
    <main class="entry">
      <h1>browse dashboard</h1>
      {current.state === 'redeeming' ? <p role="status">Opening the dashboard…</p> : <Explanation login={current} />}
    </main>
  );
}

function Explanation({ login: { state, problem, restarted } }: { login: Login }) {
  return (
    <div role="alert">
      {restarted ? (
        <p>
          The daemon was restarted; run <code>browse dashboard</code> for a new link.
        </p>
      ) : (
        <>
          {state === 'ended' && <p>This dashboard has ended.</p>}
          {state === 'out' && problem && (
            <p>
              This link could not be used.
              {problem.reason !== 'DAEMON_UNREACHABLE' && ' A link works once, and for 60 seconds.'}
            </p>
          )}
          <p>
            Run <code>browse dashboard</code> for a new link.
          </p>
        </>
      )}
      {problem && (
        <p class="muted">
          {problem.message} <code>{problem.reason}</code>
          {problem.hint && (
            <>
              <br />
              {problem.hint}
            </>
          )}
        </p>
      )}
    </div>
  );
}
