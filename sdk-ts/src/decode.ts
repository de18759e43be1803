// Protobuf to plain data. Fields that the tables do not know are skipped, so
// that a vendored copy goes on working with a newer daemon.

import { ANY_PREFIX, type Field, FIXED32, FIXED64, fieldsOf, LENGTH, type Message, VARINT, wordsOf } from './table.ts';

/** Decodes a message. Fields that are not optional are always there. */
export function decode(message: string, bytes: Uint8Array): Message {
  const fields = fieldsOf(message);
  const out: Message = {};
  for (const field of fields) {
    const zero = zeroOf(field);
    if (zero !== undefined) out[field.name] = zero;
  }
  for (const [number, raw] of entries(bytes)) {
    const field = fields.find((candidate) => candidate.number === number);
    if (field) assign(out, field, raw);
  }
  return out;
}

type Raw = number | Uint8Array;

function zeroOf(field: Field): unknown {
  if (field.mark === '*') return [];
  if (field.kind === 'M') return {};
  if (field.mark === '?') return undefined;
  return { b: false, u: 0, i: 0, d: 0, s: '', e: '', j: null, y: new Uint8Array() }[field.kind];
}

function assign(out: Message, field: Field, raw: Raw): void {
  const { name } = field;
  if (field.kind === 'M') {
    const [key, text] = readPair(bytesOf(raw));
    (out[name] as Record<string, string>)[readText(key)] = readText(text);
  } else if (field.mark !== '*') {
    out[name] = valueOf(field, raw);
  } else if (typeof raw !== 'number' && 'buie'.includes(field.kind)) {
    for (const number of packed(raw)) (out[name] as unknown[]).push(valueOf(field, number));
  } else {
    (out[name] as unknown[]).push(valueOf(field, raw));
  }
}

function valueOf(field: Field, raw: Raw): unknown {
  switch (field.kind) {
    case 'b':
      return raw !== 0;
    case 'e':
      return wordsOf(field.type)[raw as number] ?? String(raw);
    case 'd':
      return view(bytesOf(raw)).getFloat64(0, true);
    case 's':
      return readText(bytesOf(raw));
    case 'j':
      return JSON.parse(readText(bytesOf(raw)) || 'null');
    case 'm':
      return decode(field.type, bytesOf(raw));
    case 'a': {
      const [name, body] = readPair(bytesOf(raw));
      const type = readText(name).replace(ANY_PREFIX, '');
      return { '@type': type, ...decode(type, body) };
    }
    case 'i':
      return (raw as number) | 0;
    default:
      return raw;
  }
}

function readPair(bytes: Uint8Array): [Uint8Array, Uint8Array] {
  const found: [Uint8Array, Uint8Array] = [new Uint8Array(), new Uint8Array()];
  for (const [number, raw] of entries(bytes)) {
    if (number === 1 || number === 2) found[number - 1] = bytesOf(raw);
  }
  return found;
}

function* packed(bytes: Uint8Array): Generator<number> {
  for (let at = 0; at < bytes.length; ) {
    const [value, next] = readVarint(bytes, at);
    yield value;
    at = next;
  }
}

/** The fields of a message as they stand on the wire: number and raw value. */
export function* entries(bytes: Uint8Array): Generator<[number, Raw]> {
  for (let at = 0; at < bytes.length; ) {
    const [key, start] = readVarint(bytes, at);
    const number = Math.floor(key / 8);
    if (key % 8 === VARINT) {
      const [value, next] = readVarint(bytes, start);
      yield [number, value];
      at = next;
      continue;
    }
    const [length, begin] = lengthOf(key % 8, bytes, start);
    if (begin + length > bytes.length) throw malformed();
    yield [number, bytes.subarray(begin, begin + length)];
    at = begin + length;
  }
}

function lengthOf(wireType: number, bytes: Uint8Array, at: number): [number, number] {
  if (wireType === LENGTH) return readVarint(bytes, at);
  if (wireType === FIXED64) return [8, at];
  if (wireType === FIXED32) return [4, at];
  throw malformed();
}

/** Reads a varint: its value, exact below 2^53, and where it ends. */
function readVarint(bytes: Uint8Array, at: number): [number, number] {
  let value = 0;
  for (let index = 0; index < 10; index += 1) {
    const byte = bytes[at + index];
    if (byte === undefined) throw malformed();
    value += (byte & 127) * 2 ** (7 * index);
    if (byte < 128) return [value, at + index + 1];
  }
  throw malformed();
}

function bytesOf(raw: Raw): Uint8Array {
  if (typeof raw === 'number') throw malformed();
  return raw;
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function readText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

function malformed(): TypeError {
  return new TypeError('the bytes are no such message');
}
