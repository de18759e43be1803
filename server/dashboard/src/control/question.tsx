// The box of a question of the page. It gets the focus when this page can answer it, and no
// button of it does: a key that was meant for the page must not answer.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export function Question({
  label,
  title,
  canAnswer,
  children,
}: {
  label: string;
  title: string;
  canAnswer: boolean;
  children: ComponentChildren;
}) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    if (canAnswer) box.current?.focus({ preventScroll: true });
  }, [canAnswer]);
  return (
    <section ref={box} class="page-question" role="group" aria-label={label} tabIndex={-1}>
      <h2>{title}</h2>
      {children}
      {!canAnswer && <p class="muted">Take control to answer.</p>}
    </section>
  );
}
