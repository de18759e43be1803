// Reads the generated tables: one line of text per message, parsed at first use.

import { COMMANDS, ENUMS, MESSAGES } from './generated/tables.ts';

/** A message as plain data: names in camelCase, absent optional fields left out. */
type Message = Record<string, unknown>;

interface Field {
  name: string;
  /** Its name in JSON: `max_tokens`. */
  key: string;
  /** b bool, u unsigned, i signed, d double, s text, j JSON in text, y bytes, e enum, m message, M map of text, a Any. */
  kind: string;
  mark: '' | '?' | '*';
  /** The message or enum, for kinds m and e. */
  type: string;
}

/** What comes before the name of a message in `google.protobuf.Any`. */
const ANY_PREFIX = 'type.googleapis.com/browse.v1.';

const parsed = new Map<string, Field[]>();

function fieldsOf(message: string): Field[] {
  let fields = parsed.get(message);
  if (!fields) {
    const line = MESSAGES[message];
    if (line === undefined) throw new TypeError(`unknown message \`${message}\``);
    fields = line.split(' ').filter(Boolean).map(readField);
    parsed.set(message, fields);
  }
  return fields;
}

/** Reads `maxTokens:?u`: name, `?` optional or `*` repeated, kind, type. */
function readField(text: string): Field {
  const match = /^(\w+):([?*]?)(\w)(\w*)$/.exec(text);
  if (!match) throw new TypeError(`bad table entry \`${text}\``);
  const [, name = '', mark, kind = '', type = ''] = match;
  const key = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return { name, key, kind, mark: mark as Field['mark'], type };
}

/** The words of an enum; the place of a word is its number. */
function wordsOf(type: string): string[] {
  return (ENUMS[type] ?? '').split(' ');
}

/** A command, as its line of the table says. */
interface Command {
  /** Path of the RPC: `/browse.v1.BrowserService/Goto`. */
  path: string;
  request: string;
  response: string;
  /** Fields that are given as positional arguments. */
  args: string[];
  /** Field of the response that callers get; all of it when empty. */
  result: string;
  /** Deadline in milliseconds, when it is not 30 seconds. */
  timeout: number | undefined;
  /** Whether the answer is a stream of messages, or of what is saved to a file or a folder. */
  kind: string;
}

const known = new Map<string, Command>();

/** The command of this name: that of a method, or that of the command line. */
function commandOf(name: string): Command {
  let command = known.get(name);
  if (!command) {
    const line = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : Object.values(COMMANDS).find((text) => text.startsWith(`${name}|`));
    if (line === undefined) throw new TypeError(`this SDK knows no command \`${name}\``);
    command = readCommand(line);
    known.set(name, command);
  }
  return command;
}

function readCommand(line: string): Command {
  const [, method = '', args = '', result = '', timeout, response, kind = ''] = line.split('|');
  return {
    path: `/browse.v1.BrowserService/${method}`,
    request: `${method}Request`,
    response: response || `${method}Response`,
    args: args.replaceAll('?', '').split(' ').filter(Boolean),
    result,
    timeout: timeout ? Number(timeout) : undefined,
    kind,
  };
}

export { ANY_PREFIX, type Command, commandOf, type Field, fieldsOf, type Message, wordsOf };
