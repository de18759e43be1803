// The elements that agents can act on: boxes over the picture, and a list beside it.

import { useState } from 'preact/hooks';
import { call } from '../rpc/client.ts';
import { asCallError, type CallError } from '../rpc/error.ts';

interface SnapshotNode {
  ref: string;
  role: string;
  name: string;
  frame: string;
  box?: { x: number; y: number; width: number; height: number };
}

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
    call<{ nodes: SnapshotNode[] }>(
      'BrowserService/Snapshot',
      { interactive: true, nodes: true },
      { session, tab },
    ).then(
      ({ nodes }) => setState((now) => (now.isOn ? { ...now, nodes: nodes.filter((node) => node.ref) } : now)),
      (cause) => setState((now) => (now.isOn ? { ...now, error: asCallError(cause) } : now)),
    );
  };
  const toggle = () => (state.isOn ? setState(OFF) : reload());
  return { ...state, toggle, reload };
}

/** Boxes of the main frame; those of other frames are relative to a frame whose place is unknown. */
export function RefBoxes({ refs, width, height }: { refs: Refs; width: number; height: number }) {
  if (!refs.nodes || !width || !height) return null;
  return (
    <div class="ref-boxes" aria-hidden="true">
      {refs.nodes.map(
        ({ ref, box, frame }) =>
          box &&
          !frame && (
            <span
              class="ref-box"
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

export function RefList({ refs }: { refs: Refs }) {
  if (!refs.isOn || refs.error) return null;
  return (
    <aside class="ref-list" aria-label="Refs">
      {refs.nodes ? (
        <ul tabIndex={0} aria-label="Elements">
          {refs.nodes.map(({ ref, role, name }) => (
            <li>
              <code>{ref}</code> <span class="muted">{role}</span> {name}
            </li>
          ))}
        </ul>
      ) : (
        <p class="muted">Loading the refs…</p>
      )}
    </aside>
  );
}
