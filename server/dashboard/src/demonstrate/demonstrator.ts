// A demonstration: what the person does in a page, as calls that the daemon notes for a skill. They
// are made one after another; what waits behind one that failed was meant for another page.

import type { PersonInput } from '../control/event.ts';
import { call } from '../rpc/client.ts';
import type { Calls, ClickRequest, InspectResponse, SnapshotNode } from '../rpc/contract.ts';
import { asCallError, CallError } from '../rpc/error.ts';
import { goTo, route } from '../state/route.ts';
import { Store } from '../state/store.ts';
import { controlAt, focusedField, meantElement, type MeantElement, type Point } from './element.ts';
import type { SkillRecord } from './noted.ts';

/** An element that waits for what the person types or chooses. */
export interface OpenField extends MeantElement {
  tab: string;
  /** What it will hold. */
  text: string;
  isTouched: boolean;
  options: { name: string; isSelected: boolean; isDisabled: boolean }[];
}

export interface TypedText {
  label: string;
  text: string;
}

export interface Demonstration {
  isBusy: boolean;
  /** Whether the next click chooses an element whose text the skill answers. */
  isReading: boolean;
  /** Whether the person is asked what becomes of the steps. */
  isLeaving: boolean;
  record: SkillRecord;
  /** Steps of the record when it was saved. */
  saved: number;
  field?: OpenField;
  /** The text that was read last. */
  read?: string;
  reads: number;
  /** Texts for fields other than passwords, for arguments of the skill. */
  typed: TypedText[];
  error?: CallError;
}

/** Of calls that open a page, or wait for what an action began. */
const ACTION_MS = 30_000;
/** Turns of the wheel that follow each other within this time are one step. */
const WHEEL_MS = 200;
const NOTHING: SkillRecord = { summary: '', steps: 0, kept: 0 };

