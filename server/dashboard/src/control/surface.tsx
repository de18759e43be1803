// Lies over the picture of a tab that is held, and sends what the person does there.

import { useEffect, useRef } from 'preact/hooks';
import { asCallError } from '../rpc/error.ts';
import { giveBack, leaseProblems, sendInput, type Lease } from './lease.ts';
import { listenToPointer } from './pointer.ts';
import { listenToText } from './text.ts';

interface SurfaceProps {
  lease: Lease;
  tab: string;
  width: number;
  height: number;
  /** Another value gives it the focus. */
  focusCount: number;
  /** Whether a question of the page stands over it, which has the focus then. */
  isAsked: boolean;
}

export function Surface({ lease, tab, width, height, focusCount, isAsked }: SurfaceProps) {
  const area = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const size = useRef({ width, height });
  size.current = { width, height };
  useEffect(() => {
    if (!area.current || !field.current) return;
    const abort = new AbortController();
    const send = (event: Parameters<typeof sendInput>[2]) => sendInput(lease, tab, event);
    const focus = () => field.current?.focus({ preventScroll: true });
    listenToPointer({ element: area.current, size: () => size.current, send, focus }, abort.signal);
    listenToText({ field: field.current, send, giveBack: () => void leave(lease) }, abort.signal);
    return () => abort.abort();
  }, [lease, tab]);
  useEffect(() => {
    if (!isAsked) field.current?.focus({ preventScroll: true });
  }, [lease, tab, focusCount, isAsked]);
  return (
    <>
      <textarea
        ref={field}
        class="keyboard-field"
        aria-label="Keyboard input for the page"
        autoComplete="off"
        autoCapitalize="off"
        spellcheck={false}
      />
      <div ref={area} class="surface" />
    </>
  );
}

async function leave(lease: Lease): Promise<void> {
  try {
    await giveBack(lease, '');
  } catch (cause) {
    leaseProblems.set(new Map(leaseProblems.value).set(lease.session, { error: asCallError(cause), ended: false }));
  }
}
