// Asks now and then whether the daemon answers, for streams that are quiet while it hangs.
// It asks for the page, which needs no token and leaves no entry in the activity.

import { call } from '../rpc/client.ts';
import { frame } from '../rpc/frame.ts';
import { connection, markDown } from './connection.ts';
import { login } from './login.ts';

const INTERVAL_MS = 15_000;
const TIMEOUT_MS = 10_000;

export function probeDaemon(signal: AbortSignal): void {
  // The daemon and the browser of its panel end together.
  if (frame === 'pipe') return;
  const timer = setInterval(() => {
    if (document.visibilityState === 'visible') void probe();
  }, INTERVAL_MS);
  signal.addEventListener('abort', () => clearInterval(timer));
}

async function probe(): Promise<void> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    await fetch(`${login.value.address}/app.css`, { cache: 'no-store', credentials: 'omit', signal });
  } catch {
    markDown();
    return;
  }
  // Marks it up, or ends the login when another daemon answers.
  if (connection.value.state === 'down') await call('DaemonService/Version').catch(() => {});
}
