// Whether an element is on the screen.

import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

export function useVisible(ref: RefObject<Element | null>): boolean {
  const [isVisible, setVisible] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new IntersectionObserver((entries) => setVisible(entries.at(-1)?.isIntersecting ?? false), {
      rootMargin: '64px',
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return isVisible;
}
