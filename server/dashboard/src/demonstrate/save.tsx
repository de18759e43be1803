// Makes a skill of a demonstration: its arguments, and how many texts it answers.

import { useState } from 'preact/hooks';
import { useStore } from '../state/store.ts';
import { SkillForm } from '../traces/skillForm.tsx';
import { countText } from '../ui/count.ts';
import type { Demonstrator, TypedText } from './demonstrator.ts';

/** Of a text, in the label of its argument. */
const MAX_SHOWN = 40;
/** As many reads as a recording keeps. */
const MAX_READS = 20;

export function SaveDemonstration({ demonstrator }: { demonstrator: Demonstrator }) {
  const { record, reads, typed } = useStore(demonstrator.state);
  const [names, setNames] = useState<Record<string, string>>({});
  const [answers, setAnswers] = useState(1);
  const most = Math.min(reads, MAX_READS);
  const args = typed.flatMap(({ text }) => (names[text] ? [`${names[text]}=${text}`] : []));
  return (
    <SkillForm
      about={`Of ${countText(record.steps, 'step')}, of which ${record.kept} are kept`}
      request={{ ...(args.length > 0 ? { arg: args } : {}), ...(answers > 1 ? { reads: answers } : {}) }}
      options={{ session: demonstrator.session }}
      onSaved={() => demonstrator.markSaved()}
    >
      <p class="muted">
        {reads === 0 && 'No text was read: a skill ends with one. '}A password becomes an argument by itself.
      </p>
      {typed.map((one) => (
        <ArgumentField
          key={one.text}
          typed={one}
          name={names[one.text] ?? ''}
          onInput={(name) => setNames({ ...names, [one.text]: name })}
        />
      ))}
      {most > 1 && (
        <label>
          <span>Texts that it answers, from the last one</span>
          <input
            type="number"
            required
            min={1}
            max={most}
            value={answers}
            onInput={(event) => setAnswers(Number(event.currentTarget.value))}
          />
        </label>
      )}
    </SkillForm>
  );
}

interface ArgumentFieldProps {
  typed: TypedText;
  name: string;
  onInput: (name: string) => void;
}

function ArgumentField({ typed: { label, text }, name, onInput }: ArgumentFieldProps) {
  return (
    <label>
      <span>
        Argument for “{shortened(text)}” <span class="muted">{label}; always the same text when empty</span>
      </span>
      <input
        pattern="[A-Za-z0-9_\-]+"
        title="Letters, digits, dash and underscore"
        autoComplete="off"
        autoCapitalize="off"
        spellcheck={false}
        value={name}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </label>
  );
}

function shortened(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
