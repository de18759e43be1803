// Reads the generated tables: one line of text per message, parsed at first use.

import { ENUMS, MESSAGES } from './generated/tables.ts';

/** A message as plain data: names in camelCase, absent optional fields left out. */
export type Message = Record<string, unknown>;

interface Field {
  name: string;
  number: number;
  /** b bool, u unsigned, i signed, d double, s text, j JSON in text, y bytes, e enum, m message, M map of text, a Any. */
  kind: string;
  mark: '' | '?' | '*';
  /** The message or enum, for kinds m and e. */
  type: string;
}

/** What comes before the name of a message in `google.protobuf.Any`. */
const ANY_PREFIX = 'type.googleapis.com/browse.v1.';

const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;
const FIXED32 = 5;

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

/** Reads `maxTokens:7?u`: name, number, `?` optional or `*` repeated, kind, type. */
function readField(text: string): Field {
  const match = /^(\w+):(\d+)([?*]?)(\w)(\w*)$/.exec(text);
  if (!match) throw new TypeError(`bad table entry \`${text}\``);
  const [, name = '', number, mark, kind = '', type = ''] = match;
  return { name, number: Number(number), kind, mark: mark as Field['mark'], type };
}

/** The words of an enum; the place of a word is its number. */
function wordsOf(type: string): string[] {
  return (ENUMS[type] ?? '').split(' ');
}

export { ANY_PREFIX, type Field, FIXED32, FIXED64, fieldsOf, LENGTH, VARINT, wordsOf };
