// The colours of a terminal, after those of the page.

import type { ITheme } from '@xterm/xterm';

/** Black, red, green, yellow, blue, magenta, cyan, white, and the same bright. */
const LIGHT =
  '24292f cf222e 116329 4d2d00 0969da 8250df 1b7c83 57606a 424a53 a40e26 1a7f37 633c01 218bff a475f9 3192aa 6e7781';
const DARK =
  '484f58 ff7b72 3fb950 d29922 58a6ff bc8cff 39c5cf b1bac4 6e7681 ffa198 56d364 e3b341 79c0ff d2a8ff 56d4dd f0f6fc';

const NAMES = [
  ...['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'],
  ...['brightBlack', 'brightRed', 'brightGreen', 'brightYellow'],
  ...['brightBlue', 'brightMagenta', 'brightCyan', 'brightWhite'],
] as (keyof ITheme)[];

/** The theme for what stands in `host`. */
export function themeFor(host: HTMLElement): ITheme {
  const style = getComputedStyle(host);
  const isDark = luminance(style.backgroundColor) < 128;
  const colors = (isDark ? DARK : LIGHT).split(' ');
  return {
    ...Object.fromEntries(NAMES.map((name, index) => [name, `#${colors[index]}`])),
    background: style.backgroundColor,
    foreground: style.color,
    cursor: style.color,
    cursorAccent: style.backgroundColor,
    selectionBackground: isDark ? '#3a5f8a' : '#b6d3f5',
  };
}

/** From 0 to 255, of a color such as `rgb(1, 2, 3)`. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map(Number);
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}
