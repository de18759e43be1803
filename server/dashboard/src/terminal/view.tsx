// Terminal: a shell in the folder of the project, beside the pages of its agents.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { overview } from '../state/overview.ts';
import { useStore } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm.tsx';
import { Failure } from '../ui/failure.tsx';
import { Empty, Panel } from '../ui/panel.tsx';
import { useAction } from '../ui/useCall.ts';
import { endTerminal, focusScreen, host, offerTerminal, onLeave, setScreenReader, terminal } from './session.ts';
import { StartTerminal } from './start.tsx';

export function TerminalView() {
  const { response } = useStore(overview);
  const { state } = useStore(terminal);
  const isOff = response !== undefined && !response.terminal && state === 'none';
  return (
    <>
      <h1>Terminal</h1>
      <Panel title="Shell" scope="control">
        {isOff ? <TerminalsOff /> : <TerminalPane />}
      </Panel>
    </>
  );
}

function TerminalsOff() {
  return (
    <Empty>
      Terminals are off. To allow them, set <code>dashboard_terminal = true</code> in your own{' '}
      <code>config.toml</code>, run <code>browse restart</code>, and open a new link.
    </Empty>
  );
}

function TerminalPane() {
  const { state, error } = useStore(terminal);
  const tools = useRef<HTMLDivElement>(null);
  useEffect(() => onLeave(() => tools.current?.querySelector('button')?.focus()), []);
  const hasScreen = state === 'starting' || state === 'open' || state === 'ended';
  return (
    <>
      {(state === 'none' || state === 'ended') && <OfferTerminal />}
      {state === 'offered' && <StartTerminal />}
      {state === 'starting' && <p class="muted">Starting…</p>}
      {state === 'open' && (
        <div ref={tools} class="row">
          <EndTerminal />
        </div>
      )}
      <Failure error={error} dismiss={() => terminal.patch({ error: undefined })} />
      {hasScreen && <ScreenBox />}
    </>
  );
}

function OfferTerminal() {
  const { state, ended } = useStore(terminal);
  const action = useAction();
  return (
    <>
      {state === 'none' && <Empty>A shell in the folder of the project. It ends with this page.</Empty>}
      {ended && <p role="status">The terminal has ended: {ended}.</p>}
      <div class="row">
        <Button
          label={state === 'ended' ? 'Start another terminal…' : 'Start a terminal…'}
          scope="control"
          busy={action.busy}
          onClick={() => action.run(offerTerminal)}
        />
      </div>
      <Failure error={action.error} retry={action.retry} dismiss={action.dismiss} />
    </>
  );
}

function EndTerminal() {
  const [isRead, setRead] = useState(false);
  return (
    <>
      <ConfirmButton label="End" confirmation="End it with all that runs in it" onConfirm={endTerminal} />
      <Button
        label="Screen reader"
        pressed={isRead}
        onClick={() => {
          setScreenReader(!isRead);
          setRead(!isRead);
        }}
      />
      <Button label="Type" onClick={focusScreen} />
      <span class="muted">
        <kbd>Ctrl</kbd>+<kbd>Shift</kbd>+<kbd>Enter</kbd> leaves the screen.
      </span>
    </>
  );
}

function ScreenBox() {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    box.current?.append(host);
    return () => host.remove();
  }, []);
  return <div ref={box} class="terminal-box" role="group" aria-label="Screen of the terminal" />;
}
