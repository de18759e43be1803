// Name, language and description of a new skill; what it is made of is given.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { call, type CallOptions } from '../rpc/client.ts';
import type { SaveSkillRecordRequest, SkillLanguage } from '../rpc/contract.ts';
import { Button } from '../ui/button.tsx';
import { Failure } from '../ui/failure.tsx';
import { Output } from '../ui/output.tsx';
import { useAction } from '../ui/useCall.ts';

/** The steps are replayed before the skill is written. */
const SAVE_MS = 180_000;
const LANGUAGES: [word: SkillLanguage, name: string][] = [
  ['ts', 'TypeScript'],
  ['py', 'Python'],
  ['rust', 'Rust'],
];

interface SkillFormProps {
  /** What it is made of, in words. */
  about: string;
  /** The same, for `SaveSkillRecord`. */
  request: Omit<SaveSkillRecordRequest, 'name' | 'lang' | 'description'>;
  options?: CallOptions;
  onSaved?: () => void;
  /** Further fields. */
  children?: ComponentChildren;
}

export function SkillForm({ about, request, options, onSaved, children }: SkillFormProps) {
  const [name, setName] = useState('');
  const [lang, setLang] = useState<SkillLanguage>('ts');
  const [description, setDescription] = useState('');
  const [summary, setSummary] = useState('');
  const action = useAction();
  const choose = (value: string) => {
    const language = LANGUAGES.find(([word]) => word === value);
    if (language) setLang(language[0]);
  };
  const save = () =>
    action.run(async () => {
      setSummary('');
      const about = description.trim();
      const whole = { name, lang, ...(about ? { description: about } : {}), ...request };
      const answer = await call('SkillService/SaveSkillRecord', whole, { ...options, timeoutMs: SAVE_MS });
      setSummary(answer.summary);
      onSaved?.();
    });
  return (
    <form
      class="skill-run"
      aria-label="New skill"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <p class="muted">{about}</p>
      <label>
        <span>Name</span>
        <input
          required
          pattern="[a-z0-9\-]+"
          title="Lower case letters, digits and dashes"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <label>
        <span>Language</span>
        <select value={lang} onChange={(event) => choose(event.currentTarget.value)}>
          {LANGUAGES.map(([word, title]) => (
            <option value={word}>{title}</option>
          ))}
        </select>
      </label>
      <label>
        <span>
          Description <span class="muted">what it does, in a sentence; agents find it by this</span>
        </span>
        <input value={description} onInput={(event) => setDescription(event.currentTarget.value)} />
      </label>
      {children}
      <div class="row">
        <Button label="Save" kind="primary" scope="admin" busy={action.busy} submit />
      </div>
      <Failure error={action.error} retry={save} dismiss={action.dismiss} />
      <div role="status">{summary && <Output label="Saved" text={summary} />}</div>
      {summary && <a href="#skills">Skills</a>}
    </form>
  );
}
