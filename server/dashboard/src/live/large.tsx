// One tab, large: its picture, what can be done with it, and what its page asks.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { PersonInput } from '../control/event.ts';
import { clearProblem, leaseProblems, leases, sendInput, type Lease } from '../control/lease.ts';
import { ControlBar } from '../control/bar.tsx';
import { DialogBox } from '../control/dialog.tsx';
import { PromptBox } from '../control/prompt.tsx';
import { PersonRequest } from '../control/request.tsx';
import { Surface } from '../control/surface.tsx';
import { demonstrations } from '../demonstrate/demonstrations.ts';
import type { Demonstrator } from '../demonstrate/demonstrator.ts';
import { FieldBox } from '../demonstrate/field.tsx';
import { DemonstrationLayer } from '../demonstrate/layer.tsx';
import { DemonstrationPane } from '../demonstrate/pane.tsx';
import { InspectPane } from '../inspect/pane.tsx';
import { Picker } from '../inspect/picker.tsx';
import { useInspector } from '../inspect/useInspector.ts';
import type { SessionOverview, TabOverview } from '../rpc/contract.ts';
import { hrefOf } from '../state/route.ts';
import { setLarge } from '../state/pictures.ts';
import { useStore } from '../state/store.ts';
import { call } from '../rpc/client.ts';
import { SessionQuestions } from '../talk/questions.tsx';
import { Button } from '../ui/button.tsx';
import { Failure } from '../ui/failure.tsx';
import { useAction } from '../ui/useCall.ts';
import { Icon } from '../ui/icons.tsx';
import { Ago } from '../ui/time.tsx';
import { StateCover } from './card.tsx';
import { Marker } from './marker.tsx';
import { RefBoxes, RefList, useRefs } from './refs.tsx';
import { Toolbar } from './toolbar.tsx';
import { usePicture, type PictureInfo } from './usePicture.ts';
import { useFitted } from './useFitted.ts';
import { actionText, titleOf } from './words.ts';

export function LargeTab({ session, tab }: { session: SessionOverview; tab: TabOverview }) {
  const stage = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const info = usePicture(canvas, tab.id, true);
  const fitted = useFitted(stage, info);
  const lease = useStore(leases).get(session.name);
  const refs = useRefs(session.name, tab.id);
  const [pointed, setPointed] = useState<string>();
  const inspector = useInspector(session.name, tab.id);
  const demonstrator = useStore(demonstrations).get(session.name);
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
      <Toolbar session={session} tab={tab} refs={refs} inspector={inspector} demonstrator={demonstrator} />
      {lease && <ControlBar lease={lease} tab={tab} onKeyboard={() => setFocusCount((count) => count + 1)} />}
      <InputProblem session={session.name} />
      <PersonRequest session={session} />
      <SessionQuestions session={session.name} />
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
            {info && <RefBoxes refs={refs} width={info.width} height={info.height} pointed={pointed} />}
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
            {inspector.isOn && info && isDrawn(info) && (
              <Picker inspector={inspector} width={info.width} height={info.height} />
            )}
            {demonstrator && !lease && !inspector.isOn && info && isDrawn(info) && (
              <DemonstrationLayer demonstrator={demonstrator} tab={tab.id} width={info.width} height={info.height} />
            )}
          </div>
          {tab.dialog && (
            <DialogBox key={tab.dialog.message} dialog={tab.dialog} send={answerTo(tab.id, lease, demonstrator)} />
          )}
          {demonstrator && <FieldBox demonstrator={demonstrator} tab={tab.id} />}
          {tab.prompt && !tab.dialog && (
            <PromptBox key={tab.prompt.id} prompt={tab.prompt} tab={tab.id} lease={lease} />
          )}
        </div>
        <RefList refs={refs} onPoint={setPointed} />
        <InspectPane inspector={inspector} session={session} tab={tab} />
        {demonstrator && <DemonstrationPane demonstrator={demonstrator} session={session} tab={tab} />}
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

/** Answers a dialog of the page, as the holder of the session or as a step of a demonstration. */
function answerTo(tab: string, lease: Lease | undefined, demonstrator: Demonstrator | undefined) {
  if (lease) return (event: PersonInput) => sendInput(lease, tab, event);
  return demonstrator && ((event: PersonInput) => demonstrator.answer(tab, event));
}

/** Whether there is a picture to point at. */
function isDrawn({ state, width }: PictureInfo): boolean {
  return (state === 'live' || state === 'still') && width > 0;
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
