// What agents and the person write to each other, as the mock daemon keeps it.

import { FRAMES } from './frames.mjs';

const METHODS = ['DashboardService/WriteNote', 'DashboardService/AnswerQuestion', 'BrowserService/InboxPicture'];

export function messageData(id, part = {}) {
  return {
    id: String(id),
    time: new Date(Date.UTC(2026, 0, 2, 3, 4, id)).toISOString(),
    session: 'default',
    kind: 'say',
    client: 'claude',
    text: `Message ${id}`,
    choices: [],
    state: '',
    element: '',
    has_picture: false,
    ...part,
  };
}

export function questionData(id, part = {}) {
  const until = new Date(Date.now() + 300_000).toISOString();
  return messageData(id, { kind: 'question', state: 'waiting', text: 'Which of the two?', until, ...part });
}

export class MockTalk {
  /** `push` gets what changed. */
  constructor(push) {
    this.push = push;
    this.messages = [];
  }

  /** What a reader gets at first. */
  get whole() {
    return { summary: '', messages: this.messages, removed: [] };
  }

  /** Adds messages, or replaces those of the same numbers. */
  put(...messages) {
    for (const message of messages) {
      const at = this.messages.findIndex(({ id }) => id === message.id);
      if (at < 0) this.messages.push(message);
      else this.messages[at] = message;
    }
    this.push({ summary: '', messages, removed: [] });
  }

  remove(id) {
    this.messages = this.messages.filter((message) => message.id !== String(id));
    this.push({ summary: '', messages: [], removed: [String(id)] });
  }

  has(method) {
    return METHODS.includes(method);
  }

  /** The answer, or an error as the arguments of `fail`. */
  answer(method, request, { session, tab }) {
    if (method === 'DashboardService/WriteNote') return this.#write(request, session || 'default', tab);
    const found = this.messages.find(({ id }) => id === String(request.id));
    if (!found) {
      const message = `there is no message ${request.id}`;
      return { error: ['not_found', 'MESSAGE_NOT_FOUND', message, 'Run `browse talk` to list the messages'] };
    }
    if (method === 'BrowserService/InboxPicture') return { answer: { image: FRAMES.red, mime: 'image/jpeg' } };
    this.put({ ...found, state: 'answered', answer: request.answer });
    return { answer: { id: found.id, session: found.session } };
  }

  #write({ text, target }, session, tab) {
    const id = Math.max(0, ...this.messages.map((message) => Number(message.id))) + 1;
    const element = target ? `${target} button "Save"` : '';
    const about = target ? { element, tab, has_picture: true } : {};
    this.put(messageData(id, { kind: 'note', client: 'dashboard-1', state: 'unread', text, session, ...about }));
    return { answer: { id: String(id), element } };
  }
}
