// How fast the document loaded and answers, as the browser measured it.
//
// Paints and shifts are in the browser's own buffers whenever they are asked
// for. Interactions are buffered only when they were slow, so an observer
// listens from the first use of the document on.

import { isConnected } from './dom.js';
import { labelOf } from './targets.js';
import { beginCall } from './walk.js';

/** The longest event of each interaction. @type {Map<number, number>} */
const interactions = new Map();

const noteInteractions = (entries) => {
  for (const entry of entries) {
    if (entry.interactionId > 0) interactions.set(entry.interactionId, Math.max(interactions.get(entry.interactionId) || 0, entry.duration));
  }
};

/** @returns {?PerformanceObserver} */
const observeEvents = () => {
  try {
    const observer = new PerformanceObserver((list) => noteInteractions(list.getEntries()));
    observer.observe(/** @type {any} */ ({ type: 'event', durationThreshold: 16, buffered: true }));
    return observer;
  } catch {
    return null;
  }
};

const eventObserver = observeEvents();

/** @returns {PerformanceEntry[]} What the browser has buffered of a type. */
const bufferedEntries = (type) => {
  try {
    const observer = new PerformanceObserver(() => {});
    observer.observe({ type, buffered: true });
    const entries = observer.takeRecords();
    observer.disconnect();
    return entries;
  } catch {
    return [];
  }
};

export const perf = () => {
  beginCall();
  if (eventObserver) noteInteractions(eventObserver.takeRecords());
  noteInteractions(bufferedEntries('first-input'));
  const [navigation] = performance.getEntriesByType('navigation');
  const paint = performance.getEntriesByName('first-contentful-paint')[0];
  const largest = bufferedEntries('largest-contentful-paint').pop();
  const element = largest && /** @type {any} */ (largest).element;
  return {
    fcp: paint ? paint.startTime : null,
    lcp: largest ? largest.startTime : null,
    lcp_element: element && isConnected(element) ? labelOf(element) : null,
    cls: worstShift(bufferedEntries('layout-shift')),
    inp: worstInteraction(),
    interactions: interactionCount(),
    resources: performance.getEntriesByType('resource').length,
    ...(navigation ? timings(navigation) : {}),
  };
};

const timings = (navigation) => {
  const span = (from, to) => (to > 0 && to >= from ? to - from : null);
  return {
    navigation: navigation.type,
    ttfb: span(0, navigation.responseStart),
    dom_content_loaded: span(0, navigation.domContentLoadedEventEnd),
    load: span(0, navigation.loadEventEnd),
    dns: span(navigation.domainLookupStart, navigation.domainLookupEnd),
    connect: span(navigation.connectStart, navigation.connectEnd),
    download: span(navigation.responseStart, navigation.responseEnd),
    transfer: navigation.transferSize,
  };
};

/** The largest sum of a window: shifts less than 1 s apart, 5 s in all (web.dev, "Evolving the CLS metric"). */
const worstShift = (shifts) => {
  let worst = 0;
  let sum = 0;
  let first = -Infinity;
  let last = -Infinity;
  for (const shift of shifts) {
    if (shift.hadRecentInput) continue;
    if (shift.startTime - last >= 1000 || shift.startTime - first >= 5000) {
      sum = 0;
      first = shift.startTime;
    }
    last = shift.startTime;
    sum += shift.value;
    worst = Math.max(worst, sum);
  }
  return worst;
};

/** The worst interaction, leaving out one outlier in fifty (web.dev, "Interaction to Next Paint"). */
const worstInteraction = () => {
  const all = [...interactions.values()].sort((a, b) => b - a);
  if (all.length === 0) return interactionCount() > 0 ? FASTEST : null;
  return all[Math.min(all.length - 1, Math.floor(interactionCount() / 50))];
};

/** Milliseconds of an interaction that was too fast to be reported: durations are rounded to 8. */
const FASTEST = 8;

/** Fast interactions are counted by the browser and reported by nobody. */
const interactionCount = () => Math.max(interactions.size, performance.interactionCount || 0);
