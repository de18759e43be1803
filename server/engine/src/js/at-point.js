// The element at a point of the viewport, for an inspector.

import { hitAt } from './aim.js';
import { callContext } from './call-context.js';
import { localName } from './dom.js';
import { ownerNumber } from './frames.js';
import { mapPoint } from './marks.js';
import { beginRefs, pending, refFor } from './refs.js';
import { HOST_TAGS } from './tags.js';
import { labelOf } from './targets.js';
import { isAsked, shadowOf } from './tree.js';
import { beginCall } from './walk.js';

/**
 * The innermost element there, with a ref, and whether it may hold a closed shadow tree. `owner` is not 0 when it holds a frame; `x` and `y` are
 * then the point within the frame.
 * @param {{x: number, y: number}} argument In CSS pixels of the viewport of this frame.
 */
export const atPoint = ({ x, y }) => {
  beginCall();
  // Outside of the viewport nothing is hit.
  const element = hitAt(x, y);
  if (!element) return {};
  const owner = ownerNumber(element);
  const inner = owner === 0 ? { x: 0, y: 0 } : pointInFrame(element, x, y);
  beginRefs();
  const [role, name] = labelOf(element);
  // Other tags, such as input and select, have only the closed trees of the browser.
  const tag = localName(element);
  const mayBeHost = (tag.includes('-') || HOST_TAGS.has(tag)) && shadowOf(element) === null && !isAsked(element);
  callContext.closedRootCandidates = mayBeHost ? [element] : [];
  const suspects = callContext.closedRootCandidates.length;
  return { ref: refFor(element), role, name, serial: pending.serial, fresh: pending.elements.length, owner, suspects, ...inner };
};

/** The point within the content box of a frame: `mapPoint` is linear, and is solved for it. */
const pointInFrame = (element, x, y) => {
  const origin = mapPoint(element, 0, 0);
  const right = mapPoint(element, 1, 0);
  const down = mapPoint(element, 0, 1);
  const [a, b, c, d] = [right.x - origin.x, down.x - origin.x, right.y - origin.y, down.y - origin.y];
  const determinant = a * d - b * c;
  if (determinant === 0) return { x: 0, y: 0 };
  const [dx, dy] = [x - origin.x, y - origin.y];
  return { x: (d * dx - b * dy) / determinant, y: (a * dy - c * dx) / determinant };
};
