// A value that components follow.

import { useLayoutEffect, useReducer } from 'preact/hooks';

export class Store<Value> {
  #value: Value;
  readonly #listeners = new Set<() => void>();

  constructor(value: Value) {
    this.#value = value;
  }

  get value(): Value {
    return this.#value;
  }

  set(value: Value): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener();
  }

  /** Replaces some members. */
  patch(part: Partial<Value>): void {
    this.set({ ...this.#value, ...part });
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

/** The value of a store; the component is rendered again when it changes. */
export function useStore<Value>(store: Store<Value>): Value {
  const [, render] = useReducer((count: number, _: void) => count + 1, 0);
  const { value } = store;
  useLayoutEffect(() => {
    // It may have changed between rendering and now.
    if (!Object.is(store.value, value)) render();
    return store.subscribe(() => render());
  }, [store]);
  return value;
}
