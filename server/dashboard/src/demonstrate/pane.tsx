// Beside the picture while a demonstration runs: what was noted, and what can be done besides clicks.

import { useState } from 'preact/hooks';
import type { SessionOverview, TabOverview } from '../rpc/contract.ts';
import { useStore } from '../state/store.ts';
import { AddressForm } from '../ui/address.tsx';
import { Button } from '../ui/button.tsx';
import { countText } from '../ui/count.ts';
import { Failure } from '../ui/failure.tsx';
import { Output } from '../ui/output.tsx';
import { Empty } from '../ui/panel.tsx';
import { useAction } from '../ui/useCall.ts';
import { endDemonstration } from './demonstrations.ts';
import type { Demonstrator } from './demonstrator.ts';
import { notedSteps, type SkillRecord } from './noted.ts';
import { SaveDemonstration } from './save.tsx';

/** Keys that pages handle where no text is typed. */
const KEYS = 'Enter Escape Tab Shift+Tab ArrowDown ArrowUp ArrowLeft ArrowRight Space Delete'.split(' ');

interface PaneProps {
  demonstrator: Demonstrator;
  session: SessionOverview;
  tab: TabOverview;
}

export function DemonstrationPane({ demonstrator, session, tab }: PaneProps) {
  const { isBusy, isReading, isLeaving, record, read, error } = useStore(demonstrator.state);
  const [isSaving, setSaving] = useState(false);
  const action = useAction();
  const end = () => action.run(() => endDemonstration(demonstrator));
  return (
    <aside class="inspect-pane demonstration-pane" aria-label="Demonstration">
      <Help />
      <HolderWarning session={session} />
      {isLeaving && <LeaveQuestion demonstrator={demonstrator} busy={action.busy} onDiscard={end} />}
      <Failure error={action.error} retry={action.retry} dismiss={action.dismiss} />
      <Failure error={error} dismiss={() => demonstrator.dismiss()} />
      <PageControls key={tab.id} demonstrator={demonstrator} tab={tab} />
      <div class="row">
        <Button
          label="Read a text"
          icon="document"
          scope="read"
          pressed={isReading}
          onClick={() => demonstrator.setReading(!isReading)}
        />
        <span class="muted">{isReading ? 'Click the text that the skill answers.' : 'The answer of the skill'}</span>
      </div>
      {read !== undefined && <Output label="Text that was read" text={read} />}
      <p class="muted" role="status">
        {isBusy ? 'Working…' : `${countText(record.steps, 'step')} noted, ${record.kept} kept`}
      </p>
      <StepList record={record} />
      <div class="row">
        <Button
          label="Save as a skill"
          kind="primary"
          scope="admin"
          pressed={isSaving}
          disabled={record.steps === 0}
          because="Nothing is noted yet"
          onClick={() => setSaving(!isSaving)}
        />
        <Button
          label={demonstrator.isUnsaved ? 'Discard…' : 'End'}
          kind="danger"
          busy={action.busy}
          onClick={() => (demonstrator.isUnsaved ? demonstrator.state.patch({ isLeaving: true }) : end())}
        />
      </div>
      {isSaving && <SaveDemonstration demonstrator={demonstrator} />}
    </aside>
  );
}

function Help() {
  return (
    <>
      <h2>Demonstration</h2>
      <p id="demonstration-help" class="muted">
        Do in the picture what the skill repeats. Only what you do here is noted. With the keyboard: move the point
        with the arrow keys, with Shift by one pixel, and press Enter.
      </p>
      <p id="demonstration-keys" class="muted">
        In a field: Enter sets the text and presses Enter, Tab only sets it, Escape leaves the field. In a field of
        several lines Ctrl+Enter does what Enter does.
      </p>
    </>
  );
}

/** While a person holds the session the daemon notes nothing. */
function HolderWarning({ session: { holder } }: { session: SessionOverview }) {
  if (!holder) return null;
  return (
    <p class="request">{holder.is_you ? 'You control' : `${holder.client} controls`} the session: nothing is noted.</p>
  );
}

function LeaveQuestion({
  demonstrator,
  busy,
  onDiscard,
}: {
  demonstrator: Demonstrator;
  busy: boolean;
  onDiscard: () => void;
}) {
  const { record, saved } = useStore(demonstrator.state);
  return (
    <div class="request" role="group" aria-label="Leave the demonstration">
      <p>{countText(record.steps - saved, 'step')} would be lost: no skill has them.</p>
      <div class="row">
        <Button label="Discard them" kind="danger" busy={busy} onClick={onDiscard} />
        <Button label="Go on" onClick={() => demonstrator.state.patch({ isLeaving: false })} />
      </div>
    </div>
  );
}

/** The address, the history, and keys. */
function PageControls({ demonstrator, tab }: { demonstrator: Demonstrator; tab: TabOverview }) {
  const [key, setKey] = useState(KEYS[0] ?? '');
  return (
    <>
      <AddressForm url={tab.url} onOpen={(address) => demonstrator.open(tab.id, address)} />
      <div class="row">
        <Button label="Back" icon="back" iconOnly scope="write" onClick={() => demonstrator.navigate(tab.id, 'Back')} />
        <Button
          label="Forward"
          icon="forward"
          iconOnly
          scope="write"
          onClick={() => demonstrator.navigate(tab.id, 'Forward')}
        />
        <select aria-label="Key" value={key} onChange={(event) => setKey(event.currentTarget.value)}>
          {KEYS.map((name) => (
            <option value={name}>{name}</option>
          ))}
        </select>
        <Button label="Press" scope="write" onClick={() => demonstrator.press(tab.id, key)} />
      </div>
    </>
  );
}

function StepList({ record }: { record: SkillRecord }) {
  const steps = notedSteps(record);
  if (steps.length === 0) return <Empty>Nothing is noted yet.</Empty>;
  return (
    <ol class="noted-steps" aria-label="Steps" tabIndex={0}>
      {steps.map(({ text, note }) => (
        <li>
          <code>{text}</code> <span class="muted">{note}</span>
        </li>
      ))}
    </ol>
  );
}
