// Lies over the picture of a tab while a demonstration runs: takes clicks and turns of the wheel, and
// the text for a field where the field is.

import { useEffect, useRef } from 'preact/hooks';
import { ElementFrame, PointPicker } from '../inspect/pointPicker.tsx';
import { useStore } from '../state/store.ts';
import type { Demonstrator, OpenField } from './demonstrator.ts';

/** Of the field for a text, in CSS pixels of the screen. It covers little else of the page: what lies
 * under it cannot be clicked. */
const MIN_WIDTH = 72;
const MIN_HEIGHT = 24;

interface LayerProps {
  demonstrator: Demonstrator;
  tab: string;
  /** Size of the viewport, in CSS pixels. */
  width: number;
  height: number;
}

export function DemonstrationLayer({ demonstrator, tab, width, height }: LayerProps) {
  const { field, isReading } = useStore(demonstrator.state);
  const open = field?.tab === tab ? field : undefined;
  return (
    <>
      <PointPicker
        label={isReading ? 'Point of the text to read' : 'Point of the page to click'}
        help="demonstration-help"
        width={width}
        height={height}
        isCovered={open !== undefined}
        onPick={(point) => demonstrator.click(tab, point)}
        onWheel={(turn) => demonstrator.scroll(tab, turn)}
      >
        <ElementFrame box={open?.box} width={width} height={height} />
      </PointPicker>
      {open && (open.kind === 'text' || open.kind === 'secret') && (
        <TextEditor key={open.ref} demonstrator={demonstrator} field={open} width={width} height={height} />
      )}
    </>
  );
}

interface EditorProps {
  demonstrator: Demonstrator;
  field: OpenField;
  width: number;
  height: number;
}

/** The whole text that the field gets. It is sent by Enter or Tab, or when something else gets the focus. */
function TextEditor({ demonstrator, field, width, height }: EditorProps) {
  const element = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  useEffect(() => {
    element.current?.focus({ preventScroll: true });
    element.current?.select();
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing || event.altKey || event.metaKey) return;
    if (event.key === 'Enter' && (!field.isMultiline || event.ctrlKey)) demonstrator.commit('Enter');
    else if (event.key === 'Tab') demonstrator.commit();
    else if (event.key === 'Escape') demonstrator.closeField();
    else return;
    event.preventDefault();
  };
  const shared = {
    ref: element,
    class: 'demonstration-text',
    'aria-label': `Text for ${field.label}`,
    'aria-describedby': 'demonstration-keys',
    autoComplete: 'off',
    autoCapitalize: 'off' as const,
    spellcheck: false,
    value: field.text,
    style: placeOn(field, width, height),
    onKeyDown,
    onBlur: () => demonstrator.commit(),
    onInput: (event: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      demonstrator.type(event.currentTarget.value),
  };
  if (field.kind === 'secret') return <input type="password" {...shared} />;
  return field.isMultiline ? <textarea {...shared} /> : <input type="text" {...shared} />;
}

/** Over the field, and within the picture. */
function placeOn({ box }: OpenField, width: number, height: number): Record<string, string> {
  const { x, y, ...size } = box ?? { x: 0, y: 0, width: 0, height: 0 };
  return {
    left: `max(0px, min(${(x / width) * 100}%, 100% - ${MIN_WIDTH}px))`,
    top: `max(0px, min(${(y / height) * 100}%, 100% - ${MIN_HEIGHT}px))`,
    width: `max(${MIN_WIDTH}px, ${(size.width / width) * 100}%)`,
    height: `max(${MIN_HEIGHT}px, ${(size.height / height) * 100}%)`,
  };
}
