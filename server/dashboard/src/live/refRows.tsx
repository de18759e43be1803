// The elements that agents can act on, as a list. One of them is pointed at: by the mouse, or
// with the arrow keys.

import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { SnapshotNode } from '../rpc/contract.ts';

interface RefRowsProps {
  nodes: SnapshotNode[];
  /** Gets the ref that is pointed at; nothing when none is any more. */
  onPoint: (ref: string | undefined) => void;
}

const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 };

export function RefRows({ nodes, onPoint }: RefRowsProps) {
  const list = useRef<HTMLUListElement>(null);
  const id = useId();
  const [at, setAt] = useState<number>();
  const point = (index: number | undefined) => {
    setAt(index);
    onPoint(index === undefined ? undefined : nodes[index]?.ref);
  };
  useEffect(() => () => onPoint(undefined), []);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (event.key === 'Escape') point(undefined);
    if (step === undefined || nodes.length === 0) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(nodes.length - 1, (at ?? -1) + step));
    point(next);
    list.current?.children[next]?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <ul
      ref={list}
      class="ref-rows"
      role="listbox"
      aria-label="Elements"
      aria-activedescendant={at === undefined ? undefined : `${id}-${at}`}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onFocus={() => at === undefined && nodes.length > 0 && point(0)}
      onBlur={() => point(undefined)}
      onMouseLeave={() => point(undefined)}
    >
      {nodes.map(({ ref, role, name }, index) => (
        <li
          key={ref}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === at}
          onMouseEnter={() => point(index)}
        >
          <code>{ref}</code> <span class="muted">{role}</span> {name}
        </li>
      ))}
    </ul>
  );
}
