// The choices for a field that Chromium draws outside of the page: lists, dates, colours.

import { PromptField } from '../control/prompt.tsx';
import { Question } from '../control/question.tsx';
import type { PagePrompt } from '../rpc/contract.ts';
import { useStore } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import type { Demonstrator, OpenField } from './demonstrator.ts';

export function FieldBox({ demonstrator, tab }: { demonstrator: Demonstrator; tab: string }) {
  const { field } = useStore(demonstrator.state);
  if (field?.tab !== tab || (field.kind !== 'list' && field.kind !== 'value')) return null;
  return (
    <Question
      key={field.ref}
      label="Field of the page"
      title={field.label}
      canAnswer
      onCancel={() => demonstrator.closeField()}
    >
      <PromptField
        prompt={promptOf(field)}
        answer={({ values, text }) => (values ? demonstrator.choose(values) : demonstrator.setValue(text ?? ''))}
      />
      <Button label="Cancel" onClick={() => demonstrator.closeField()} />
    </Question>
  );
}

/** The field as one of those that a person answers who holds the session; options go by their names. */
function promptOf({ kind, type, ref, label, value, options, isListbox }: OpenField): PagePrompt {
  return {
    kind: kind === 'list' ? 'select' : type,
    id: ref,
    label,
    value,
    multiple: isListbox,
    options: options.map(({ name, isSelected, isDisabled }) => ({
      value: name,
      label: name,
      selected: isSelected,
      disabled: isDisabled,
    })),
  };
}
