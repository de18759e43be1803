// Times as people read them.

import { useEffect, useReducer } from 'preact/hooks';

/** `12 s`, `4 min`, `3 h`, `2 d`. */
export function durationText(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** `14 min 05 s` until a time. */
export function remainingText(until: string): string {
  const seconds = Math.max(0, Math.ceil((Date.parse(until) - Date.now()) / 1000));
  if (seconds >= 3600) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

export function agoText(time: string): string {
  return `${durationText(Date.now() - Date.parse(time))} ago`;
}

export function clockText(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : date.toLocaleTimeString(undefined, { hour12: false });
}

export function dateText(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime())
    ? time
    : date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short', hour12: false });
}

/** Renders the component again every second. */
export function useSeconds(): void {
  const [, tick] = useReducer((count: number, _: void) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(() => tick(), 1000);
    return () => clearInterval(timer);
  }, []);
}

export function Ago({ time }: { time: string }) {
  useSeconds();
  return <time dateTime={time}>{agoText(time)}</time>;
}
