// Lies over the picture of a tab, and takes a point of the page: by a click, or by the keyboard.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { pointOn, wheelBy } from '../control/points.ts';

const STEP_PX = 10;
const PAGE_STEP_PX = 100;

/** How far a key moves the point, in steps. */
const KEYS: Record<string, [dx: number, dy: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
const PAGE_KEYS: Record<string, number> = { PageUp: -PAGE_STEP_PX, PageDown: PAGE_STEP_PX };

interface PointPickerProps {
  label: string;
  /** Id of the element that says how it is used. */
  help: string;
  /** Size of the viewport, in CSS pixels. */
  width: number;
  height: number;
  /** Whether something over it has the focus. */
  isCovered?: boolean;
  onPick: (point: { x: number; y: number }) => void;
  onWheel?: (turn: { dx: number; dy: number }) => void;
  children?: ComponentChildren;
}

export function PointPicker({ label, help, width, height, isCovered, onPick, onWheel, children }: PointPickerProps) {
  const area = useRef<HTMLDivElement>(null);
  const [point, setPoint] = useState({ x: Math.round(width / 2), y: Math.round(height / 2) });
  useEffect(() => {
    // It also comes back when the picture does: then the person may be writing in the pane.
    if (!isCovered && !document.activeElement?.closest('.inspect-pane')) area.current?.focus({ preventScroll: true });
  }, [isCovered]);
  const move = (dx: number, dy: number) =>
    setPoint(({ x, y }) => ({ x: clamp(x + dx, width), y: clamp(y + dy, height) }));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const step = event.shiftKey ? 1 : STEP_PX;
    const [dx, dy] = KEYS[event.key] ?? [0, 0];
    if (dx || dy) move(dx * step, dy * step);
    else if (PAGE_KEYS[event.key]) move(0, PAGE_KEYS[event.key] ?? 0);
    else if (event.key === 'Enter' || event.key === ' ') onPick(point);
    else return;
    event.preventDefault();
  };
  const onClick = (event: MouseEvent) => {
    if (!area.current) return;
    const { x, y } = pointOn(area.current, event, width, height);
    const clicked = { x: Math.round(x), y: Math.round(y) };
    setPoint(clicked);
    onPick(clicked);
  };
  const turn = (event: WheelEvent) => {
    if (!onWheel) return;
    event.preventDefault();
    onWheel(wheelBy(event, height));
  };
  return (
    <div
      ref={area}
      class="picker"
      role="application"
      aria-label={label}
      aria-describedby={help}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onClick={onClick}
      onWheel={turn}
    >
      {children}
      <span
        class="crosshair"
        aria-hidden="true"
        style={{ left: `${(point.x / width) * 100}%`, top: `${(point.y / height) * 100}%` }}
      />
      <span class="visually-hidden" role="status">
        {point.x} from the left, {point.y} from the top
      </span>
    </div>
  );
}

/** Frames a box of the page, in CSS pixels of the viewport. */
export function ElementFrame({
  box,
  width,
  height,
}: {
  box: { x: number; y: number; width: number; height: number } | undefined;
  width: number;
  height: number;
}) {
  if (!box) return null;
  return (
    <span
      class="inspected-frame"
      aria-hidden="true"
      style={{
        left: `${(box.x / width) * 100}%`,
        top: `${(box.y / height) * 100}%`,
        width: `${(box.width / width) * 100}%`,
        height: `${(box.height / height) * 100}%`,
      }}
    />
  );
}

function clamp(value: number, size: number): number {
  return Math.min(Math.max(value, 0), size - 1);
}
