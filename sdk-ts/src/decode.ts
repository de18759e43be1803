// The JSON of an answer to plain data. Fields that the tables do not know are
// skipped, so that a vendored copy goes on working with a newer daemon.

import { isDeno } from './runtime.ts';
import { ANY_PREFIX, type Field, fieldsOf, type Message } from './table.ts';

/** The message that `json` is. Fields that are not optional are always there. */
export function decode(message: string, json: Message): Message {
  const out: Message = {};
  for (const field of fieldsOf(message)) {
    const given = json[field.key];
    if (given === undefined || given === null) {
      const zero = zeroOf(field);
      if (zero !== undefined) out[field.name] = zero;
    } else {
      out[field.name] = field.mark === '*' ? (given as unknown[]).map((item) => valueOf(field, item)) : valueOf(field, given);
    }
  }
  return out;
}

function zeroOf(field: Field): unknown {
  if (field.mark === '*') return [];
  if (field.kind === 'M') return {};
  if (field.mark === '?') return undefined;
  return { b: false, u: 0, i: 0, d: 0, s: '', e: '', j: null, y: new Uint8Array() }[field.kind];
}

function valueOf(field: Field, value: unknown): unknown {
  switch (field.kind) {
    // Numbers of 64 bits, and those that JSON does not have, travel as text.
    case 'u':
    case 'i':
    case 'd':
      return Number(value);
    case 'e':
      return String(value);
    case 'j':
      return JSON.parse((value as string) || 'null');
    case 'y':
      return fromBase64(value as string);
    case 'm':
      return decode(field.type, value as Message);
    case 'a': {
      const type = String((value as Message)['@type']).replace(ANY_PREFIX, '');
      return { '@type': type, ...decode(type, value as Message) };
    }
    default:
      return value;
  }
}

function fromBase64(text: string): Uint8Array {
  // deno loads what node has at first use.
  if (isDeno) return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const { buffer, byteOffset, length } = Buffer.from(text, 'base64');
  return new Uint8Array(buffer, byteOffset, length);
}

export function readText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** The JSON object that `bytes` are. */
export function readJson(bytes: Uint8Array): Message {
  const value: unknown = JSON.parse(readText(bytes));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new SyntaxError('the answer is not a JSON object');
  return value as Message;
}
