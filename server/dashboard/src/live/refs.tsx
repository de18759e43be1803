// The elements that agents can act on: boxes over the picture, and a list beside it.

import { useState } from 'preact/hooks';
import { call } from '../rpc/client.ts';
import type { SnapshotNode } from '../rpc/contract.ts';
import { asCallError, type CallError } from '../rpc/error.ts';
import { RefRows } from './refRows.tsx';

export interface Refs {
  isOn: boolean;
  nodes: SnapshotNode[] | undefined;
  error: CallError | undefined;
  toggle: () => void;
  reload: () => void;
}

const OFF = { isOn: false, nodes: undefined, error: undefined };

export function useRefs(session: string, tab: string): Refs {
  const [state, setState] = useState<Pick<Refs, 'isOn' | 'nodes' | 'error'>>(OFF);
  const reload = () => {
    setState({ ...OFF, isOn: true });
    call('BrowserService/Snapshot', { interactive: true, nodes: true }, { session, tab }).then(
      ({ nodes }) => setState((now) => (now.isOn ? { ...now, nodes: nodes.filter((node) => node.ref) } : now)),
      (cause) => setState((now) => (now.isOn ? { ...now, error: asCallError(cause) } : now)),
    );
  };
  const toggle = () => (state.isOn ? setState(OFF) : reload());
  return { ...state, toggle, reload };
}

/** Boxes of the main frame; those of other frames are relative to a frame whose place is unknown. */
export function RefBoxes({
  refs,
  width,
  height,
  pointed,
}: {
  refs: Refs;
  width: number;
  height: number;
  /** The ref that is pointed at in the list. */
  pointed: string | undefined;
}) {
  if (!refs.nodes || !width || !height) return null;
  return (
    <div class="ref-boxes" aria-hidden="true">
      {refs.nodes.map(
        ({ ref, box, frame }) =>
          box &&
          !frame && (
            <span
              class={ref === pointed ? 'ref-box pointed' : 'ref-box'}
              style={{
                left: `${(box.x / width) * 100}%`,
                top: `${(box.y / height) * 100}%`,
                width: `${(box.width / width) * 100}%`,
                height: `${(box.height / height) * 100}%`,
              }}
            >
              <span>{ref}</span>
            </span>
          ),
      )}
    </div>
  );
}

export function RefList({ refs, onPoint }: { refs: Refs; onPoint: (ref: string | undefined) => void }) {
  if (!refs.isOn || refs.error) return null;
  return (
    <aside class="ref-list" aria-label="Refs">
      {refs.nodes ? (
        <RefRows nodes={refs.nodes} onPoint={onPoint} />
      ) : (
        <p class="muted">Loading the refs…</p>
      )}
    </aside>
  );
}
