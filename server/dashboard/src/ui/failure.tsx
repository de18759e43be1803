// A failed call, where it happened: what went wrong, what to do, and a way to try again.

import type { CallError } from '../rpc/error.ts';
import { Button } from './button.tsx';

export function Failure({
  error,
  retry,
  dismiss,
}: {
  error: CallError | undefined;
  retry?: () => void;
  dismiss?: () => void;
}) {
  if (!error) return null;
  return (
    <div class="failure" role="alert">
      <p>
        <strong>{sentence(error.message)}</strong> {error.hint && <span>{sentence(error.hint)}</span>}{' '}
        <code>{error.reason}</code>
      </p>
      {error.quotes.map((quote) => (
        <p class="quote">
          The page says ({quote.about}): <q>{quote.text}</q>
        </p>
      ))}
      <div class="row">
        {retry && <Button label="Retry" onClick={retry} />}
        {dismiss && <Button label="Dismiss" onClick={dismiss} />}
      </div>
    </div>
  );
}

/** Messages of the daemon begin in lower case and end without a full stop. */
function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
