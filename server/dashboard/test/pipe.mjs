// The page in an extension: what the daemon does at its end of the pipe to the browser of a side
// panel, with the mock daemon behind it.

import { request as httpRequest } from 'node:http';

const WINDOW = 8;
const CHUNK_BYTES = 48 * 1024;
const TOKEN = 'token-of-the-panel';

/** Serves the page as an extension has it: `transport` is `pipe` or `link`. */
export async function serveExtension({ mock, page }, transport) {
  await page.route(`${mock.origin}/`, async (route) => {
    const response = await route.fetch();
    const marker = `<head>\n<meta name="browse-transport" content="${transport}">`;
    await route.fulfill({ response, body: (await response.text()).replace('<head>', marker) });
  });
}

/** Opens the page as the side panel of a window does; answers its pipe. */
export async function openPanel(dashboard) {
  const { mock, page } = dashboard;
  await serveExtension(dashboard, 'pipe');
  mock.tokens.set(TOKEN, {});
  const pipe = new FakePipe(mock, page);
  await page.exposeFunction('browseSend', (text) => pipe.receive(JSON.parse(text)));
  await page.goto(`${mock.origin}/`);
  await page.locator('nav.rail').waitFor();
  return pipe;
}

class FakePipe {
  constructor(mock, page) {
    this.mock = mock;
    this.page = page;
    /** What the panel sent. */
    this.messages = [];
    this.calls = new Map();
    this.mostInFlight = 0;
    this.posted = Promise.resolve();
  }

  receive(message) {
    this.messages.push(message);
    if (message.kind === 'open') this.#open();
    if (message.kind === 'call') this.#call(message);
    if (message.kind === 'ack') this.calls.get(message.id)?.take();
    if (message.kind === 'abort') this.#end(message.id);
  }

  #open() {
    for (const id of this.calls.keys()) this.#end(id);
    this.#post({
      kind: 'welcome',
      session: 'default',
      token: '',
      scopes: ['read', 'write', 'meta'],
      approves: true,
      read_only: false,
      expires_at: '',
      version: '0.1.0',
      build_id: this.mock.overview.build_id,
    });
  }

  #call({ id, path, headers, body }) {
    const request = httpRequest(`${this.mock.origin}${path}`, {
      method: 'POST',
      headers: {
        ...headers,
        authorization: `Bearer ${TOKEN}`,
        origin: this.mock.origin,
        'sec-fetch-site': 'same-origin',
      },
    });
    const call = new FakeCall(request);
    this.calls.set(id, call);
    request.on('error', () => {});
    request.on('response', (response) => void this.#answer(id, call, response));
    request.end(Buffer.from(body, 'base64'));
  }

  async #answer(id, call, response) {
    this.#post({ kind: 'head', id, status: response.statusCode, headers: Object.entries(response.headers) });
    try {
      for await (const data of response) {
        for (let at = 0; at < data.length; at += CHUNK_BYTES) {
          await call.room();
          this.mostInFlight = Math.max(this.mostInFlight, call.inFlight);
          this.#post({ kind: 'chunk', id, data: data.subarray(at, at + CHUNK_BYTES).toString('base64') });
        }
      }
    } catch {
      return; // It was aborted.
    }
    this.#post({ kind: 'end', id });
    this.calls.delete(id);
  }

  #end(id) {
    this.calls.get(id)?.request.destroy();
    this.calls.delete(id);
  }

  /** One after the other, as messages of a pipe. */
  #post(message) {
    const receive = (message) => globalThis.browsePanel.receive(message);
    this.posted = this.posted.then(() => this.page.evaluate(receive, message)).catch(() => {});
  }
}

class FakeCall {
  constructor(request) {
    this.request = request;
    this.inFlight = 0;
    this.waiting = () => {};
  }

  take() {
    this.inFlight -= 1;
    this.waiting();
  }

  async room() {
    while (this.inFlight >= WINDOW) await new Promise((done) => (this.waiting = done));
    this.inFlight += 1;
  }
}
