// The notes on hosts, by state: those in quarantine first.

import { useState } from 'preact/hooks';
import { call } from '../rpc/client.ts';
import type { DomainSkill } from '../rpc/contract.ts';
import { hasScope } from '../state/login.ts';
import { Button } from '../ui/button.tsx';
import { Failure } from '../ui/failure.tsx';
import { Output } from '../ui/output.tsx';
import { Empty, Panel } from '../ui/panel.tsx';
import { dateText } from '../ui/time.tsx';
import { useAction, useLoad } from '../ui/useCall.ts';

const STATES = ['quarantined', 'active', 'global'];
const CHIPS: Record<string, string> = { quarantined: 'warn', active: 'good', global: 'good' };

export function NotesPanel() {
  const allowed = hasScope('meta');
  const load = useLoad(
    async (signal) =>
      allowed ? (await call('DomainSkillService/ListDomainSkills', { removed: true }, { signal })).skills : [],
    [],
  );
  const notes = [...(load.answer ?? [])].sort((a, b) => rank(a) - rank(b));
  return (
    <Panel title="Notes on hosts" scope="meta" load={load}>
      {notes.length === 0 ? (
        <Empty>No note is saved.</Empty>
      ) : (
        <ul class="rows">
          {notes.map((note) => (
            <li key={`${note.scope}/${note.host}`}>
              <NoteRow note={note} onChanged={load.reload} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function rank({ state, removed }: DomainSkill): number {
  return removed ? STATES.length : STATES.indexOf(state);
}

function NoteRow({ note, onChanged }: { note: DomainSkill; onChanged: () => void }) {
  const action = useAction();
  const [body, setBody] = useState<string>();
  const key = { host: note.host, global: note.scope === 'global' };
  const change = (work: () => Promise<unknown>) => () =>
    action.run(async () => {
      await work();
      onChanged();
    });
  const show = () => {
    if (body !== undefined) setBody(undefined);
    else action.run(async () => setBody((await call('DomainSkillService/ShowDomainSkill', key)).body));
  };
  return (
    <article aria-label={`Note on ${note.host}`}>
      <div class="row-head">
        <div>
          <h3>
            {note.host} <span class={`chip ${CHIPS[note.state] ?? ''}`}>{note.state}</span>{' '}
            {note.removed && <span class="chip bad">removed</span>}
            {note.shadowed && <span class="chip">replaced by the project</span>}
          </h3>
          <p class="muted">
            version {note.version} · {note.uses} uses without a finding ·{' '}
            {note.score > 0 ? `score of the last scan ${note.score.toFixed(2)}` : 'no finding in the last scan'} ·{' '}
            {dateText(new Date(Number(note.saved_ms)).toISOString())} · <code>{note.hash}</code>
          </p>
        </div>
        <div class="row">
          <Button label={body === undefined ? 'Show' : 'Hide'} disabled={action.busy} onClick={show} />
          {note.state === 'active' && !note.removed && (
            <Button
              label="Promote"
              scope="admin"
              disabled={action.busy}
              onClick={change(() => call('DomainSkillService/PromoteDomainSkill', { host: note.host }))}
            />
          )}
          {(note.version > 1 || note.removed) && (
            <Button
              label={note.removed ? 'Restore' : 'Roll back'}
              scope="meta"
              disabled={action.busy}
              onClick={change(() => call('DomainSkillService/RollBackDomainSkill', key))}
            />
          )}
        </div>
      </div>
      <Failure error={action.error} retry={action.retry} dismiss={action.dismiss} />
      {body !== undefined && <Output label={`Text of the note on ${note.host}`} text={body} />}
    </article>
  );
}
