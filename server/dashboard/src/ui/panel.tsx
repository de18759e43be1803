// A part of a view that loads something: its heading, and what became of loading.

import type { ComponentChildren } from 'preact';
import type { CallError } from '../rpc/error.ts';
import { frame } from '../rpc/frame.ts';
import { hasScope, login, type Scope } from '../state/login.ts';
import { useStore } from '../state/store.ts';
import { Failure } from './failure.tsx';
import { Button } from './button.tsx';

interface PanelProps {
  title: string;
  /** Scope that what it loads needs. */
  scope?: Scope;
  load?: { answer?: unknown; error?: CallError; busy: boolean; reload: () => void };
  tools?: ComponentChildren;
  children?: ComponentChildren;
}

export function Panel({ title, scope, load, tools, children }: PanelProps) {
  const missing = scope !== undefined && !hasScope(scope);
  const isAbsent = load?.error?.reason === 'FLEET_DENIED';
  return (
    <section class="panel" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <div class="row">
          {!missing && !isAbsent && tools}
          {!missing && !isAbsent && load && (
            <Button
              label={`Reload ${title.toLowerCase()}`}
              icon="reload"
              iconOnly
              busy={load.busy && load.answer !== undefined}
              onClick={load.reload}
            />
          )}
        </div>
      </header>
      {missing ? (
        <MissingScope scope={scope} />
      ) : isAbsent ? (
        <NotInFleet />
      ) : (
        <>
          {load?.error && <Failure error={load.error} retry={load.reload} />}
          {load && load.answer === undefined && !load.error ? <p class="muted">Loading…</p> : children}
        </>
      )}
    </section>
  );
}

export function MissingScope({ scope }: { scope: Scope }) {
  const { remote, fleet } = useStore(login);
  if (frame === 'pipe') {
    return (
      <p class="muted missing-scope">
        A side panel has no scope for this. Open <code>browse dashboard</code> for it.
      </p>
    );
  }
  const wanted = ['read', 'write', 'meta', ...(scope === 'admin' ? ['admin'] : ['control'])].join(',');
  if (fleet) {
    return (
      <p class="muted missing-scope">
        This needs a token with more: sign in to the fleet with one, then run{' '}
        <code>browse --remote &lt;name&gt; dashboard --scope {wanted}</code>
      </p>
    );
  }
  if (remote) {
    return (
      <p class="muted missing-scope">
        This needs a pairing with more: where the browser is, run{' '}
        <code>
          browse pair new &lt;name&gt; --dashboard --scope {wanted}
        </code>
      </p>
    );
  }
  return (
    <p class="muted missing-scope">
      This needs a link made with <code>browse dashboard --scope {wanted}</code>
    </p>
  );
}

/** What concerns one machine, and its user. */
export function NotInFleet() {
  return <p class="muted">A fleet does not have this.</p>;
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="muted">{children}</p>;
}
