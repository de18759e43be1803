// Plain data to the JSON of a request. Mapping: https://protobuf.dev/programming-guides/json/

import { ANY_PREFIX, type Field, fieldsOf, type Message, wordsOf } from './table.ts';

/** The JSON of a message. A field that it does not have, or of a wrong type, is a TypeError. */
export function encode(message: string, value: Message): Message {
  const fields = fieldsOf(message);
  const out: Message = {};
  for (const [name, given] of Object.entries(value)) {
    const field = fields.find((candidate) => candidate.name === name);
    if (!field) throw new TypeError(`\`${message}\` has no field \`${name}\``);
    if (given === undefined || given === null) continue;
    if (field.mark === '*' && !Array.isArray(given)) throw wrongType(field, 'a list');
    out[field.key] = field.mark === '*' ? (given as unknown[]).map((item) => encodeField(field, item)) : encodeField(field, given);
  }
  return out;
}

function encodeField(field: Field, value: unknown): unknown {
  switch (field.kind) {
    case 'b':
      return Boolean(value);
    case 'u':
    case 'i':
      if (!Number.isSafeInteger(value)) throw wrongType(field, 'a whole number');
      return value;
    case 'e': {
      const words = wordsOf(field.type);
      if (!words.includes(value as string)) throw wrongType(field, `one of ${words.filter(Boolean).join(', ')}`);
      // The word of zero is empty: it has only its number.
      return value || 0;
    }
    case 's':
      if (typeof value !== 'string') throw wrongType(field, 'text');
      return value;
    case 'j':
      return JSON.stringify(value);
    case 'y':
      if (!(value instanceof Uint8Array)) throw wrongType(field, 'bytes');
      return toBase64(value);
    case 'm':
      return encode(field.type, value as Message);
    case 'a': {
      const { '@type': type, ...fields } = value as Message;
      return { '@type': `${ANY_PREFIX}${type}`, ...encode(String(type), fields) };
    }
    default:
      return value;
  }
}

function wrongType(field: Field, wanted: string): TypeError {
  return new TypeError(`\`${field.name}\` wants ${wanted}`);
}

/** Bytes that one call of `String.fromCharCode` takes. */
const MAX_ARGUMENTS = 8192;

function toBase64(bytes: Uint8Array): string {
  let letters = '';
  for (let at = 0; at < bytes.length; at += MAX_ARGUMENTS) letters += String.fromCharCode(...bytes.subarray(at, at + MAX_ARGUMENTS));
  return btoa(letters);
}

export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function joinBytes(parts: Uint8Array[]): Uint8Array {
  if (parts.length === 1 && parts[0]) return parts[0];
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
