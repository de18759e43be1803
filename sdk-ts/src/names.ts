// File names that a page or a server chose, made harmless. The rules are those of
// the command line.

/** Longest name, in bytes: there is room for a number, and for a draft's name. */
const MAX_NAME = 120;

/** Marks of direction, zero-width letters and tags: they make a name read as another one. */
const INVISIBLE =
  /[\p{Cc}\u{ad}\u{61c}\u{180e}\u{200b}-\u{200f}\u{2028}-\u{202e}\u{2060}-\u{206f}\u{fe00}-\u{fe0f}\u{feff}\u{fff9}-\u{fffb}\u{e0000}-\u{e0fff}]/gu;

/** Names that are devices on Windows, where a folder may be looked at too. */
const DEVICE = /^(con|prn|aux|nul|(com|lpt)[^0])$/iu;

/**
 * A plain file name out of `wanted`: its last component, without what other
 * systems refuse, what hides or what drives a terminal. Never empty, never a
 * path, never hidden, never a flag.
 */
export function safeName(wanted: string): string {
  const last = wanted.split(/[/\\]/).filter((part) => part.trim()).pop() ?? '';
  const plain = last.replace(/[<>:"|?*]/g, '_').replace(INVISIBLE, '').replace(/\s/gu, ' ').replace(/^[ .]+|[ .]+$/g, '');
  const name = short(plain.replace(/^[-~]/, '_'));
  const stem = (name.split('.')[0] ?? '').trimEnd();
  return DEVICE.test(stem) ? `_${name}` : name || 'download';
}

/** Cuts the stem, and keeps the extension. */
function short(name: string): string {
  const bytes = (text: string) => new TextEncoder().encode(text).length;
  if (bytes(name) <= MAX_NAME) return name;
  const dot = name.lastIndexOf('.');
  const end = dot > 0 && bytes(name.slice(dot)) <= 13 ? name.slice(dot) : '';
  const stem = new TextEncoder().encode(name.slice(0, name.length - end.length)).subarray(0, MAX_NAME - bytes(end));
  // What was cut in two is left out.
  return new TextDecoder().decode(stem).replace(/[\ufffd .]+$/, '') + end;
}
