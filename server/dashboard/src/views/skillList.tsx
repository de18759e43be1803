// The skills: what they are, whether they are trusted, and how the last check ended.

import { useState } from 'preact/hooks';
import { call } from '../rpc/client.ts';
import type { Skill } from '../rpc/contract.ts';
import { hasScope } from '../state/login.ts';
import { Button } from '../ui/button.tsx';
import { Empty, Panel } from '../ui/panel.tsx';
import { useLoad } from '../ui/useCall.ts';
import { SkillReview } from './skillReview.tsx';
import { SkillRun } from './skillRun.tsx';

export function SkillsPanel() {
  const allowed = hasScope('meta');
  const load = useLoad(
    async (signal) => (allowed ? (await call('SkillService/ListSkills', {}, { signal })).skills : []),
    [],
  );
  const skills = load.answer ?? [];
  return (
    <Panel title="Skills" scope="meta" load={load}>
      {skills.length === 0 ? (
        <Empty>No skill is installed.</Empty>
      ) : (
        <ul class="rows">
          {skills.map((skill) => (
            <li key={`${skill.tier}/${skill.name}`}>
              <SkillRow skill={skill} onChanged={load.reload} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function SkillRow({ skill, onChanged }: { skill: Skill; onChanged: () => void }) {
  const [open, setOpen] = useState<'run' | 'review'>();
  const [done, setDone] = useState('');
  const toggle = (part: 'run' | 'review') => {
    setDone('');
    setOpen(open === part ? undefined : part);
  };
  return (
    <article aria-label={skill.name}>
      <div class="row-head">
        <div>
          <h3>
            {skill.name} <span class="chip">{skill.tier}</span>{' '}
            <span class={`chip ${TRUST[skill.trust] ?? ''}`}>{skill.trust}</span>{' '}
            {skill.health && <span class={`chip ${HEALTH[skill.health] ?? ''}`}>{skill.health}</span>}
          </h3>
          <p>{skill.description}</p>
          <p class="muted">
            {skill.hosts.join(', ') || 'no hosts'} · {skill.runtime} · {skill.checked || 'never checked'}
          </p>
          {skill.problem && <p class="problem">{skill.problem}</p>}
        </div>
        <div class="row">
          {skill.trust !== 'trusted' && (
            <Button
              label={open === 'review' ? 'Close the review' : 'Review…'}
              scope="admin"
              onClick={() => toggle('review')}
            />
          )}
          <Button label={open === 'run' ? 'Close' : 'Run…'} scope="admin" onClick={() => toggle('run')} />
        </div>
      </div>
      <p role="status">{done}</p>
      {open === 'run' && <SkillRun skill={skill} />}
      {open === 'review' && (
        <SkillReview
          skill={skill}
          onTrusted={() => {
            setOpen(undefined);
            setDone('This version is trusted.');
            onChanged();
          }}
        />
      )}
    </article>
  );
}

const TRUST: Record<string, string> = { trusted: 'good', changed: 'warn' };
const HEALTH: Record<string, string> = { fresh: 'good', drifted: 'warn', broken: 'bad' };
