// Plain data to protobuf. Encoding: https://protobuf.dev/programming-guides/encoding/

import { ANY_PREFIX, type Field, FIXED64, fieldsOf, LENGTH, type Message, VARINT, wordsOf } from './table.ts';

/** Encodes a message. A field that it does not have, or of a wrong type, is a TypeError. */
export function encode(message: string, value: Message): Uint8Array {
  const fields = fieldsOf(message);
  const unknown = Object.keys(value).find((key) => !fields.some((field) => field.name === key));
  if (unknown !== undefined) throw new TypeError(`\`${message}\` has no field \`${unknown}\``);
  const parts: Uint8Array[] = [];
  for (const field of fields) {
    const given = value[field.name];
    if (given === undefined || given === null) continue;
    if (field.mark === '*' && !Array.isArray(given)) throw wrongType(field, 'a list');
    for (const item of items(field, given)) encodeField(parts, field, item);
  }
  return joinBytes(parts);
}

function items(field: Field, given: unknown): unknown[] {
  if (field.kind === 'M') return Object.entries(given as object);
  return field.mark === '*' ? (given as unknown[]) : [given];
}

function encodeField(parts: Uint8Array[], field: Field, value: unknown): void {
  const length = (bytes: Uint8Array) => put(parts, field.number, LENGTH, bytes);
  switch (field.kind) {
    case 'b':
      return put(parts, field.number, VARINT, varint(value ? 1 : 0));
    case 'u':
    case 'i':
      if (!Number.isSafeInteger(value)) throw wrongType(field, 'a whole number');
      return put(parts, field.number, VARINT, varint(value as number));
    case 'e': {
      const words = wordsOf(field.type);
      const number = words.indexOf(value as string);
      if (number < 0) throw wrongType(field, `one of ${words.filter(Boolean).join(', ')}`);
      return put(parts, field.number, VARINT, varint(number));
    }
    case 'd': {
      const bytes = new DataView(new ArrayBuffer(8));
      bytes.setFloat64(0, value as number, true);
      return put(parts, field.number, FIXED64, new Uint8Array(bytes.buffer));
    }
    case 's':
      if (typeof value !== 'string') throw wrongType(field, 'text');
      return length(utf8(value));
    case 'j':
      return length(utf8(JSON.stringify(value)));
    case 'y':
      if (!(value instanceof Uint8Array)) throw wrongType(field, 'bytes');
      return length(value);
    case 'm':
      return length(encode(field.type, value as Message));
    case 'M': {
      const [key, text] = value as [string, string];
      return length(pair(utf8(key), utf8(text)));
    }
    case 'a': {
      const { '@type': type, ...fields } = value as Message;
      return length(pair(utf8(`${ANY_PREFIX}${type}`), encode(String(type), fields)));
    }
  }
}

function wrongType(field: Field, wanted: string): TypeError {
  return new TypeError(`\`${field.name}\` wants ${wanted}`);
}

/** A message of two fields of bytes: an entry of a map, or an Any. */
export function pair(first: Uint8Array, second: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  put(parts, 1, LENGTH, first);
  put(parts, 2, LENGTH, second);
  return joinBytes(parts);
}

/** Appends a field: its key, its length where the wire type has one, its bytes. */
function put(parts: Uint8Array[], number: number, wireType: number, bytes: Uint8Array): void {
  parts.push(varint(number * 8 + wireType));
  if (wireType === LENGTH) parts.push(varint(bytes.length));
  parts.push(bytes);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value < 0 ? BigInt.asUintN(64, BigInt(value)) : BigInt(value);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
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
