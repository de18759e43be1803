// The terminals of the mock daemon: one at a time, whose output a test prints.

const METHODS = ['DashboardService/OfferTerminal', 'DashboardService/WriteTerminal', 'DaemonService/SecurityScan'];

export const CLEAR = { verdict: 'clear', characters: '0', findings: [], truncated: false, score: 0 };

export class MockTerminals {
  constructor() {
    this.offered = { shell: '/bin/bash', folder: '/home/ada/project' };
    this.offers = 0;
    this.verdict = CLEAR;
    /** What was typed, and the last size. */
    this.typed = '';
    this.size = undefined;
  }

  has(method) {
    return METHODS.includes(method);
  }

  answer(method, request) {
    if (method === 'DaemonService/SecurityScan') return { answer: this.verdict };
    if (method === 'DashboardService/OfferTerminal') {
      this.offers += 1;
      const expires_at = new Date(Date.now() + 60_000).toISOString();
      return { answer: { offer: `offer-${this.offers}`, ...this.offered, expires_at } };
    }
    if (request.terminal !== this.capability)
      return { error: ['failed_precondition', 'TERMINAL_ENDED', 'the terminal has ended', 'Start another terminal'] };
    const data = Buffer.from(request.data ?? '', 'base64');
    this.typed += data.toString();
    if (request.columns) this.size = { columns: request.columns, rows: request.rows };
    return { answer: { written: data.length } };
  }

  /** A page opened the terminal of an offer; `stream` sends messages to it, and ends it. */
  start({ offer, columns, rows }, stream) {
    this.capability = `capability of ${offer}`;
    this.typed = '';
    this.size = { columns, rows };
    this.stream = stream;
    stream.send({ terminal: this.capability, data: '', ended: '' });
  }

  print(text) {
    this.stream.send({ terminal: '', data: Buffer.from(text).toString('base64'), ended: '' });
  }

  end(ended) {
    delete this.capability;
    this.stream.send({ terminal: '', data: '', ended });
    this.stream.end();
  }
}
