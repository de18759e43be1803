// What is known for the length of one call of the script: its walk, its names, and
// what it reads share it. `beginCall` and `call` set it anew.

/** @import { Clues } from './clickable.js' */
/** @import { Unseen } from './hidden.js' */

export const callContext = {
  /** When the reading under way is to end, in milliseconds since 1970: nobody waits for it then. */
  deadline: Infinity,
  /** Facts about all sheets that apply to a root; set by `readSheets`. */
  usesTransform: true,
  usesGenerated: true,
  usesSkipping: true,
  /** Names that have words out of a style sheet. */
  spokenByStyle: 0,
  /** @type {WeakMap<Element, boolean>} Valid for one task: emptied at the start of each call. */
  dataTables: new WeakMap(),
  nesting: 0,
  /**
   * The labels of a control, in tree order. The browser's own list walks the
   * whole document for each control, so all labels of a tree are read once.
   * @type {WeakMap<Node, Map<Element, Element[]>>} Emptied at the start of each call.
   */
  labelsByRoot: new WeakMap(),
  /** Whether the document has such an element at all; set at the start of each call. */
  anyAriaDisabled: false,
  /** Kept for the length of one call. @type {?Element} */
  focused: null,
  /** @type {Clues} Set at the start of each call. */
  clues: { live: false, draggable: false, bound: false, modal: false },
  /** Suspects of the latest walk. @type {Element[]} */
  closedRootCandidates: [],
  /** What is known for the length of one snapshot. @type {?Unseen} */
  hidden: null,
};
