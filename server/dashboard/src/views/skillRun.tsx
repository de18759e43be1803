// Runs a skill with arguments, and shows what it answers.

import { useEffect, useRef, useState } from 'preact/hooks';
import { textOfBase64 } from '../rpc/base64.ts';
import { stream } from '../rpc/client.ts';
import type { Skill } from '../rpc/contract.ts';
import { Button } from '../ui/button.tsx';
import { Failure } from '../ui/failure.tsx';
import { indented, Output } from '../ui/output.tsx';
import { useAction } from '../ui/useCall.ts';

const EXTRA_MS = 30_000;
const DEFAULT_MS = 60_000;
/** Characters of the log that are kept. */
const MAX_LOG = 50_000;

export function SkillRun({ skill }: { skill: Skill }) {
  const [values, setValues] = useState<Record<string, string>>(
    Object.fromEntries(skill.args.map((argument) => [argument.name, argument.default ?? ''])),
  );
  const [output, setOutput] = useState<string>();
  const [log, setLog] = useState('');
  const action = useAction();
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);
  const run = () => {
    abort.current = new AbortController();
    const { signal } = abort.current;
    action.run(async () => {
      setOutput(undefined);
      setLog('');
      const arg = Object.entries(values)
        .filter(([, value]) => value !== '')
        .map(([name, value]) => `${name}=${value}`);
      const request = { name: skill.name, arg, source: skill.tier };
      const timeoutMs = (Number(skill.timeout_ms) || DEFAULT_MS) + EXTRA_MS;
      for await (const event of stream('SkillService/RunSkill', request, { timeoutMs, signal })) {
        if (event.stderr) setLog((before) => (before + textOfBase64(event.stderr ?? '')).slice(-MAX_LOG));
        if (event.output !== undefined) setOutput(indented(event.output));
      }
    });
  };
  return (
    <form
      class="skill-run"
      onSubmit={(event) => {
        event.preventDefault();
        run();
      }}
    >
      {skill.args.map(({ name, description, required }) => (
        <label>
          <span>
            {name}
            {required && ' (required)'} <span class="muted">{description}</span>
          </span>
          <input
            required={required}
            value={values[name] ?? ''}
            onInput={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
          />
        </label>
      ))}
      <div class="row">
        <button type="submit" class="button primary" disabled={action.busy}>
          {action.busy ? 'Running…' : 'Run'}
        </button>
        {action.busy && <Button label="Cancel" onClick={() => abort.current?.abort()} />}
      </div>
      <Failure error={action.error} retry={run} dismiss={action.dismiss} />
      {output !== undefined && <Output label="Result" text={output} />}
      {log && <Output label="Log" text={log} />}
    </form>
  );
}
