// What can be done with a tab.

import { leases, sendInput, type Lease } from '../control/lease.ts';
import { TakeControl } from '../control/take.tsx';
import { call } from '../rpc/client.ts';
import type { SessionOverview, TabOverview } from '../rpc/types.ts';
import { goTo } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { saveFile } from '../ui/download.ts';
import { Failure } from '../ui/failure.tsx';
import { useAction } from '../ui/useCall.ts';
import type { Refs } from './refs.tsx';

const NAVIGATION_MS = 30_000;
const PDF_MS = 60_000;

export function Toolbar({ session, tab, refs }: { session: SessionOverview; tab: TabOverview; refs: Refs }) {
  const action = useAction();
  const lease = useStore(leases).get(session.name);
  const place = { session: session.name, tab: tab.id };
  const run = (work: () => Promise<unknown>) => () => action.run(work);
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
            onClick={run(() => call('BrowserService/Reload', {}, { ...place, timeoutMs: NAVIGATION_MS }))}
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
        {busy && (
          <span class="muted" role="status">
            Working…
          </span>
        )}
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

async function saveScreenshot(place: Place): Promise<void> {
  const { image, mime } = await call<{ image: string; mime: string }>(
    'BrowserService/Screenshot',
    { viewport: true },
    place,
  );
  saveFile(`tab-${place.tab}.png`, image, mime || 'image/png');
}

async function savePdf(place: Place): Promise<void> {
  const { pdf, mime } = await call<{ pdf: string; mime: string }>(
    'BrowserService/Pdf',
    {},
    { ...place, timeoutMs: PDF_MS },
  );
  saveFile(`tab-${place.tab}.pdf`, pdf, mime || 'application/pdf');
}

/** Closes it as the holder of its session where this page is that. */
async function closeTab({ session, tab }: Place, lease: Lease | undefined): Promise<void> {
  if (lease) sendInput(lease, tab, { kind: 'close-tab' });
  else await call('BrowserService/CloseTab', { id: tab }, { session });
  goTo({ view: 'live' });
}
