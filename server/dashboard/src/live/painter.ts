// Draws the pictures of a tab to a canvas: the newest one, while others are still decoded.

import { fromBase64 } from '../rpc/base64.ts';

export class Painter {
  readonly #canvas: HTMLCanvasElement;
  #next: string | undefined;
  #isDrawing = false;

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
  }

  /** Takes a JPEG, as base64; one that waits is dropped for it. */
  offer(jpeg: string): void {
    this.#next = jpeg;
    if (!this.#isDrawing) void this.#draw();
  }

  clear(): void {
    this.#next = undefined;
    this.#canvas.getContext('2d')?.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    delete this.#canvas.dataset.drawn;
  }

  async #draw(): Promise<void> {
    this.#isDrawing = true;
    for (let jpeg = this.#take(); jpeg !== undefined; jpeg = this.#take()) {
      const bitmap = await decode(jpeg);
      if (bitmap && this.#next === undefined) this.#paint(bitmap);
      bitmap?.close();
    }
    this.#isDrawing = false;
  }

  #take(): string | undefined {
    const jpeg = this.#next;
    this.#next = undefined;
    return jpeg;
  }

  #paint(bitmap: ImageBitmap): void {
    const canvas = this.#canvas;
    if (canvas.width !== bitmap.width) canvas.width = bitmap.width;
    if (canvas.height !== bitmap.height) canvas.height = bitmap.height;
    canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
    canvas.dataset.drawn = String(Number(canvas.dataset.drawn ?? '0') + 1);
  }
}

/** The picture; nothing where the bytes are not one. */
async function decode(jpeg: string): Promise<ImageBitmap | undefined> {
  try {
    return await createImageBitmap(new Blob([fromBase64(jpeg)], { type: 'image/jpeg' }));
  } catch {
    return undefined;
  }
}
