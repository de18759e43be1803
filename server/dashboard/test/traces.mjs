// Traces of steps, as the mock daemon keeps them.

import { FRAMES } from './frames.mjs';

const COLORS = ['red', 'green', 'blue'];
const METHODS = [
  'StartStepTrace',
  'StopStepTrace',
  'ListTraces',
  'ShowTrace',
  'ShowStep',
  'TracePicture',
  'SaveTrace',
  'RemoveTrace',
].map((name) => `BrowserService/${name}`);

/** By format; the daemon takes the words of the CLI, not the names of the proto file. */
const FILES = {
  zip: { trace: 'UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA==', mime: 'application/zip' },
  har: { trace: Buffer.from('{"log":{"version":"1.2"}}').toString('base64'), mime: 'application/json' },
};

const COMMANDS = [
  { command: 'goto', arguments: '{"url":"https://shop.example.com/"}' },
  { command: 'snapshot', arguments: '{"interactive":true,"compact":false,"depth":0}', has_picture: false },
  { command: 'click', arguments: '{"target":"#basket","button":"","no_wait":false}', element: 'button "Basket"' },
  { command: 'fill', arguments: '{"target":"#code","text":"SUMMER"}', element: 'textbox "Code"' },
  { command: 'press', arguments: '{"target":"","key":"Enter"}' },
];

export function stepData(number, part = {}) {
  const failed = number % 6 === 0;
  return {
    number,
    time: new Date(Date.UTC(2026, 0, 2, 3, 4, number)).toISOString(),
    duration_ms: number * 10.4,
    client: 'claude',
    element: '',
    tab: '4',
    url: `https://shop.example.com/step/${number}`,
    outcome: failed ? 'REF_STALE' : 'ok',
    error: failed ? 'the element has left the page' : '',
    findings: number % 4 === 3 ? ['classifier: 0.71 instruction in a text of the page'] : [],
    has_before: false,
    has_after: true,
    has_picture: true,
    ...COMMANDS[(number - 1) % COMMANDS.length],
    ...part,
  };
}

export function detailData(number) {
  const time_ms = String(Date.UTC(2026, 0, 2, 3, 4, number));
  return {
    text: '',
    snapshot: `- heading "Shop, step ${number}"\n- button "Basket" [@e1]`,
    console: [
      { time_ms, level: 'log', text: `line of step ${number}`, location: 'https://shop.example.com/app.js:1:20' },
      { time_ms, level: 'error', text: 'Uncaught TypeError', location: '' },
    ],
    requests: [
      {
        id: '1',
        method: 'GET',
        url: `https://shop.example.com/api/${number}`,
        type: 'xhr',
        status: 200,
        size: '2048',
        duration_ms: 31.5,
        time_ms,
        mime: 'application/json',
      },
      {
        id: '2',
        method: 'POST',
        url: 'https://shop.example.com/log',
        type: 'xhr',
        size: '0',
        failure: 'net::ERR_FAILED',
        time_ms,
      },
    ],
  };
}

export class MockTraces {
  constructor() {
    this.traces = [trace(3, 'default', 'recording', 4), trace(2, 'shop', 'ended', 14), trace(1, 'shop', 'ended', 1)];
  }

  find(id) {
    return this.traces.find((candidate) => candidate.id === String(id));
  }

  /** Adds steps to a trace. */
  add(id, ...steps) {
    this.find(id).steps.push(...steps);
  }

  has(method) {
    return METHODS.includes(method);
  }

  /** The answer, or an error as the arguments of `fail`. */
  answer(method, message, { session }) {
    const name = method.split('/')[1];
    if (message.format && !FILES[message.format]) return invalid('`format` takes zip or har');
    if (name === 'ListTraces') return { answer: { traces: this.traces.map(info) } };
    if (name === 'StartStepTrace') return this.#start(session);
    if (name === 'StopStepTrace') return this.#stop(session, message);
    if (name === 'RemoveTrace') return this.#remove(message);
    const found = this.find(message.id);
    if (!found) return notFound(`trace ${message.id} is not kept`);
    if (name === 'ShowTrace') return { answer: { steps: found.steps } };
    if (name === 'SaveTrace') return { answer: saved(found, message.format) };
    const step = found.steps.find(({ number }) => number === message.step);
    if (!step) return notFound(`trace ${message.id} has no step ${message.step}`);
    if (name === 'ShowStep') return { answer: { step, ...detailData(step.number), ...found.details[step.number] } };
    if (!step.has_picture) return notFound(`step ${step.number} of trace ${message.id} has no picture`);
    return { answer: { image: FRAMES[COLORS[step.number % 3]], mime: 'image/jpeg' } };
  }

  #start(session) {
    const running = this.#running(session);
    if (running) {
      const message = `the steps of session \`${session}\` are recorded as trace ${running.id}`;
      return { error: ['failed_precondition', 'RECORDING_RUNNING', message, 'Run `browse trace stop --steps` first'] };
    }
    const id = Math.max(0, ...this.traces.map((candidate) => Number(candidate.id))) + 1;
    this.traces.unshift(trace(id, session, 'recording', 0));
    return { answer: { id: String(id), session } };
  }

  #stop(session, { format }) {
    const running = this.#running(session);
    if (!running) {
      const message = `no steps of session \`${session}\` are recorded`;
      return { error: ['failed_precondition', 'RECORDING_NOT_RUNNING', message, 'Run `browse trace start --steps`'] };
    }
    running.state = 'ended';
    return { answer: { ...saved(running, format), id: running.id } };
  }

  #remove({ id, all }) {
    const before = this.traces.length;
    this.traces = this.traces.filter((one) => (all ? one.state === 'recording' : one.id !== String(id)));
    return { answer: { removed: before - this.traces.length } };
  }

  #running(session) {
    return this.traces.find((candidate) => candidate.session === session && candidate.state === 'recording');
  }
}

function trace(id, session, state, count) {
  const steps = Array.from({ length: count }, (_, index) => stepData(index + 1));
  return { id: String(id), session, state, started: '2026-01-02T03:04:00.000Z', steps, details: {} };
}

function info({ steps, details: _, ...rest }) {
  const failed = steps.filter(({ outcome }) => outcome !== 'ok').length;
  return { ...rest, steps: steps.length, failed, bytes: String(steps.length * 200_000) };
}

function saved({ steps }, format = 'zip') {
  return { ...FILES[format], note: `${steps.length} steps, 0.1 MiB` };
}

function invalid(message) {
  return { error: ['invalid_argument', 'ARGUMENT_INVALID', message, 'Run `browse help trace`'] };
}

function notFound(message) {
  return { error: ['not_found', 'TRACE_NOT_FOUND', message, 'Run `browse trace list`'] };
}
