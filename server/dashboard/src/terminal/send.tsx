// Sends a text to the terminal of this page: judged and shown before, and run by the person.

import { useEffect, useState } from 'preact/hooks';
import { call } from '../rpc/client.ts';
import type { SecurityScanResponse } from '../rpc/contract.ts';
import { hrefOf } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { Failure } from '../ui/failure.tsx';
import { Output } from '../ui/output.tsx';
import { useAction } from '../ui/useCall.ts';
import { cleanText } from './clean.ts';
import { sendText, terminal } from './session.ts';

/** Chips of verdicts; other verdicts look like a warning. */
const CHIPS: Record<string, string> = { clear: 'good', log: '', block: 'bad' };

export function SendToTerminal({ text }: { text: string }) {
  const { state } = useStore(terminal);
  const [step, setStep] = useState<'none' | 'asking' | 'sent'>('none');
  // What is asked about is the text of now.
  useEffect(() => setStep('none'), [text]);
  if (state !== 'open') return null;
  if (step === 'asking')
    return <Question text={cleanText(text)} onEnd={(isSent) => setStep(isSent ? 'sent' : 'none')} />;
  return (
    <span class="confirm">
      <Button label="Send to terminal" scope="read" onClick={() => setStep('asking')} />
      {step === 'sent' && (
        <span class="muted" role="status">
          It stands in the <a href={hrefOf({ view: 'terminal' })}>terminal</a>; press Enter there to run it.
        </span>
      )}
    </span>
  );
}

function Question({ text, onEnd }: { text: string; onEnd: (isSent: boolean) => void }) {
  const [verdict, setVerdict] = useState<SecurityScanResponse>();
  const action = useAction();
  useEffect(
    () => action.run(async () => setVerdict(await call('DaemonService/SecurityScan', { text }))),
    [text],
  );
  const isSuspicious = verdict !== undefined && !['clear', 'log'].includes(verdict.verdict);
  return (
    <div class="banner terminal-question" role="group" aria-label="Send to terminal">
      <p>This text goes into the terminal, and is not run before you press Enter there:</p>
      <Output label="Text for the terminal" text={text} />
      {text.includes('\n') && <p class="muted">It goes on one line: line breaks become blanks.</p>}
      <div role="status">
        {action.busy && <p class="muted">Judging it…</p>}
        {verdict && <Verdict verdict={verdict} />}
      </div>
      <Failure error={action.error} retry={action.retry} />
      <div class="row">
        <Button
          label={isSuspicious ? 'Send it anyway' : 'Send it'}
          kind={isSuspicious ? 'danger' : 'primary'}
          disabled={!verdict || text === ''}
          onClick={() => {
            sendText(text);
            onEnd(true);
          }}
        />
        <Button label="Cancel" onClick={() => onEnd(false)} />
      </div>
    </div>
  );
}

function Verdict({ verdict: { verdict, findings } }: { verdict: SecurityScanResponse }) {
  return (
    <>
      <p>
        Verdict: <span class={`chip ${CHIPS[verdict] ?? 'warn'}`}>{verdict}</span>
      </p>
      {findings.length > 0 && (
        <ul>
          {findings.map(({ layer, name, excerpt }) => (
            <li>
              {layer}: {name} {excerpt && <q class="page-words">{excerpt}</q>}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
