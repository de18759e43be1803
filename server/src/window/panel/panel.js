// The side panel: rows of what the agent does, and notes to it.
//
// The daemon calls `browsePanel.exchange` once a second over the protocol of
// the browser; the panel opens no connection of its own.

'use strict';

/** Rows that are kept. */
const MOST = 200;

/** Notes that the daemon has not taken yet. */
let waiting = [];

/** Whether the daemon has told this document the rows of before. */
let told = false;

const byId = (id) => document.getElementById(id);

const part = (name, text) => {
  const element = document.createElement('span');
  element.className = name;
  element.textContent = text;
  return element;
};

/** Pages choose words in a row, so all of it is text. */
const addRow = ({ time, client, command, target, outcome }) => {
  const row = document.createElement('li');
  const clock = new Date(time).toLocaleTimeString();
  const by = client === 'root' ? '' : ` (${client})`;
  row.append(part('time', `${clock} `), part('command', `${command} ${target}${by}`.trim()));
  if (outcome !== 'ok') row.append(part('failed', ` ${outcome}`));
  byId('rows').append(row);
};

const showRows = (rows) => {
  const list = byId('rows');
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
  rows.forEach(addRow);
  while (list.childElementCount > MOST) list.firstElementChild.remove();
  if (atEnd) list.scrollTop = list.scrollHeight;
};

const showAsked = (asked) => {
  byId('asked').hidden = asked === '';
  byId('asked').textContent = asked;
};

const exchange = ({ asked, rows }) => {
  showAsked(asked);
  // A document that was just opened gets all rows of before at the next call.
  const fresh = !told;
  if (told) showRows(rows);
  told = true;
  const notes = waiting;
  waiting = [];
  if (notes.length > 0) byId('state').textContent = 'The agent has it at its next call.';
  return { notes, fresh };
};

byId('form').addEventListener('submit', (event) => {
  event.preventDefault();
  const text = byId('note').value.trim();
  if (text === '') return;
  waiting.push(text);
  byId('note').value = '';
  byId('state').textContent = 'Sending…';
});

byId('note').addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  byId('form').requestSubmit();
});

globalThis.browsePanel = Object.freeze({ exchange });
