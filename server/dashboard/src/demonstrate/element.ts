// Which element of a page a click at a point is meant for, and how it is used.

import type { Box, InspectResponse, SnapshotNode } from '../rpc/contract.ts';

export interface Point {
  x: number;
  y: number;
}

/**
 * click: clicked. text, secret: clicked, then filled with what is typed. value: filled with what is
 * chosen. list: its options are chosen. check, radio: checked. place: clicked at the point. file: not
 * for skills.
 */
export type UseKind = 'click' | 'text' | 'secret' | 'value' | 'list' | 'check' | 'radio' | 'place' | 'file';

export interface MeantElement {
  ref: string;
  /** Role and name. */
  label: string;
  kind: UseKind;
  /** Of an input: date, color and the like. */
  type: string;
  value: string;
  isChecked: boolean;
  isMultiline: boolean;
  /** Whether it is a list that may take several values. */
  isListbox: boolean;
  box?: Box;
}

const TEXT_ROLES = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton']);
const TEXT_TAGS = new Set(['input', 'textarea']);
const CHECK_ROLES = new Set(['checkbox', 'switch']);
const VALUE_TYPES = new Set(['date', 'time', 'month', 'week', 'datetime-local', 'color']);
/** What is clicked at a point of its own, since the point counts. */
const PLACE_TAGS = new Set(['canvas', 'video']);
const SLACK_PX = 1;

/** The control that a person means by a click: the one that was hit, or that around it; none for plain content. */
export function controlAt(hit: InspectResponse, nodes: SnapshotNode[], point: Point): SnapshotNode | undefined {
  const found = nodes.find(({ ref }) => ref === hit.ref) ?? controlAround(hit, nodes, point);
  // Options of a `<select>` have no box, or their own tag; those that a page draws are clicked.
  const isOption = found?.role === 'option' && (!hit.box || tagOf(hit) === 'option');
  return found && isOption ? listOf(found, nodes) : found;
}

/** What has the focus, if that is a text field or, with the same role, a `<select>`. */
export function focusedField(nodes: SnapshotNode[]): SnapshotNode | undefined {
  return nodes.find(({ ref, role, states }) => ref && states.includes('focused') && TEXT_ROLES.has(role));
}

/** How an element is used; `node` is the same in a snapshot, where it has it. */
export function meantElement(inspected: InspectResponse, node: SnapshotNode | undefined): MeantElement {
  const tag = tagOf(inspected);
  const states = node?.states ?? [];
  const type = states.find((state) => state.startsWith('type='))?.slice('type='.length) ?? '';
  const box = node && !node.frame ? node.box : inspected.box?.border_box;
  return {
    ref: inspected.ref,
    label: node ? labelOf(node) : inspected.element || inspected.selector,
    kind: kindOf(node?.role ?? '', tag, type, states),
    type,
    value: node?.value ?? '',
    isChecked: states.includes('checked'),
    isMultiline: tag !== 'input',
    isListbox: node?.role === 'listbox',
    ...(box ? { box } : {}),
  };
}

function kindOf(role: string, tag: string, type: string, states: string[]): UseKind {
  if (type === 'file') return 'file';
  if (tag === 'select') return 'list';
  if (CHECK_ROLES.has(role)) return 'check';
  if (role === 'radio') return 'radio';
  if (role === 'slider') return tag === 'input' ? 'value' : 'place';
  if (PLACE_TAGS.has(tag)) return 'place';
  if (!takesText(role, tag) || states.includes('readonly') || states.includes('disabled')) return 'click';
  if (type === 'password') return 'secret';
  return VALUE_TYPES.has(type) ? 'value' : 'text';
}

/** An editor of the page is a textbox with another tag; its comboboxes are clicked. */
function takesText(role: string, tag: string): boolean {
  return TEXT_TAGS.has(tag) ? TEXT_ROLES.has(role) : role === 'textbox' || role === 'searchbox';
}

/**
 * The smallest control of the main frame whose box holds what was hit, unless another control lies at
 * its centre, where it would be clicked.
 */
function controlAround({ box }: InspectResponse, nodes: SnapshotNode[], point: Point): SnapshotNode | undefined {
  const hit = box?.border_box ?? { ...point, width: 0, height: 0 };
  const control = smallestAround(hit, nodes);
  if (!control?.box) return undefined;
  const { x, y, width, height } = control.box;
  const centre = { x: x + width / 2, y: y + height / 2, width: 0, height: 0 };
  return smallestAround(centre, nodes) === control ? control : undefined;
}

function smallestAround(inner: Box, nodes: SnapshotNode[]): SnapshotNode | undefined {
  const around = nodes.filter(({ ref, frame, box }) => ref && !frame && box && contains(box, inner));
  const area = ({ box }: SnapshotNode) => (box ? box.width * box.height : 0);
  return around.sort((a, b) => area(a) - area(b))[0];
}

function contains(outer: Box, inner: Box): boolean {
  return (
    outer.x <= inner.x + SLACK_PX &&
    outer.y <= inner.y + SLACK_PX &&
    outer.x + outer.width >= inner.x + inner.width - SLACK_PX &&
    outer.y + outer.height >= inner.y + inner.height - SLACK_PX
  );
}

/** The list that an option stands in. */
function listOf(option: SnapshotNode, nodes: SnapshotNode[]): SnapshotNode | undefined {
  const before = nodes.slice(0, nodes.indexOf(option)).reverse();
  return before.find(({ ref, role, depth }) => ref && role === 'listbox' && depth < option.depth);
}

/** The first word of the selector: `input#name.wide`. */
function tagOf({ selector }: InspectResponse): string {
  return /^[a-z][a-z0-9-]*/.exec(selector)?.[0] ?? '';
}

function labelOf({ role, name }: SnapshotNode): string {
  return name ? `${role} "${name}"` : role;
}
