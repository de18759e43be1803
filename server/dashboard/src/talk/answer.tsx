// Answers a question of an agent: one of its choices, or a text.

import { useState } from 'preact/hooks';
import { call } from '../rpc/client.ts';
import type { TalkMessage } from '../rpc/contract.ts';
import { Button } from '../ui/button.tsx';
import { Failure } from '../ui/failure.tsx';
import { useAction } from '../ui/useCall.ts';
import { MAX_TEXT } from './words.ts';

export function AnswerForm({ question: { id, session, choices } }: { question: TalkMessage }) {
  const [text, setText] = useState('');
  const action = useAction();
  const answer = (chosen: string) =>
    action.run(() => call('DashboardService/AnswerQuestion', { id, answer: chosen }, { session }));
  return (
    <div class="answer">
      {choices.length > 0 ? (
        <div class="row" role="group" aria-label="Answers">
          {choices.map((choice) => (
            <Button label={choice} scope="write" disabled={action.busy} onClick={() => answer(choice)} />
          ))}
        </div>
      ) : (
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault();
            answer(text);
          }}
        >
          <input
            aria-label="Answer"
            required
            maxLength={MAX_TEXT}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <Button label="Answer" kind="primary" scope="write" busy={action.busy} submit />
        </form>
      )}
      <Failure error={action.error} retry={action.retry} dismiss={action.dismiss} />
    </div>
  );
}
