// The changes of styles in a tab that are in force, each with a way back.

import { Button } from '../ui/button.tsx';
import type { Inspector } from './useInspector.ts';
import { changeText } from './words.ts';

export function ChangeList({ inspector }: { inspector: Inspector }) {
  const { changes, isBusy, undo } = inspector;
  if (changes.length === 0) return null;
  return (
    <section class="inspect-part" aria-label="Changes">
      <h3>Changes</h3>
      <ul class="declarations">
        {changes.map((change) => (
          <li key={change.id}>
            <span>
              <span class="muted">
                {change.id} {change.ref}
              </span>{' '}
              <code>{changeText(change)}</code>
            </span>
            <Button label={`Undo ${change.id}`} scope="admin" disabled={isBusy} onClick={() => undo(change.id)} />
          </li>
        ))}
      </ul>
    </section>
  );
}
