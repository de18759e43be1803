// What Chromium draws outside of the page, drawn here: lists, dates, colours, files.

import { useState } from 'preact/hooks';
import { toBase64 } from '../rpc/base64.ts';
import type { PagePrompt } from '../rpc/contract.ts';
import { Button } from '../ui/button.tsx';
import { Failure } from '../ui/failure.tsx';
import { bytesText } from '../ui/bytes.ts';
import { useAction } from '../ui/useCall.ts';
import { CallError } from '../rpc/error.ts';
import type { PersonInput } from './event.ts';
import { sendInput, type Lease } from './lease.ts';
import { Question } from './question.tsx';

const MAX_FILE_BYTES = 16 << 20;
const INPUT_TYPES = ['date', 'time', 'month', 'week', 'datetime-local', 'color'];

interface PromptProps {
  prompt: PagePrompt;
  answer: (part: Partial<PersonInput>) => void;
}

export function PromptBox({ prompt, tab, lease }: { prompt: PagePrompt; tab: string; lease: Lease | undefined }) {
  const cancel = () => lease && sendInput(lease, tab, { kind: 'dismiss', prompt: prompt.id });
  const answer = (part: Partial<PersonInput>) =>
    lease && sendInput(lease, tab, { kind: 'answer', prompt: prompt.id, ...part });
  return (
    <Question
      label="Field of the page"
      title={prompt.label || `A field of kind ${prompt.kind}`}
      canAnswer={lease !== undefined}
      onCancel={cancel}
    >
      {lease && (
        <>
          <PromptField prompt={prompt} answer={answer} />
          <Button label="Cancel" onClick={cancel} />
        </>
      )}
    </Question>
  );
}

/** `answer` gets the values of a list, or the text of another field. */
export function PromptField({ prompt, answer }: PromptProps) {
  if (prompt.kind === 'select') return <SelectField prompt={prompt} answer={answer} />;
  if (prompt.kind === 'file') return <FileField prompt={prompt} answer={answer} />;
  return <ValueField prompt={prompt} answer={answer} />;
}

function SelectField({ prompt: { options, multiple, label }, answer }: PromptProps) {
  const [chosen, setChosen] = useState(options.filter((option) => option.selected).map((option) => option.value));
  const choose = (value: string) => {
    if (!multiple) answer({ values: [value] });
    else setChosen(chosen.includes(value) ? chosen.filter((other) => other !== value) : [...chosen, value]);
  };
  return (
    <>
      <ul class="choices" aria-label={label || 'Choices'} tabIndex={0}>
        {options.map((option) => (
          <li>
            <button
              type="button"
              class="choice"
              disabled={option.disabled}
              aria-pressed={chosen.includes(option.value)}
              onClick={() => choose(option.value)}
            >
              {option.label || option.value || '(empty)'}
            </button>
          </li>
        ))}
      </ul>
      {multiple && <Button label="Choose" kind="primary" onClick={() => answer({ values: chosen })} />}
    </>
  );
}

function ValueField({ prompt: { kind, value, label }, answer }: PromptProps) {
  const [text, setText] = useState(value);
  // The types of preact want one literal.
  const type = (INPUT_TYPES.includes(kind) ? kind : 'text') as 'text';
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        answer({ text });
      }}
    >
      <input
        type={type}
        step="any"
        aria-label={label || kind}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit" class="button primary">
        Set
      </button>
    </form>
  );
}

function FileField({ prompt: { multiple, label }, answer }: PromptProps) {
  const action = useAction();
  const choose = (list: FileList | null) =>
    action.run(async () => answer({ files: await readFiles([...(list ?? [])]) }));
  return (
    <>
      <label class="file-field">
        {multiple ? 'Files' : 'File'} of this computer, at most {bytesText(MAX_FILE_BYTES)} each
        <input
          type="file"
          multiple={multiple}
          aria-label={label || 'File'}
          disabled={action.busy}
          onChange={(event) => choose(event.currentTarget.files)}
        />
      </label>
      <Failure error={action.error} dismiss={action.dismiss} />
    </>
  );
}

async function readFiles(files: File[]): Promise<{ name: string; content: string }[]> {
  const large = files.find((file) => file.size > MAX_FILE_BYTES);
  if (large)
    throw new CallError(
      'TOO_LARGE',
      `\`${large.name}\` has ${bytesText(large.size)}`,
      `Choose files of at most ${bytesText(MAX_FILE_BYTES)}`,
    );
  return Promise.all(
    files.map(async (file) => ({ name: file.name, content: toBase64(new Uint8Array(await file.arrayBuffer())) })),
  );
}
