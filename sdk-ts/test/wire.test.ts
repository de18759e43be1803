import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode } from '../src/decode.ts';
import { encode } from '../src/encode.ts';
import { MESSAGES } from '../src/generated/tables.ts';
import { fieldsOf } from '../src/table.ts';

test('requests are the JSON that protobuf asks for', () => {
  assert.deepEqual(encode('ClickRequest', { target: 'a', button: 'right', count: 300, noWait: true }), { target: 'a', button: 'right', count: 300, no_wait: true });
  assert.deepEqual(encode('SelectRequest', { target: 'a', value: ['b', ''] }), { target: 'a', value: ['b', ''] });
  assert.deepEqual(encode('CloseTabRequest', { id: undefined }), {});
  assert.deepEqual(encode('FilePart', { data: Uint8Array.of(0, 0xfb, 0xff) }), { data: 'APv/' });
});

test('a step packs its request', () => {
  const steps = [{ tab: 3, request: { '@type': 'PressRequest', key: 'a' } }];
  const json = encode('ChainRequest', { steps });
  assert.deepEqual(json, { steps: [{ tab: 3, request: { '@type': 'type.googleapis.com/browse.v1.PressRequest', key: 'a' } }] });
  const whole = [{ tab: 3, request: { '@type': 'PressRequest', key: 'a', noWait: false } }];
  assert.deepEqual(decode('ChainRequest', json), { steps: whole });
});

test('answers have their zero values, and no absent ones', () => {
  assert.deepEqual(decode('GotoResponse', { title: 'hi' }), { url: '', title: 'hi', suggestedSkills: [] });
});

test('unknown fields of a newer daemon are skipped', () => {
  assert.deepEqual(decode('GetUrlResponse', { url: 'a', newer: { x: [1] }, untrusted: { nonce: 'n' } }), { url: 'a' });
});

test('numbers, bytes, maps and nested messages come back', () => {
  const box = { x: 1.5, y: -2, width: 0, height: 1e9 };
  assert.deepEqual(decode('GetResponse', encode('GetResponse', { value: 'v', box })), { value: 'v', box });
  const error = { reason: 'R', message: '', hint: '', metadata: { a: '1', b: '' }, page: [{ about: 'cover', text: 'dialog' }] };
  assert.deepEqual(decode('StepError', encode('StepError', error)), error);
  const far = { time_ms: String(Number.MAX_SAFE_INTEGER) };
  assert.equal(decode('ConsoleMessage', far).timeMs, Number.MAX_SAFE_INTEGER);
  const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256);
  assert.deepEqual(decode('FilePart', encode('FilePart', { data: bytes })).data, bytes);
});

test('JSON in text is read', () => {
  assert.deepEqual(decode('JsResponse', { value: '{"a":1}' }), { value: { a: 1 } });
  assert.deepEqual(decode('JsResponse', {}), { value: null });
});

test('what does not fit is refused', () => {
  assert.throws(() => encode('ClickRequest', { taget: 'a' }), /`ClickRequest` has no field `taget`/);
  assert.throws(() => encode('ClickRequest', { target: 3 }), /`target` wants text/);
  assert.throws(() => encode('ClickRequest', { button: 'top' }), /one of left, right, middle/);
  assert.throws(() => encode('CloseTabRequest', { id: 1.5 }), /a whole number/);
});

test('each field has a name in JSON', () => {
  for (const message of Object.keys(MESSAGES)) {
    for (const { key } of fieldsOf(message)) assert.match(key, /^[a-z][a-z0-9_]*$/, message);
  }
});
