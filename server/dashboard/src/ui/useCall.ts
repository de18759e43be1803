// The state of a call that a component makes.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { asCallError, type CallError } from '../rpc/error.ts';
import { becomesVisible, sleep } from '../rpc/wait.ts';

export interface CallState<Answer> {
  answer?: Answer;
  error?: CallError;
  busy: boolean;
}

export interface Action extends CallState<void> {
  run: (work: () => Promise<unknown>) => void;
  retry: () => void;
  dismiss: () => void;
}

/** An action of a button: one at a time, with its failure. */
export function useAction(): Action {
  const [state, setState] = useState<CallState<void>>({ busy: false });
  const last = useRef<() => Promise<unknown>>(undefined);
  const run = useCallback((work: () => Promise<unknown>) => {
    last.current = work;
    setState({ busy: true });
    work().then(
      () => setState({ busy: false }),
      (cause) => setState({ busy: false, error: asCallError(cause) }),
    );
  }, []);
  const retry = useCallback(() => last.current && run(last.current), [run]);
  const dismiss = useCallback(() => setState({ busy: false }), []);
  return { ...state, run, retry, dismiss };
}

/**
 * What a view loads when it opens, and on demand; `everyMs` repeats it while the page is on the
 * screen, and may depend on what was answered.
 */
export function useLoad<Answer>(
  load: (signal: AbortSignal) => Promise<Answer>,
  inputs: unknown[],
  everyMs?: number | ((answer: Answer) => number | undefined),
): CallState<Answer> & { reload: () => void } {
  const [state, setState] = useState<CallState<Answer>>({ busy: true });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    let latest = state.answer;
    const once = async () => {
      setState((before) => ({ ...before, busy: true }));
      try {
        const answer = await load(signal);
        latest = answer;
        if (!signal.aborted) setState({ answer, busy: false });
      } catch (cause) {
        if (!signal.aborted) setState((before) => ({ ...before, error: asCallError(cause), busy: false }));
      }
    };
    const repeat = async () => {
      while (!signal.aborted) {
        await once();
        const delay = typeof everyMs !== 'function' ? everyMs : latest === undefined ? undefined : everyMs(latest);
        if (delay === undefined) return;
        await sleep(delay, signal);
        await becomesVisible(signal);
      }
    };
    void repeat();
    return () => abort.abort();
  }, [...inputs, turn]);
  const reload = useCallback(() => setTurn((count) => count + 1), []);
  return { ...state, reload };
}
