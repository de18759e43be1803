// Takes the point to inspect, and frames the element that is inspected.

import { ElementFrame, PointPicker } from './pointPicker.tsx';
import type { Inspector } from './useInspector.ts';

interface PickerProps {
  inspector: Inspector;
  /** Size of the viewport, in CSS pixels. */
  width: number;
  height: number;
}

export function Picker({ inspector, width, height }: PickerProps) {
  return (
    <PointPicker
      label="Point of the page to inspect"
      help="picker-help"
      width={width}
      height={height}
      onPick={inspector.pick}
    >
      <ElementFrame box={inspector.element?.box?.border_box} width={width} height={height} />
    </PointPicker>
  );
}
