// The largest size of a picture that fits where it stands.

import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { PictureInfo } from './usePicture.ts';

const NO_PICTURE = { width: 16, height: 10 };
/** What stands below the picture: a line of facts, and the edge of the page. */
const BELOW_PX = 60;
const MIN_HEIGHT_PX = 220;

/** Width and height of the picture in CSS pixels, within the width of `ref` and the window. */
export function useFitted(
  ref: RefObject<HTMLElement | null>,
  info: PictureInfo | undefined,
): { width: number; height: number } {
  const [room, setRoom] = useState({ width: 0, height: 0 });
  const measure = () => {
    const element = ref.current;
    if (!element) return;
    const top = element.getBoundingClientRect().top + window.scrollY;
    const [width, height] = [
      element.clientWidth,
      Math.max(MIN_HEIGHT_PX, Math.floor(window.innerHeight - top - BELOW_PX)),
    ];
    setRoom((before) => (before.width === width && before.height === height ? before : { width, height }));
  };
  // What stands above may have changed with any rendering.
  useLayoutEffect(measure);
  useLayoutEffect(() => {
    if (!ref.current) return;
    const observer = new ResizeObserver(measure);
    observer.observe(ref.current);
    window.addEventListener('resize', measure);
    return () => {
      observer.disconnect();
      window.removeEventListener('resize', measure);
    };
  }, []);
  const page = info && info.width > 0 && info.height > 0 ? info : NO_PICTURE;
  const scale = Math.min(room.width / page.width, room.height / page.height);
  return { width: Math.floor(page.width * scale), height: Math.floor(page.height * scale) };
}
