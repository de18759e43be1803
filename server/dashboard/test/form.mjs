// A page with a form for demonstrations, as the mock daemon has it, and what is noted of them.

import { fail, send } from './mock.mjs';

const NONE = { rules: [], inherited: [], computed: [], history: [], report: '' };
/** Of each command that is noted. */
const NOTED = {
  Click: 'click',
  Fill: 'fill',
  Press: 'press',
  Select: 'select',
  Check: 'check',
  Uncheck: 'uncheck',
  Scroll: 'scroll',
  Goto: 'goto',
  Back: 'back',
  Forward: 'forward',
  Reload: 'reload',
  Text: 'text',
  DialogAccept: 'dialog-accept',
  DialogDismiss: 'dialog-dismiss',
};

export function nodeData(ref, role, name, box, part = {}) {
  return { ref, role, name, states: [], frame: '', depth: 1, box, ...part };
}

const box = (x, y, width, height) => ({ x, y, width, height });

/** What can be acted on. */
export function formNodes() {
  return [
    nodeData('@e1', 'textbox', 'Search', box(100, 100, 300, 40), { value: 'old' }),
    nodeData('@e2', 'textbox', 'Password', box(100, 160, 300, 40), { states: ['type=password'] }),
    nodeData('@e3', 'combobox', 'City', box(100, 220, 300, 40), { value: 'Berlin' }),
    nodeData('@e4', 'checkbox', 'News', box(100, 280, 20, 20)),
    nodeData('@e5', 'button', 'Send', box(100, 340, 120, 40)),
    nodeData('@e6', 'textbox', 'Notes', box(500, 100, 300, 120)),
    nodeData('@e7', 'textbox', 'Day', box(500, 240, 300, 40), { states: ['type=date'] }),
    nodeData('@e8', 'button', '', box(500, 300, 300, 40), { states: ['type=file'] }),
  ];
}

const option = (name, states = []) => nodeData('', 'option', name, box(0, 0, 0, 0), { depth: 2, states });

/** What lies at the points of the page. */
const HITS = [
  ['@e1', 'input#q', box(100, 100, 300, 40)],
  ['@e2', 'input#pw', box(100, 160, 300, 40)],
  ['@e3', 'select#city', box(100, 220, 300, 40)],
  ['@e4', 'input#news', box(100, 280, 20, 20)],
  ['@e9', 'span', box(130, 350, 40, 20)],
  ['@e5', 'button#send', box(100, 340, 120, 40)],
  ['@e6', 'textarea#notes', box(500, 100, 300, 120)],
  ['@e7', 'input#day', box(500, 240, 300, 40)],
  ['@e8', 'input#file', box(500, 300, 300, 40)],
  ['@e10', 'p#total', box(100, 500, 400, 40)],
  ['@e11', 'label', box(20, 100, 70, 40)],
];

export class FormPage {
  constructor(mock) {
    this.mock = mock;
    this.nodes = formNodes();
    this.options = [option('Berlin', ['selected']), option('Rome'), option('Nowhere', ['disabled'])];
    this.text = '12 results';
    this.receipt = { summary: '', facts: [] };
    /** Lines of the recording; undefined while nothing is recorded. */
    this.noted = undefined;
    this.recordName = (ref) => this.nodes.find((node) => node.ref === ref)?.name || ref;
    const on = (method, answer) => (mock.overrides[method] = answer);
    on('BrowserService/Inspect', ({ at, target }, response) => send(response, this.#inspect(at, target)));
    on('BrowserService/Snapshot', ({ scope }, response) => send(response, { tree: '', nodes: this.#snapshot(scope) }));
    for (const [method, name] of Object.entries(NOTED))
      on(`BrowserService/${method}`, (message, response) => this.#act(method, name, message, response));
    on('SkillService/StartSkillRecord', (_, response) => this.#start(response));
    on('SkillService/ShowSkillRecord', (_, response) => send(response, this.#show()));
    on('SkillService/StopSkillRecord', (_, response) => {
      send(response, { steps: this.noted?.length ?? 0 });
      this.noted = undefined;
    });
  }

  /** The calls of the page and of the recording so far, in their order: what is read alone is left out. */
  get steps() {
    return this.mock.calls
      .filter(({ method }) => NOTED[method.split('/')[1]] && method.startsWith('BrowserService/'))
      .map(({ method, request }) => [method.split('/')[1], request]);
  }

  #inspect(at, target) {
    const [x, y] = (at ?? '').split(',').map(Number);
    const inside = ([, , hit]) => x >= hit.x && x < hit.x + hit.width && y >= hit.y && y < hit.y + hit.height;
    const [ref, selector, border_box] = HITS.find((hit) => (target ? hit[0] === target : inside(hit))) ?? [
      '@e12',
      'html',
      box(0, 0, 1280, 800),
    ];
    return { ...NONE, ref, element: selector, selector, box: { border_box, content_width: 0, content_height: 0 } };
  }

  #snapshot(scope) {
    const nodes = scope ? this.nodes.filter(({ ref }) => ref === scope) : this.nodes;
    return scope === '@e3' ? [...nodes, ...this.options] : nodes;
  }

  #act(method, name, message, response) {
    const about = message.url ?? this.recordName(message.target ?? '');
    const note = (why) => this.noted?.push(`${name}${about ? ` ${about}` : ''} (${why})`);
    if (this.failing === method) {
      note('left out: it failed');
      const problem = this.problem ?? 'it is covered';
      return fail(response, 'failed_precondition', 'ELEMENT_COVERED', problem, 'Close the cover');
    }
    note(method === 'Text' ? 'the result' : 'kept');
    return send(response, method === 'Text' ? { text: this.text } : { receipt: this.receipt });
  }

  #start(response) {
    if (this.noted)
      return fail(
        response,
        'failed_precondition',
        'SKILL_RECORDING_RUNS',
        'the session `default` is being recorded already',
        'Run `browse skill record stop`',
      );
    this.noted = [];
    return send(response, { session: 'default' });
  }

  #show() {
    const steps = this.noted ?? [];
    const lines = steps.map((line, index) => `${index + 1} ${line}`);
    return {
      summary: [`recording the session default: ${steps.length} steps`, ...lines].join('\n'),
      session: 'default',
      steps: steps.length,
      kept: steps.filter((line) => !line.includes('left out')).length,
    };
  }
}
