// The questions that agents wait with, outside of the conversation: at their session, and over other views.

import { hrefOf } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { talk, waitingQuestions } from '../state/talk.ts';
import { AnswerForm } from './answer.tsx';
import { headText, stateOf } from './words.ts';

/** The questions of a session, to answer here. */
export function SessionQuestions({ session }: { session: string }) {
  const questions = waitingQuestions(useStore(talk), session);
  return (
    <>
      {questions.map((question) => (
        <div key={question.id} class="request" role="group" aria-label={headText(question)}>
          <p>
            <strong>{headText(question)}:</strong> {question.text}
          </p>
          <AnswerForm question={question} />
          <p class="muted">
            {stateOf(question)?.text} · <a href={hrefOf({ view: 'talk', session })}>Conversation</a>
          </p>
        </div>
      ))}
    </>
  );
}

/** The questions of all sessions, each with the way to its conversation. */
export function QuestionBanners() {
  return (
    <>
      {waitingQuestions(useStore(talk)).map((question) => (
        <p key={question.id} class="banner warning">
          <strong>
            {headText(question)} in {question.session}:
          </strong>{' '}
          <span class="banner-text page-words">{question.text}</span>{' '}
          <a href={hrefOf({ view: 'talk', session: question.session })}>Answer</a>
        </p>
      ))}
    </>
  );
}
