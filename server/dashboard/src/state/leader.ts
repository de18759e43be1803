// One window among those of a browser that show the same daemon: it keeps a stream open for all.
// A browser opens six connections to a daemon at most, for all of its windows.

/** Runs `lead` while no other window does so under this name, and `wait` until then. */
export function leadOrWait(
  name: string,
  lead: (signal: AbortSignal) => Promise<void>,
  wait: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): void {
  const waiting = new AbortController();
  const endWaiting = () => waiting.abort();
  signal.addEventListener('abort', endWaiting);
  void wait(waiting.signal);
  navigator.locks
    .request(name, { signal }, () => {
      endWaiting();
      return lead(signal);
    })
    // The signal ended the request.
    .catch(endWaiting);
}
