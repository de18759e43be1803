// The box of a question of the page. It gets the focus when this page can answer it, and no
// button of it does: a key that was meant for the page must not answer. The choices of a list are
// reached as in the browser: by the arrows, Home, End, and the letters that one begins with.

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

export function Question({
  label,
  title,
  canAnswer,
  onCancel,
  children,
}: {
  label: string;
  title: string;
  canAnswer: boolean;
  /** Escape closes it without an answer. */
  onCancel?: () => void;
  children: ComponentChildren;
}) {
  const box = useRef<HTMLElement>(null);
  // With the first picture of the box: a key that comes at once is for it.
  useLayoutEffect(() => {
    if (canAnswer) box.current?.focus({ preventScroll: true });
  }, [canAnswer]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    if (event.key === 'Escape' && onCancel) onCancel();
    else if (!focusChoice(event.currentTarget as HTMLElement, event.key)) return;
    event.preventDefault();
  };
  return (
    <section
      ref={box}
      class="page-question"
      role="group"
      aria-label={label}
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      <h2>{title}</h2>
      {children}
      {!canAnswer && <p class="muted">Take control to answer.</p>}
    </section>
  );
}

/** Gives the focus to the choice that a key leads to; false when it leads to none. */
function focusChoice(box: HTMLElement, key: string): boolean {
  const choices = [...box.querySelectorAll<HTMLButtonElement>('.choice:not(:disabled)')];
  const last = choices.length - 1;
  const current = choices.findIndex((choice) => choice === document.activeElement);
  // Without the focus on one, the arrows begin at the one that is chosen.
  const start = Math.max(choices.findIndex((choice) => choice.ariaPressed === 'true'), 0);
  const next = {
    ArrowDown: current < 0 ? start : Math.min(current + 1, last),
    ArrowUp: current < 0 ? start : Math.max(current - 1, 0),
    Home: 0,
    End: last,
  }[key];
  const found = next !== undefined ? choices[next] : beginningWith(choices, current, key);
  found?.focus();
  return found !== undefined;
}

/** The next choice after `current` that begins with a letter. */
function beginningWith(choices: HTMLButtonElement[], current: number, key: string): HTMLButtonElement | undefined {
  if ([...key].length !== 1 || key === ' ') return undefined;
  const inOrder = [...choices.slice(current + 1), ...choices.slice(0, current + 1)];
  return inOrder.find((choice) => choice.textContent?.trim().toLowerCase().startsWith(key.toLowerCase()));
}
