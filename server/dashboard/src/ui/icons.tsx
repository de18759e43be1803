// Icons, drawn on a grid of 16 by 16 with the colour of the text.

const PATHS = {
  panel: 'M2 3h12v10H2zM9.5 3v10M11 5.5h1.5M11 8h1.5',
  live: 'M2 3.5h5v4H2zM9 3.5h5v4H9zM2 9.5h5v3H2zM9 9.5h5v3H9z',
  talk: 'M2 3h9v6H6.5L4 11.5V9H2zM13 6v5.5h-1.5v2L9 11.5H7.5',
  approvals: 'M3 8.5l3 3 7-7',
  timeline: 'M2 4h3M2 8h7M2 12h5M7.5 4H14M11.5 8H14M9.5 12H14',
  skills: 'M4 2.5h6l2.5 2.5v8.5H4zM10 2.5V5h2.5M6 8h4.5M6 10.5h4.5',
  sessions: 'M3 6.5h10v7H3zM5.5 6.5V4.7a2.5 2.5 0 0 1 5 0v1.8M8 9.3v1.6',
  terminal: 'M2 3h12v10H2zM4.5 6l2 2-2 2M8 10h3.5',
  system: 'M2 11.5l3-4 2.5 2.5 3-5.5 3.5 7',
  back: 'M9.5 3.5L5 8l4.5 4.5',
  forward: 'M6.5 3.5L11 8l-4.5 4.5',
  reload: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3',
  stop: 'M4.5 4.5h7v7h-7z',
  close: 'M4 4l8 8M12 4l-8 8',
  camera: 'M2 5h3l1-1.5h4L11 5h3v7.5H2zM8 6.6a2 2 0 1 0 0 4 2 2 0 0 0 0-4',
  document: 'M4 2.5h5.5L12 5v8.5H4zM8 6.5v4.5M6 9l2 2 2-2',
  refs: 'M3 3h4v4H3zM9 9h4v4H9zM9 4.5h4M3 11h4',
  inspect: 'M8 1.5v4M8 10.5v4M1.5 8h4M10.5 8h4M8 4.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7',
  edit: 'M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3zM9.3 4.4l2.3 2.3',
  hand: 'M5 8V4a1 1 0 0 1 2 0v3.5V3a1 1 0 0 1 2 0v4.5V4a1 1 0 0 1 2 0v6a3.5 3.5 0 0 1-6.4 2L3 9.5a1 1 0 0 1 1.6-1.1z',
  keyboard: 'M1.5 4.5h13v7h-13zM4 7h.01M6.5 7h.01M9 7h.01M11.5 7h.01M5 9.3h6',
  theme: 'M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11',
  bell: 'M4 11.5V7a4 4 0 0 1 8 0v4.5M2.5 11.5h11M7 13.8h2',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3.5l7 4.5-7 4.5z',
  record: 'M8 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8',
  clean: 'M10 2.5L8 7M5 7h6l1.5 6.5h-9zM6.5 10.5v3M9.5 10.5v3',
  grid: 'M2.5 3h11M2.5 8h11M2.5 13h11',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
