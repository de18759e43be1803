// Where this page runs, as its document says.

/**
 * page: at the address of the daemon; pipe: in the side panel of a window of browse, which
 * reaches the daemon over the pipe to its browser; link: in the extension of the browser that
 * the person uses, which reaches it by a link.
 */
export type Frame = 'page' | 'pipe' | 'link';

export const frame: Frame = read();

document.documentElement.dataset.frame = frame;

function read(): Frame {
  const content = document.querySelector('meta[name="browse-transport"]')?.getAttribute('content');
  return content === 'pipe' || content === 'link' ? content : 'page';
}
