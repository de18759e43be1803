// The box of an element, drawn: margin around border around padding around content.

import type { ComponentChildren } from 'preact';
import type { BoxModel, Sides } from '../rpc/contract.ts';
import { boxText, pixelText } from './words.ts';

export function BoxDrawing({ box }: { box: BoxModel | undefined }) {
  if (!box) return <p class="muted">It is not rendered, so it has no box.</p>;
  return (
    <div class="box-model" role="img" aria-label={`Box: ${boxText(box)}`}>
      <Ring name="margin" sides={box.margin}>
        <Ring name="border" sides={box.border}>
          <Ring name="padding" sides={box.padding}>
            <span class="box-content">
              {pixelText(box.content_width)} × {pixelText(box.content_height)}
            </span>
          </Ring>
        </Ring>
      </Ring>
    </div>
  );
}

function Ring({ name, sides, children }: { name: string; sides: Sides | undefined; children: ComponentChildren }) {
  const text = (side: keyof Sides) => pixelText(sides?.[side] ?? 0);
  return (
    <div class={`box-ring box-${name}`}>
      <span class="box-name">{name}</span>
      <span class="box-top">{text('top')}</span>
      <span class="box-left">{text('left')}</span>
      <div class="box-inner">{children}</div>
      <span class="box-right">{text('right')}</span>
      <span class="box-bottom">{text('bottom')}</span>
    </div>
  );
}
