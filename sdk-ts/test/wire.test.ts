import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode } from '../src/decode.ts';
import { encode } from '../src/encode.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

// The bytes below were written by protoc's rules, by hand: they do not come
// from the encoder under test.
test('requests are the bytes that protobuf asks for', () => {
  assert.equal(hex(encode('FillRequest', { target: '@e4', text: 'Ada' })), '0a03406534' + '1203416461');
  assert.equal(hex(encode('ClickRequest', { target: 'a', button: 'right', count: 300 })), '0a0161' + '1002' + '18ac02');
  assert.equal(hex(encode('SelectRequest', { target: 'a', value: ['b', ''] })), '0a0161' + '120162' + '1200');
  assert.equal(hex(encode('CloseTabRequest', { id: 0 })), '0800');
});

test('a step packs its request', () => {
  const steps = [{ tab: 3, request: { '@type': 'PressRequest', key: 'a' } }];
  const any = Buffer.from('\n*type.googleapis.com/browse.v1.PressRequest\x12\x03\n\x01a', 'latin1').toString('hex');
  assert.equal(hex(encode('ChainRequest', { steps })), `0a35` + '0803' + `1231${any}`);
  const whole = [{ tab: 3, request: { '@type': 'PressRequest', key: 'a', noWait: false } }];
  assert.deepEqual(decode('ChainRequest', encode('ChainRequest', { steps })), { steps: whole });
});

test('answers have their zero values, and no absent ones', () => {
  assert.deepEqual(decode('GotoResponse', Buffer.from('12026869', 'hex')), { url: 'hi', title: '', suggestedSkills: [] });
});

test('unknown fields of a newer daemon are skipped', () => {
  const newer = 'fa0601ff' + 'f10600000000000000f0' + 'f50600000000' + 'f80601';
  assert.deepEqual(decode('GetUrlResponse', Buffer.from(`0a0161${newer}`, 'hex')), { url: 'a' });
});

test('numbers, floats, maps and nested messages come back', () => {
  const box = { x: 1.5, y: -2, width: 0, height: 1e9 };
  assert.deepEqual(decode('GetResponse', encode('GetResponse', { value: 'v', box })), { value: 'v', box });
  const error = { reason: 'R', message: '', hint: '', metadata: { a: '1', b: '' }, page: [{ about: 'cover', text: 'dialog' }] };
  assert.deepEqual(decode('StepError', encode('StepError', error)), error);
  const far = { timeMs: Number.MAX_SAFE_INTEGER, level: '', text: '', location: '' };
  assert.deepEqual(decode('ConsoleMessage', encode('ConsoleMessage', far)), far);
});

test('JSON in text is read', () => {
  assert.deepEqual(decode('JsResponse', Buffer.from('0a077b2261223a317d', 'hex')), { value: { a: 1 } });
  assert.deepEqual(decode('JsResponse', new Uint8Array()), { value: null });
});

test('what does not fit is refused', () => {
  assert.throws(() => encode('ClickRequest', { taget: 'a' }), /`ClickRequest` has no field `taget`/);
  assert.throws(() => encode('ClickRequest', { target: 3 }), /`target` wants text/);
  assert.throws(() => encode('ClickRequest', { button: 'top' }), /one of left, right, middle/);
  assert.throws(() => encode('CloseTabRequest', { id: 1.5 }), /a whole number/);
});

test('torn bytes are no message', () => {
  for (const torn of ['0a09', '0a0961', '0aff', '0f', '08']) {
    assert.throws(() => decode('GetUrlResponse', Buffer.from(torn, 'hex')), /no such message/, torn);
  }
});
