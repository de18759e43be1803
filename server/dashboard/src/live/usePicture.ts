// Draws the pictures of a tab to a canvas while it is on the screen.

import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ViewTabsResponse } from '../rpc/contract.ts';
import { watchTab } from '../state/pictures.ts';
import { Painter } from './painter.ts';

/** What is known of the last picture, apart from its bytes. */
export type PictureInfo = Pick<ViewTabsResponse, 'state' | 'width' | 'height' | 'time'>;

export function usePicture(
  ref: RefObject<HTMLCanvasElement | null>,
  tab: string,
  isVisible: boolean,
): PictureInfo | undefined {
  const [info, setInfo] = useState<PictureInfo>();
  useEffect(() => {
    const canvas = ref.current;
    if (!isVisible || !canvas) return;
    const painter = new Painter(canvas);
    return watchTab(tab, (picture) => {
      if (picture.jpeg) painter.offer(picture.jpeg);
      else if (picture.state === 'held' || picture.state === 'closed') painter.clear();
      setInfo((before) => nextInfo(before, picture));
    });
  }, [tab, isVisible]);
  return info;
}

function nextInfo(before: PictureInfo | undefined, { state, width, height, time }: ViewTabsResponse): PictureInfo {
  // A message without a picture has no size of its own.
  return {
    state,
    width: width || before?.width || 0,
    height: height || before?.height || 0,
    time: time || before?.time || '',
  };
}
