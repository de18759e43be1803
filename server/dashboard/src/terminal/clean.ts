// Text that goes into a terminal as if it was typed: nothing in it acts on the terminal.

const LINE_ENDS = /\r\n?/g;
/** What encloses a pasted text, in both forms. */
const BRACKETS = /(?:\u001b\[|\u009b)20[01]~/g;
/** Control, format and private characters, which nobody sees; line ends and tabs stay. */
const INVISIBLE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u2028\u2029]/gu;

/** The text without what nobody sees, and without blanks and line ends behind it. */
export function cleanText(text: string): string {
  return text.replace(LINE_ENDS, '\n').replace(BRACKETS, '').replace(INVISIBLE, '').trimEnd();
}

/**
 * What is typed for a clean text, so that nothing of it is run before the person presses Enter:
 * one line, marked as pasted where the program seems to know such marks. What it knows was
 * learned from its output, which a file that was printed can forge: the marks alone protect nobody.
 */
export function pasteOf(text: string, knowsPastes: boolean): string {
  return marked(text.replace(/\s*[\n\t]\s*/g, ' '), knowsPastes);
}

/** What is typed when the person pastes from the clipboard. */
export function ownPasteOf(text: string, knowsPastes: boolean): string {
  const clean = text.replace(LINE_ENDS, '\n').replace(BRACKETS, '').replace(INVISIBLE, '');
  return marked(clean.replaceAll('\n', '\r'), knowsPastes);
}

function marked(text: string, knowsPastes: boolean): string {
  return knowsPastes ? `\u001b[200~${text}\u001b[201~` : text;
}
