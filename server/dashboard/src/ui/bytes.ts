// Sizes as people read them.

const UNITS = ['B', 'KiB', 'MiB', 'GiB'];

/** Takes 64-bit numbers of JSON too, which are text. */
export function bytesText(value: number | string | undefined): string {
  if (value === undefined) return '–';
  let size = Number(value);
  let unit = 0;
  for (; size >= 1024 && unit < UNITS.length - 1; unit += 1) size /= 1024;
  return `${size < 10 && unit > 0 ? size.toFixed(1) : Math.round(size)} ${UNITS[unit]}`;
}
