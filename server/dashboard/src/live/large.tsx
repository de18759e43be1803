// One tab, large: its picture, what can be done with it, and what its page asks.

import { useEffect, useRef, useState } from 'preact/hooks';
import { clearProblem, leaseProblems, leases, sendInput, type Lease } from '../control/lease.ts';
import { ControlBar } from '../control/bar.tsx';
import { DialogBox } from '../control/dialog.tsx';
import { PromptBox } from '../control/prompt.tsx';
import { Surface } from '../control/surface.tsx';
import type { SessionOverview, TabOverview } from '../rpc/types.ts';
import { hrefOf } from '../state/route.ts';
import { setLarge } from '../state/pictures.ts';
import { useStore } from '../state/store.ts';
import { call } from '../rpc/client.ts';
import { Button } from '../ui/button.tsx';
import { Failure } from '../ui/failure.tsx';
import { useAction } from '../ui/useCall.ts';
import { Icon } from '../ui/icons.tsx';
import { Ago } from '../ui/time.tsx';
import { StateCover } from './card.tsx';
import { Marker } from './marker.tsx';
import { RefBoxes, RefList, useRefs } from './refs.tsx';
import { Toolbar } from './toolbar.tsx';
import { usePicture } from './usePicture.ts';
import { useFitted } from './useFitted.ts';
import { actionText, titleOf } from './words.ts';

export function LargeTab({ session, tab }: { session: SessionOverview; tab: TabOverview }) {
  const stage = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const info = usePicture(canvas, tab.id, true);
  const fitted = useFitted(stage, info);
  const lease = useStore(leases).get(session.name);
  const refs = useRefs(session.name, tab.id);
  const [focusCount, setFocusCount] = useState(0);
  useEffect(() => {
    if (fitted.width > 0) setLarge({ tab: tab.id, width: fitted.width * devicePixelRatio });
  }, [tab.id, fitted.width]);
  useEffect(() => () => setLarge(undefined), []);
  return (
    <article class="large-tab" aria-label={titleOf(tab)}>
      <header class="view-header">
        <a class="button" href="#live">
          <Icon name="grid" />
          <span>All tabs</span>
        </a>
        <div class="titles">
          <h1 class="title">{titleOf(tab)}</h1>
          <p class="address">{tab.url}</p>
        </div>
      </header>
      <TabStrip session={session} current={tab.id} />
      <Toolbar session={session} tab={tab} refs={refs} />
      {lease && <ControlBar lease={lease} tab={tab} onKeyboard={() => setFocusCount((count) => count + 1)} />}
      <InputProblem session={session.name} />
      {session.request && (
        <p class="request">
          <strong>An agent asks for a person:</strong> {session.request}
        </p>
      )}
      <div class="stage-row">
        <div class={`stage${lease ? ' controlled' : ''}`} ref={stage}>
          <div class="picture" style={{ width: `${fitted.width}px`, height: `${fitted.height}px` }}>
            <canvas
              ref={canvas}
              class="page"
              width="1"
              height="1"
              role="img"
              aria-label={`Picture of ${titleOf(tab)}`}
            />
            <StateCover session={session} info={info} />
            {info?.state === 'hidden' && <BringToFront tab={tab.id} session={session.name} lease={lease} />}
            {info && <Marker action={tab.last_action} width={info.width} height={info.height} />}
            {info && <RefBoxes refs={refs} width={info.width} height={info.height} />}
            {lease && info && (
              <Surface
                lease={lease}
                tab={tab.id}
                width={info.width}
                height={info.height}
                focusCount={focusCount}
                isAsked={Boolean(tab.dialog || tab.prompt)}
              />
            )}
          </div>
          {tab.dialog && <DialogBox key={tab.dialog.message} dialog={tab.dialog} tab={tab.id} lease={lease} />}
          {tab.prompt && !tab.dialog && (
            <PromptBox key={tab.prompt.id} prompt={tab.prompt} tab={tab.id} lease={lease} />
          )}
        </div>
        <RefList refs={refs} />
      </div>
      <p class="muted facts">
        <span>
          Session {session.name}, opened by {session.owner} · tab {tab.id}, {tab.state}, opened by {tab.owner}
        </span>
        {tab.last_action && (
          <span>
            {actionText(tab.last_action)} · <Ago time={tab.last_action.time} />
          </span>
        )}
      </p>
    </article>
  );
}

function TabStrip({ session, current }: { session: SessionOverview; current: string }) {
  if (session.tabs.length < 2) return null;
  return (
    <nav class="tab-strip" aria-label={`Tabs of ${session.name}`}>
      {session.tabs.map((tab) => (
        <a href={hrefOf({ view: 'live', tab: tab.id })} aria-current={tab.id === current ? 'page' : undefined}>
          {titleOf(tab)}
        </a>
      ))}
    </nav>
  );
}

/** A tab behind another one is not drawn. */
function BringToFront({ tab, session, lease }: { tab: string; session: string; lease: Lease | undefined }) {
  const action = useAction();
  const activate = () =>
    action.run(async () =>
      lease
        ? sendInput(lease, tab, { kind: 'activate' })
        : call('BrowserService/ActivateTab', { id: tab }, { session }),
    );
  return (
    <div class="over-cover">
      <Button label="Bring to front" scope="write" busy={action.busy} onClick={activate} />
      <Failure error={action.error} retry={action.retry} dismiss={action.dismiss} />
    </div>
  );
}

function InputProblem({ session }: { session: string }) {
  const problem = useStore(leaseProblems).get(session);
  if (!problem) return null;
  return (
    <div>
      {problem.ended && <p class="banner warning">Your control of {session} has ended.</p>}
      <Failure error={problem.error} dismiss={() => clearProblem(session)} />
    </div>
  );
}
