// Points of the screen as points of a page.

/** Where a pointer is, in CSS pixels of the viewport of a page of this size. */
export function pointOn(element: Element, event: MouseEvent, width: number, height: number): { x: number; y: number } {
  const box = element.getBoundingClientRect();
  if (box.width === 0 || box.height === 0) return { x: 0, y: 0 };
  const x = ((event.clientX - box.left) / box.width) * width;
  const y = ((event.clientY - box.top) / box.height) * height;
  return { x: within(x, width), y: within(y, height) };
}

const LINE_PX = 40;

/** How far a wheel was turned, in CSS pixels. */
export function wheelBy(event: WheelEvent, pageHeight: number): { dx: number; dy: number } {
  const unit =
    event.deltaMode === WheelEvent.DOM_DELTA_LINE
      ? LINE_PX
      : event.deltaMode === WheelEvent.DOM_DELTA_PAGE
        ? pageHeight
        : 1;
  return { dx: event.deltaX * unit, dy: event.deltaY * unit };
}

function within(value: number, size: number): number {
  return Math.round(Math.max(0, Math.min(size - 1, value)) * 10) / 10;
}
