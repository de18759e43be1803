// A QR code: dark modules on a light ground in both themes, since readers expect that.

import { useMemo } from 'preact/hooks';
import qrcode from 'qrcode-generator';

/** Modules around the code that stay light. */
const QUIET = 4;
/** A code of more bytes has modules that are too small for a camera. */
const MAX_BYTES = 1_000;

qrcode.stringToBytes = (text) => [...new TextEncoder().encode(text)];

/** `label` is what a screen reader reads in its place. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const code = useMemo(() => drawingOf(text), [text]);
  if (!code) return <p class="muted">The text is too long for a QR code.</p>;
  const { size, path } = code;
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#ffffff" />
      <path d={path} fill="#000000" />
    </svg>
  );
}

/** Nothing for a text that is too long. */
function drawingOf(text: string): { size: number; path: string } | undefined {
  if (new TextEncoder().encode(text).length > MAX_BYTES) return undefined;
  const code = qrcode(0, 'M');
  code.addData(text, 'Byte');
  code.make();
  const count = code.getModuleCount();
  const numbers = Array.from({ length: count }, (_, index) => index);
  const modules = numbers.flatMap((row) =>
    numbers
      .filter((column) => code.isDark(row, column))
      .map((column) => `M${column + QUIET} ${row + QUIET}h1v1h-1z`),
  );
  return { size: count + 2 * QUIET, path: modules.join('') };
}