export class Demonstrator {
  readonly session: string;
  readonly state = new Store<Demonstration>({
    isBusy: false,
    isReading: false,
    isLeaving: false,
    record: NOTHING,
    saved: 0,
    reads: 0,
    typed: [],
  });
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  #turn = 0;
  #wheel = { tab: '', dx: 0, dy: 0 };
  #wheelTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(session: string) {
    this.session = session;
  }

  /** Whether there are steps that no skill has. */
  get isUnsaved(): boolean {
    const { record, saved } = this.state.value;
    return record.steps > saved;
  }

  click(tab: string, point: Point): void {
    this.commit();
    this.#perform(async () => {
      const at = `${Math.round(point.x)},${Math.round(point.y)}`;
      const hit = await this.#inspect(tab, { at });
      if (this.state.value.isReading) return this.#read(tab, hit.ref);
      const control = controlAt(hit, await this.#nodes(tab), point);
      const isHit = !control || control.ref === hit.ref;
      const inspected = isHit ? hit : await this.#inspect(tab, { target: control.ref });
      return this.#use(tab, meantElement(inspected, control), point);
    });
  }

  /** Changes the text of the open field. */
  type(text: string): void {
    const { field } = this.state.value;
    if (field) this.state.patch({ field: { ...field, text, isTouched: true } });
  }

  /** Fills the open field with its text, if that was changed, and presses a key after it. */
  commit(key?: 'Enter'): void {
    const { field } = this.state.value;
    if (!field) return;
    this.closeField();
    if (!key && !field.isTouched) return;
    this.#perform(async () => {
      if (field.isTouched) await this.#fill(field, field.text);
      if (key) await this.#act(field.tab, 'BrowserService/Press', { key });
    });
  }

  /** Sets the open field to a value that was chosen. */
  setValue(text: string): void {
    const { field } = this.state.value;
    if (!field) return;
    this.closeField();
    this.#perform(() => this.#fill(field, text));
  }

  choose(names: string[]): void {
    const { field } = this.state.value;
    if (!field) return;
    this.closeField();
    this.#perform(() => this.#act(field.tab, 'BrowserService/Select', { target: field.ref, value: names }));
  }

  closeField(): void {
    const { field: _, ...rest } = this.state.value;
    this.state.set(rest);
  }

  /** Scrolls by a turn of the wheel, together with those that follow at once. */
  scroll(tab: string, { dx, dy }: { dx: number; dy: number }): void {
    const before = this.#wheel.tab === tab ? this.#wheel : { dx: 0, dy: 0 };
    this.#wheel = { tab, dx: before.dx + dx, dy: before.dy + dy };
    clearTimeout(this.#wheelTimer);
    this.#wheelTimer = setTimeout(() => this.#perform(() => this.#scrollNow()), WHEEL_MS);
  }

  press(tab: string, key: string): void {
    this.commit();
    this.#perform(() => this.#act(tab, 'BrowserService/Press', { key }));
  }

  open(tab: string, url: string): void {
    this.commit();
    this.#perform(() => this.#act(tab, 'BrowserService/Goto', { url }));
  }

  navigate(tab: string, method: 'Back' | 'Forward' | 'Reload'): void {
    this.commit();
    this.#perform(() => this.#act(tab, `BrowserService/${method}`, {}));
  }

  /** Answers a dialog of the page. */
  answer(tab: string, { kind, text }: PersonInput): void {
    this.#perform(() =>
      kind === 'accept'
        ? this.#act(tab, 'BrowserService/DialogAccept', text === undefined ? {} : { text })
        : this.#act(tab, 'BrowserService/DialogDismiss', {}),
    );
  }

  setReading(isReading: boolean): void {
    this.state.patch({ isReading });
  }

  dismiss(): void {
    const { error: _, ...rest } = this.state.value;
    this.state.set(rest);
  }

  /** Notes that a skill has the steps so far. */
  markSaved(): void {
    this.state.patch({ saved: this.state.value.record.steps, isLeaving: false });
  }

  #perform(work: () => Promise<unknown>): void {
    const turn = this.#turn;
    this.#waiting += 1;
    this.state.patch({ isBusy: true });
    this.#last = this.#last.then(async () => {
      if (turn === this.#turn) await this.#step(work);
      this.#waiting -= 1;
      if (this.#waiting === 0) this.state.patch({ isBusy: false });
    });
  }

  async #step(work: () => Promise<unknown>): Promise<void> {
    this.dismiss();
    try {
      await work();
    } catch (cause) {
      const error = asCallError(cause);
      this.#turn += 1;
      // The question is on the screen.
      if (error.reason !== 'DIALOG_OPEN') this.state.patch({ error });
    }
    try {
      const record = await call('SkillService/ShowSkillRecord', {}, { session: this.session });
      this.state.patch({ record });
    } catch (cause) {
      this.state.patch({ error: asCallError(cause) });
    }
  }

  async #use(tab: string, element: MeantElement, point: Point): Promise<void> {
    const target = element.ref;
    switch (element.kind) {
      case 'file':
        throw new CallError('STEP_NOT_FOR_SKILLS', 'a skill has no file to send', 'Go on without it');
      case 'check':
        return this.#act(tab, element.isChecked ? 'BrowserService/Uncheck' : 'BrowserService/Check', { target });
      case 'radio':
        return this.#act(tab, 'BrowserService/Check', { target });
      case 'value':
        return this.#open(tab, element);
      case 'list':
        return this.#open(tab, element, await this.#nodes(tab, target));
      case 'place':
        return this.#click(tab, { target, ...placeOf(element, point) });
      case 'text':
      case 'secret':
        await this.#act(tab, 'BrowserService/Click', { target });
        return this.#open(tab, element);
      default:
        return this.#click(tab, { target });
    }
  }

  /** Clicks, and follows what that led to: a tab, or a field that has the focus. */
  async #click(tab: string, request: ClickRequest): Promise<void> {
    const { receipt } = await this.#call(tab, 'BrowserService/Click', request);
    if (receipt?.new_tab && route.value.tab === tab) return goTo({ view: 'live', tab: receipt.new_tab });
    if (!receipt?.focus) return;
    const focused = focusedField(await this.#nodes(tab));
    if (!focused) return;
    const element = meantElement(await this.#inspect(tab, { target: focused.ref }), focused);
    if (element.kind === 'text' || element.kind === 'secret') this.#open(tab, element);
  }

  #open(tab: string, element: MeantElement, nodes: SnapshotNode[] = []): void {
    const options = nodes
      .filter(({ role }) => role === 'option')
      .map(({ name, states }) => ({
        name,
        isSelected: states.includes('selected'),
        isDisabled: states.includes('disabled'),
      }));
    this.state.patch({ field: { ...element, tab, text: element.value, isTouched: false, options } });
  }

  async #fill({ tab, ref, kind, label }: OpenField, text: string): Promise<void> {
    await this.#act(tab, 'BrowserService/Fill', { target: ref, text });
    const { typed } = this.state.value;
    const isKnown = typed.some((one) => one.text === text);
    if (kind !== 'secret' && text && !isKnown) this.state.patch({ typed: [...typed, { label, text }] });
  }

  async #read(tab: string, target: string): Promise<void> {
    const { text } = await this.#call(tab, 'BrowserService/Text', { target });
    this.state.patch({ read: text, reads: this.state.value.reads + 1, isReading: false });
  }

  async #scrollNow(): Promise<void> {
    const { tab, dx, dy } = this.#wheel;
    this.#wheel = { tab: '', dx: 0, dy: 0 };
    await this.#scrollBy(tab, dy > 0 ? 'down' : 'up', dy);
    await this.#scrollBy(tab, dx > 0 ? 'right' : 'left', dx);
  }

  async #scrollBy(tab: string, target: string, pixels: number): Promise<void> {
    const by = Math.abs(Math.round(pixels));
    if (by !== 0) await this.#act(tab, 'BrowserService/Scroll', { target, by });
  }

  #inspect(tab: string, which: { at: string } | { target: string }): Promise<InspectResponse> {
    return this.#call(tab, 'BrowserService/Inspect', { ...which, structured: true });
  }

  /** What can be acted on; or an element with all that lies in it. Neither is noted. */
  async #nodes(tab: string, scope?: string): Promise<SnapshotNode[]> {
    const request = scope === undefined ? { interactive: true, nodes: true } : { scope, nodes: true };
    return (await this.#call(tab, 'BrowserService/Snapshot', request)).nodes;
  }

  async #act<M extends keyof Calls>(tab: string, method: M, request: Calls[M]['request']): Promise<void> {
    await this.#call(tab, method, request);
  }

  #call<M extends keyof Calls>(tab: string, method: M, request: Calls[M]['request']): Promise<Calls[M]['response']> {
    return call(method, request, { session: this.session, tab, timeoutMs: ACTION_MS });
  }
}

/** The point within the element. */
function placeOf({ box }: MeantElement, point: Point): Pick<ClickRequest, 'at'> {
  return box ? { at: `${Math.round(point.x - box.x)},${Math.round(point.y - box.y)}` } : {};
}
