// One message: what an agent said or asked, or what the person wrote.

import type { TalkMessage } from '../rpc/contract.ts';
import { hrefOf } from '../state/route.ts';
import { isWaitingQuestion } from '../state/talk.ts';
import { SendToTerminal } from '../terminal/send.tsx';
import { dateText } from '../ui/time.tsx';
import { AnswerForm } from './answer.tsx';
import { MessagePicture } from './picture.tsx';
import { headText, stateOf } from './words.ts';

export function Message({ message }: { message: TalkMessage }) {
  const { kind, time, text, answer, has_picture } = message;
  const state = stateOf(message);
  return (
    <>
      <article class={`message ${kind === 'note' ? 'own' : ''}`} aria-label={headText(message)}>
        <p class="muted">
          {headText(message)} · <time dateTime={time}>{dateText(time)}</time>{' '}
          {state && <span class={`chip ${state.chip}`}>{state.text}</span>}
        </p>
        <p class="page-words">{text}</p>
        <MessageElement message={message} />
        {has_picture && <MessagePicture message={message} />}
        {isWaitingQuestion(message) && <AnswerForm question={message} />}
        <SendToTerminal text={text} />
      </article>
      {answer !== undefined && (
        <article class="message own" aria-label="Answer">
          <p class="muted">Answer</p>
          <p class="page-words">{answer}</p>
        </article>
      )}
    </>
  );
}

function MessageElement({ message: { element, tab } }: { message: TalkMessage }) {
  if (!element && tab === undefined) return null;
  return (
    <p class="muted">
      {element && (
        <>
          About <code>{element}</code>{' '}
        </>
      )}
      {tab !== undefined && <a href={hrefOf({ view: 'live', tab })}>Tab {tab}</a>}
    </p>
  );
}
