import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { BrowseError } from './_lib/browse.ts';
import { type Arguments, type Browser, loginAndSave } from './login.ts';

const env = { LOGIN_ORIGIN: 'https://shop.example', LOGIN_USER: 'ada', LOGIN_PASSWORD: 'pa55 wörd' };
const args: Arguments = {
  login: 'https://shop.example/login',
  save: 'https://shop.example/invoices/7.pdf',
  path: '/tmp/',
  'user-field': '#user',
  'password-field': '#password',
};

/** A browser that records its calls; the page is at `at`. */
function browser(at = args.login, over: Partial<Record<keyof Browser, (...given: never[]) => unknown>> = {}) {
  const calls: unknown[][] = [];
  const answers = { url: () => at, is: () => false, download: () => ({ path: '/tmp/7.pdf', url: args.save, mime: 'application/pdf', bytes: 3, sha256: 'ab', note: 'n' }), ...over };
  const browse = new Proxy({}, {
    get: (_, name: string) => async (...given: never[]) => {
      calls.push([name, ...given]);
      return (answers as Record<string, (...given: never[]) => unknown>)[name]?.(...given);
    },
  });
  return { browse: browse as Browser, calls };
}

test('it logs in, and saves', async () => {
  const { browse, calls } = browser();
  const saved = await loginAndSave(browse, args, env);
  assert.deepEqual(saved, { path: '/tmp/7.pdf', url: args.save, mime: 'application/pdf', bytes: 3, sha256: 'ab' });
  assert.deepEqual(calls.filter(([name]) => name === 'fill'), [['fill', '#user', 'ada'], ['fill', '#password', 'pa55 wörd']]);
  assert.deepEqual(calls.at(-1), ['download', args.save, '/tmp/']);
});

test('the password goes into its field, and nowhere else', async () => {
  const { browse, calls } = browser();
  const saved = await loginAndSave(browse, args, env);
  const others = calls.filter((call) => call[1] !== '#password');
  assert.doesNotMatch(JSON.stringify([others, saved]), /pa55/);
});

test('it is typed on the origin that it belongs to only', async () => {
  for (const change of [{ login: 'https://evil.example/' }, { save: 'https://evil.example/' }, { login: 'https://shop.example.evil.example/' }, { login: 'http://shop.example/' }, { login: 'nonsense' }]) {
    const { browse, calls } = browser();
    await assert.rejects(loginAndSave(browse, { ...args, ...change }, env), /is not of LOGIN_ORIGIN/);
    assert.deepEqual(calls, []);
  }
  const { browse, calls } = browser('https://evil.example/login');
  await assert.rejects(loginAndSave(browse, args, env), /leads to another origin/);
  assert.ok(calls.every(([name]) => name !== 'fill'));
});

test('a page that moves after the name was typed does not get the password', async () => {
  const places = [args.login, 'https://evil.example/'];
  const { browse, calls } = browser(args.login, { url: () => places.shift() });
  await assert.rejects(loginAndSave(browse, args, env), /leads to another origin/);
  assert.deepEqual(calls.filter(([name]) => name === 'fill').length, 1);
});

test('no error repeats a secret', async () => {
  const leak = () => {
    throw new BrowseError('ELEMENT_DISABLED', 'the field with pa55 wörd is disabled');
  };
  for (const given of [browser(args.login, { fill: leak }), browser(args.login, { is: () => true })]) {
    const error = await loginAndSave(given.browse, args, env).catch((caught: Error) => caught);
    assert.ok(error instanceof Error);
    assert.doesNotMatch(String(error.stack), /pa55|wörd/);
  }
});

test('a variable that is missing is named', async () => {
  const { browse } = browser();
  await assert.rejects(loginAndSave(browse, args, { LOGIN_USER: 'a' }), /LOGIN_ORIGIN, LOGIN_PASSWORD is not set/);
  await assert.rejects(loginAndSave(browse, args, { ...env, LOGIN_ORIGIN: 'https://shop.example/login' }), /is no origin/);
});

test('the manifest takes no secret as an argument', () => {
  const manifest = readFileSync('SKILL.md', 'utf8').split('---')[1] ?? '';
  const names = [...manifest.matchAll(/- name: (.+)/g)].map((match) => match[1]);
  assert.deepEqual(names, ['login', 'save', 'path', 'user-field', 'password-field']);
});
