// A file that differs: its lines as text, each with its sign.

import type { SkillFileDiff } from '../rpc/contract.ts';

type LineKind = 'added' | 'removed' | 'place' | 'same';

/** Lines of one kind that stand together. */
interface LineBlock {
  kind: LineKind;
  text: string;
}

const CHIPS: Record<string, string> = { added: 'good', removed: 'bad', changed: 'warn' };

export function FileDiff({ file, lines }: { file: SkillFileDiff; lines: string[] }) {
  return (
    <article class="file-diff" aria-label={`${file.change} ${file.path}`}>
      <h4>
        <span class={`chip ${CHIPS[file.change] ?? ''}`}>{file.change}</span> <code>{file.path}</code>
      </h4>
      {file.note && <p class={file.binary ? 'problem' : 'muted'}>{file.note}</p>}
      {lines.length > 0 && (
        <pre class="diff" tabIndex={0} role="region" aria-label={`Lines of ${file.path}`}>
          {blocksOf(lines).map(blockOf)}
        </pre>
      )}
    </article>
  );
}

function blockOf({ kind, text }: LineBlock) {
  if (kind === 'added') return <ins>{text}</ins>;
  return kind === 'removed' ? <del>{text}</del> : <span class={kind}>{text}</span>;
}

/** A file may have many thousand lines, but few changes from one kind to another. */
function blocksOf(lines: string[]): LineBlock[] {
  const blocks: LineBlock[] = [];
  for (const line of lines) {
    const kind = kindOf(line);
    const last = blocks.at(-1);
    if (last?.kind === kind) last.text += `${line}\n`;
    else blocks.push({ kind, text: `${line}\n` });
  }
  return blocks;
}

/** Within a hunk the first sign says what a line is, whatever the file holds. */
function kindOf(line: string): LineKind {
  switch (line[0]) {
    case '+':
      return 'added';
    case '-':
      return 'removed';
    case '@':
      return 'place';
    default:
      return 'same';
  }
}
