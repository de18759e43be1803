// The element that is inspected in a tab, and the changes of styles there.

import { useEffect, useRef, useState } from 'preact/hooks';
import { call } from '../rpc/client.ts';
import type { InspectResponse, StyleChange } from '../rpc/contract.ts';
import { asCallError, type CallError } from '../rpc/error.ts';
import { changeText } from './words.ts';

interface InspectorState {
  isOn: boolean;
  /** Whether rules of the browser and all computed properties are asked for. */
  isAll: boolean;
  isBusy: boolean;
  element?: InspectResponse;
  changes: StyleChange[];
  /** What became of the last change. */
  done: string;
  error?: CallError;
}

export interface Inspector extends InspectorState {
  toggle: () => void;
  /** Inspects what is at a point, in CSS pixels of the viewport. */
  pick: (point: { x: number; y: number }) => void;
  /** Inspects the same element again. */
  reload: () => void;
  setAll: (isAll: boolean) => void;
  /** Sets a property of the element; an empty value removes it. */
  change: (property: string, value: string) => void;
  undo: (change: number) => void;
  retry: () => void;
  dismiss: () => void;
}

const INSPECT = 'BrowserService/Inspect';
const OFF: InspectorState = { isOn: false, isAll: false, isBusy: false, changes: [], done: '' };

export function useInspector(session: string, tab: string): Inspector {
  const [state, setState] = useState(OFF);
  const last = useRef<() => Promise<Partial<InspectorState>>>(undefined);
  const turn = useRef(0);
  const place = { session, tab };
  useEffect(() => () => void (turn.current += 1), []);

  /** Runs `work`, unless a later one begins before it ends: then that one counts. */
  const run = (work: () => Promise<Partial<InspectorState>>) => {
    const mine = (turn.current += 1);
    last.current = work;
    const set = (part: Partial<InspectorState>) => {
      if (mine === turn.current) setState((now) => ({ ...now, isBusy: false, ...part }));
    };
    setState(({ error: _, ...now }) => ({ ...now, isBusy: true }));
    work().then(
      (part) => set({ done: '', ...part }),
      (cause) => set({ error: asCallError(cause) }),
    );
  };
  const readChanges = async () => {
    const { history } = await call(INSPECT, { history: true, structured: true }, place);
    return { changes: history };
  };
  const read = async (which: { at: string } | { target: string }, isAll: boolean) => {
    const request = { ...which, structured: true, ...(isAll ? { all: true } : {}) };
    const [element, changes] = await Promise.all([call(INSPECT, request, place), readChanges()]);
    return { element, ...changes };
  };
  const readAgain = async (isAll = state.isAll) =>
    state.element ? read({ target: state.element.ref }, isAll) : readChanges();

  return {
    ...state,
    toggle: () => {
      turn.current += 1;
      setState(state.isOn ? OFF : { ...OFF, isOn: true });
    },
    pick: ({ x, y }) => run(() => read({ at: `${Math.round(x)},${Math.round(y)}` }, state.isAll)),
    reload: () => run(() => readAgain()),
    setAll: (isAll) => {
      setState((now) => ({ ...now, isAll }));
      run(() => readAgain(isAll));
    },
    change: (property, value) => {
      const target = state.element?.ref;
      if (target === undefined) return;
      run(async () => {
        const answer = await call('BrowserService/Style', { target, property, value }, place);
        return { ...(await readAgain()), done: `${changeText(answer)} ${answer.note}` };
      });
    },
    undo: (change) =>
      run(async () => {
        await call('BrowserService/UndoStyle', { change }, place);
        return { ...(await readAgain()), done: `Change ${change} is undone.` };
      }),
    retry: () => last.current && run(last.current),
    dismiss: () => setState(({ error: _, ...now }) => now),
  };
}
