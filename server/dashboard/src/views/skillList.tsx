// The skills: what they are, whether they are trusted, and how the last check ended.

import { useState } from 'preact/hooks';
import { call } from '../rpc/client.ts';
import { hasScope } from '../state/login.ts';
import { Button } from '../ui/button.tsx';
import { Empty, Panel } from '../ui/panel.tsx';
import { useLoad } from '../ui/useCall.ts';
import { SkillRun } from './skillRun.tsx';

export interface Skill {
  name: string;
  description: string;
  hosts: string[];
  tier: string;
  runtime: string;
  trust: string;
  args: SkillArgument[];
  version: string;
  timeout_ms: string;
  problem: string;
  checked: string;
  health: string;
}

export interface SkillArgument {
  name: string;
  description: string;
  required: boolean;
  default?: string;
}

export function SkillsPanel() {
  const allowed = hasScope('meta');
  const load = useLoad(
    async (signal) =>
      allowed ? (await call<{ skills: Skill[] }>('SkillService/ListSkills', {}, { signal })).skills : [],
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
              <SkillRow skill={skill} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function SkillRow({ skill }: { skill: Skill }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <article aria-label={skill.name}>
      <div class="row-head">
        <div>
          <h3>
            {skill.name} <span class="chip">{skill.tier}</span>{' '}
            <span class={`chip ${skill.trust === 'trusted' ? 'good' : ''}`}>{skill.trust}</span>{' '}
            {skill.health && <span class={`chip ${HEALTH[skill.health] ?? ''}`}>{skill.health}</span>}
          </h3>
          <p>{skill.description}</p>
          <p class="muted">
            {skill.hosts.join(', ') || 'no hosts'} · {skill.runtime} · {skill.checked || 'never checked'}
          </p>
          {skill.problem && <p class="problem">{skill.problem}</p>}
        </div>
        <Button label={isOpen ? 'Close' : 'Run…'} scope="admin" onClick={() => setOpen(!isOpen)} />
      </div>
      {isOpen && <SkillRun skill={skill} />}
    </article>
  );
}

const HEALTH: Record<string, string> = { fresh: 'good', drifted: 'warn', broken: 'bad' };
