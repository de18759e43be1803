// The elements of a page and the changes of their styles, as the mock daemon has them.

const METHODS = ['Inspect', 'Style', 'UndoStyle'].map((name) => `BrowserService/${name}`);

export function ruleData(part = {}) {
  return {
    selector: '.primary',
    specificity: '0,1,0',
    origin: 'page',
    pseudo: '',
    conditions: [],
    layer: '',
    source: 'https://shop.example.com/site.css:12',
    declarations: [],
    ...part,
  };
}

export function declarationData(name, value, part = {}) {
  return { name, value, important: false, standing: 'wins', ...part };
}

export function elementData() {
  return {
    report: '',
    ref: '@e12',
    element: 'button "Save"',
    selector: 'button#save.primary',
    box: {
      border_box: { x: 40, y: 300, width: 140, height: 48 },
      margin: { top: 0, right: 8, bottom: 0, left: 0 },
      border: { top: 1, right: 1, bottom: 1, left: 1 },
      padding: { top: 4, right: 12, bottom: 4, left: 12 },
      content_width: 114,
      content_height: 38,
    },
    rules: [
      ruleData({
        selector: '#save',
        specificity: '1,0,0',
        conditions: ['@media (min-width: 40em)'],
        declarations: [declarationData('color', 'red'), declarationData('padding', '4px 12px', { important: true })],
      }),
      ruleData({
        layer: 'theme',
        declarations: [
          declarationData('color', 'green', { standing: 'overridden' }),
          declarationData('margin', '0 8px 0 0', { standing: 'partly overridden' }),
        ],
      }),
      ruleData({ selector: '.primary::before', pseudo: 'before', declarations: [declarationData('content', '"→"')] }),
    ],
    inherited: [
      ruleData({
        selector: 'body',
        specificity: '0,0,1',
        declarations: [declarationData('font-size', '16px', { standing: 'inherited' })],
      }),
    ],
    computed: [
      { name: 'color', value: 'rgb(255, 0, 0)' },
      { name: 'font-size', value: '16px' },
    ],
    history: [],
  };
}

const NOTHING = { report: '', ref: '', element: '', selector: '', rules: [], inherited: [], computed: [], history: [] };
const BROWSER_RULE = ruleData({
  selector: 'button',
  specificity: '0,0,1',
  origin: 'browser',
  source: '',
  declarations: [declarationData('cursor', 'default')],
});

export class MockInspector {
  constructor() {
    this.element = elementData();
    this.changes = [];
  }

  has(method) {
    return METHODS.includes(method);
  }

  /** The answer, or an error as the arguments of `fail`. */
  answer(method, request) {
    if (method === 'BrowserService/Style') return { answer: this.#style(request) };
    if (method === 'BrowserService/UndoStyle') return this.#undo(request);
    if (request.history && !request.target && !request.at) return { answer: { ...NOTHING, history: this.changes } };
    const own = this.changes.map(({ property, value }) => declarationData(property, value));
    const inline = ruleData({ selector: 'element.style', specificity: '', origin: 'inline', source: '' });
    const rules = [
      ...(own.length > 0 ? [{ ...inline, declarations: own }] : []),
      ...this.element.rules,
      ...(request.all ? [BROWSER_RULE] : []),
    ];
    return { answer: { ...this.element, rules } };
  }

  #style({ target, property, value }) {
    const id = this.changes.length + 1;
    const change = { id, ref: target, target, property, value, before: 'red', after: value };
    this.changes = [...this.changes, change];
    return { id, property, before: 'red', after: value, note: '' };
  }

  #undo({ change }) {
    const found = this.changes.find(({ id }) => id === change);
    if (!found) return { error: ['not_found', 'CHANGE_NOT_FOUND', `there is no change ${change} to undo`, 'Look'] };
    this.changes = this.changes.filter((other) => other !== found);
    return { answer: { id: found.id, target: found.target, property: found.property, after: found.before } };
  }
}
