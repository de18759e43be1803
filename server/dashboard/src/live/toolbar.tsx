// What can be done with a tab.

import { useState } from 'preact/hooks';
import { leases, sendInput, type Lease } from '../control/lease.ts';
import { TakeControl } from '../control/take.tsx';
import { DemonstrateButton } from '../demonstrate/button.tsx';
import type { Demonstrator } from '../demonstrate/demonstrator.ts';
import type { Inspector } from '../inspect/useInspector.ts';
import { call } from '../rpc/client.ts';
import type { SessionOverview, TabOverview } from '../rpc/contract.ts';
import { goTo } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { saveFile } from '../ui/download.ts';
import { Failure } from '../ui/failure.tsx';
import { useAction } from '../ui/useCall.ts';
import type { Refs } from './refs.tsx';

const NAVIGATION_MS = 30_000;
const PDF_MS = 60_000;

interface ToolbarProps {
  session: SessionOverview;
  tab: TabOverview;
  refs: Refs;
  inspector: Inspector;
  /** The demonstration that runs in the session. */
  demonstrator: Demonstrator | undefined;
}

export function Toolbar({ session, tab, refs, inspector, demonstrator }: ToolbarProps) {
  const action = useAction();
  const [done, setDone] = useState('');
  const lease = useStore(leases).get(session.name);
  const place = { session: session.name, tab: tab.id };
  const run = (work: () => Promise<unknown>) => () => {
    setDone('');
    action.run(work);
  };
  const reload = run(() => call('BrowserService/Reload', {}, { ...place, timeoutMs: NAVIGATION_MS }));
  const { busy } = action;
  return (
    <>
      <div class="toolbar" role="toolbar" aria-label="Tab">
        {!lease && <TakeControl session={session} tab={tab.id} />}
        {!lease && (
          <Button
            label="Reload"
            icon="reload"
            iconOnly
            scope="write"
            disabled={busy}
            onClick={demonstrator ? () => demonstrator.navigate(tab.id, 'Reload') : reload}
          />
        )}
        <Button
          label="Stop loading"
          icon="stop"
          iconOnly
          scope="write"
          disabled={busy}
          onClick={run(() => call('BrowserService/StopLoading', {}, place))}
        />
        <Button
          label={refs.isOn ? 'Hide refs' : 'Show refs'}
          icon="refs"
          iconOnly
          scope="read"
          pressed={refs.isOn}
          onClick={refs.toggle}
        />
        <Button label="Inspect" icon="inspect" scope="read" pressed={inspector.isOn} onClick={inspector.toggle} />
        <DemonstrateButton session={session} tab={tab.id} onBegin={() => inspector.isOn && inspector.toggle()} />
        {!lease && (
          <Button
            label="Hide ads, banners and bars"
            icon="clean"
            iconOnly
            scope="admin"
            disabled={busy}
            onClick={run(async () => setDone(await cleanUp(place)))}
          />
        )}
        <Button
          label="Save a screenshot"
          icon="camera"
          iconOnly
          scope="read"
          disabled={busy}
          onClick={run(() => saveScreenshot(place))}
        />
        <Button
          label="Save as PDF"
          icon="document"
          iconOnly
          scope="read"
          disabled={busy}
          onClick={run(() => savePdf(place))}
        />
        <Button
          label="Close the tab"
          icon="close"
          iconOnly
          kind="danger"
          scope="write"
          disabled={busy}
          onClick={run(() => closeTab(place, lease))}
        />
        <span class="muted" role="status">
          {busy ? 'Working…' : done}
        </span>
      </div>
      <Failure
        error={action.error ?? refs.error}
        retry={action.error ? action.retry : refs.reload}
        dismiss={action.error ? action.dismiss : refs.toggle}
      />
    </>
  );
}

interface Place {
  session: string;
  tab: string;
}

/** Hides what lies around the content; answers how much of each kind. */
async function cleanUp(place: Place): Promise<string> {
  const { summary } = await call('BrowserService/Cleanup', { all: true }, place);
  return summary ? `Hidden: ${summary}.` : 'Nothing to hide was found.';
}

async function saveScreenshot(place: Place): Promise<void> {
  const { image, mime } = await call('BrowserService/Screenshot', { viewport: true }, place);
  saveFile(`tab-${place.tab}.png`, image, mime || 'image/png');
}

async function savePdf(place: Place): Promise<void> {
  const { pdf, mime } = await call('BrowserService/Pdf', {}, { ...place, timeoutMs: PDF_MS });
  saveFile(`tab-${place.tab}.pdf`, pdf, mime || 'application/pdf');
}

/** Closes it as the holder of its session where this page is that. */
async function closeTab({ session, tab }: Place, lease: Lease | undefined): Promise<void> {
  if (lease) sendInput(lease, tab, { kind: 'close-tab' });
  else await call('BrowserService/CloseTab', { id: tab }, { session });
  goTo({ view: 'live' });
}
