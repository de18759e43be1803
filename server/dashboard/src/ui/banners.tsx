// What concerns the whole page: the daemon is away, a newer version serves, warnings.

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { frame } from '../rpc/frame.ts';
import { connection } from '../state/connection.ts';
import { isOutdated, overview } from '../state/overview.ts';
import { useStore } from '../state/store.ts';
import { Failure } from './failure.tsx';
import { OpenCommand } from './openCommand.tsx';

/** Time without an answer after which another port is the likely reason. */
const LONG_MS = 5_000;

/** `children` are banners of other parts, below these. */
export function Banners({ children }: { children?: ComponentChildren }) {
  const { state } = useStore(connection);
  const current = useStore(overview);
  const isLong = useIsLong(state === 'down');
  const isDown = state === 'down';
  return (
    <div class="banners" role="status" aria-live="polite">
      {isDown && (
        <p class="banner warning">
          The daemon does not answer; trying again.
          {isLong && (
            <>
              {' '}
              If it was stopped or restarted, run <OpenCommand /> for a new link.
            </>
          )}
        </p>
      )}
      {!isDown && isOutdated(current) && <Outdated />}
      {!isDown && current.problem && <Failure error={current.problem} />}
      {current.response?.warnings.map((warning) => (
        <p class="banner warning">{warning}</p>
      ))}
      {children}
    </div>
  );
}

function Outdated() {
  if (frame === 'link') {
    return (
      <p class="banner">
        The daemon is of another version. Run <code>browse dashboard extension</code> again, and reload the extension.
      </p>
    );
  }
  return (
    <p class="banner">
      A newer version of the daemon serves this page.{' '}
      <button type="button" class="button" onClick={() => location.reload()}>
        Reload
      </button>
    </p>
  );
}

function useIsLong(isDown: boolean): boolean {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    setLong(false);
    if (!isDown) return;
    const timer = setTimeout(() => setLong(true), LONG_MS);
    return () => clearTimeout(timer);
  }, [isDown]);
  return isLong;
}
