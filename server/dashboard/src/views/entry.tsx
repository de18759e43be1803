// The page of those without a token: how to get a link, and why the last one ended.

import { useState } from 'preact/hooks';
import { frame } from '../rpc/frame.ts';
import { enterByLink, login, type Login } from '../state/login.ts';
import { useStore } from '../state/store.ts';
import { OpenCommand } from '../ui/openCommand.tsx';

export function EntryPage() {
  const current = useStore(login);
  return (
    <main class="entry">
      <h1>browse dashboard</h1>
      {current.state === 'redeeming' ? <p role="status">Opening the dashboard…</p> : <Explanation login={current} />}
      {current.state !== 'redeeming' && frame === 'link' && <LinkForm />}
    </main>
  );
}

function Explanation({ login: { state, problem, restarted } }: { login: Login }) {
  return (
    <div role="alert">
      {restarted ? (
        <p>
          The daemon was restarted; run <OpenCommand /> for a new link.
        </p>
      ) : (
        <>
          {state === 'ended' && <p>This dashboard has ended.</p>}
          {state === 'out' && problem && frame !== 'pipe' && (
            <p>
              This link could not be used.
              {problem.reason !== 'DAEMON_UNREACHABLE' && ' A link works once, and for 60 seconds.'}
            </p>
          )}
          <p>
            {frame === 'pipe' ? (
              'Close the panel and open it again.'
            ) : frame === 'link' ? (
              <>
                Run <code>browse dashboard --no-open</code>, and paste the link that it prints.
              </>
            ) : (
              <>
                Run <OpenCommand /> for a new link.
              </>
            )}
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

/** Takes the link in an extension, which the link cannot open. */
function LinkForm() {
  const [text, setText] = useState('');
  const [isWrong, setWrong] = useState(false);
  return (
    <form
      class="link-form"
      onSubmit={(event) => {
        event.preventDefault();
        setWrong(!enterByLink(text));
        setText('');
      }}
    >
      <label>
        Link{' '}
        <input
          type="password"
          required
          autoComplete="off"
          placeholder="http://127.0.0.1:…/#code=…"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="button primary">
        Open
      </button>
      <p role="status">{isWrong && 'This is not a link of browse dashboard.'}</p>
    </form>
  );
}
