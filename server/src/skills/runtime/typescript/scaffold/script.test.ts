import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from './parser.ts';

test('the headings of the fixture', () => {
  assert.deepEqual(parse(readFileSync('fixtures/{fixture}', 'utf8')), ['Fish & ships', 'Harbour news']);
});

test('a page without headings has none', () => {
  assert.deepEqual(parse('<p>Sorry.</p>'), []);
});
