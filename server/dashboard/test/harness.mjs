// Runs tests one after another, each with its own mock daemon and its own browser context.

import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';
import { Mock } from './mock.mjs';

const PLACES = [
  process.env.BROWSE_CHROMIUM,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  ...(process.env.PATH ?? '')
    .split(':')
    .flatMap((folder) => ['chromium-headless-shell', 'chromium', 'google-chrome'].map((name) => `${folder}/${name}`)),
];
const WAIT_MS = 8_000;
const SHOTS = process.env.DASHBOARD_SHOTS;
const axeSource = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const tests = [];

/** Declares a test; `options` are those of a browser context. */
export function test(name, options, body) {
  tests.push(typeof options === 'function' ? { name, options: {}, body: options } : { name, options, body });
}

/** Waits until a condition of the mock holds. */
export async function until(condition, what) {
  const end = Date.now() + WAIT_MS;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`timed out: ${what}`);
    await new Promise((done) => setTimeout(done, 10));
  }
}

export function equal(actual, expected, what = 'value') {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what}: ${a} is not ${b}`);
}

export function ok(condition, what) {
  if (!condition) throw new Error(what);
}

/** What a test works with. */
class Dashboard {
  constructor(mock, page, seen) {
    this.mock = mock;
    this.page = page;
    /** Requests to other hosts, dialogs, errors of the page. */
    this.seen = seen;
  }

  async open(scopes, readOnly) {
    await this.page.goto(this.mock.link(scopes, readOnly));
    await this.page.locator('nav.rail').waitFor();
  }

  async view(name) {
    await this.page.evaluate((hash) => (location.hash = hash), `#${name}`);
    await this.page.locator(`main[data-view="${name.split('/')[0]}"]`).waitFor();
  }

  text(text) {
    return this.page.getByText(text).first().waitFor();
  }

  button(name) {
    return this.page.getByRole('button', { name, exact: true });
  }

  async openTab(id) {
    await this.view(`live/${id}`);
    await this.page.locator('canvas.page[data-drawn]').waitFor();
  }

  /** Fails when something of the page stands out to the right. */
  async checkWidth(what) {
    const [scroll, client] = await this.page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.documentElement.clientWidth,
    ]);
    ok(scroll <= client, `${what}: the page is ${scroll} px wide in ${client}`);
  }

  async checkAccess(what) {
    await this.page.evaluate(axeSource);
    const violations = await this.page.evaluate(async () => {
      const { violations } = await globalThis.axe.run(document, { resultTypes: ['violations'] });
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(
          ({ id, nodes }) =>
            `${id}: ${nodes
              .map((node) => node.html.slice(0, 120))
              .slice(0, 3)
              .join(' | ')}`,
        );
    });
    ok(violations.length === 0, `${what}: ${violations.join('\n')}`);
  }

  cspViolations() {
    return this.page.evaluate(() => globalThis.cspViolations);
  }

  async shot(name) {
    if (!SHOTS) return;
    await mkdir(SHOTS, { recursive: true });
    await this.page.screenshot({ path: `${SHOTS}/${name}.png` });
  }
}

/** The Chromium that drives the tests. */
export function chromiumPath() {
  return PLACES.find((path) => path && existsSync(path));
}

/** Root cannot use the sandbox. */
export function launchArgs() {
  return process.getuid?.() === 0 ? ['--no-sandbox'] : [];
}

export async function runTests(filter) {
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: launchArgs() });
  let failed = 0;
  const chosen = tests.filter(({ name }) => !filter || name.includes(filter));
  for (const { name, options, body } of chosen) {
    const begin = Date.now();
    const problem = await runOne(browser, options, body);
    if (problem) failed += 1;
    console.log(
      `${problem ? 'FAILED' : 'ok    '} ${name} (${Date.now() - begin} ms)${problem ? `\n       ${problem.stack ?? problem}` : ''}`,
    );
  }
  await browser.close();
  console.log(`${chosen.length - failed} passed, ${failed} failed`);
  return failed;
}

async function runOne(browser, options, body) {
  const mock = new Mock();
  await mock.start();
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const seen = { foreign: [], dialogs: [], errors: [] };
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(WAIT_MS);
    await page.addInitScript(() => {
      globalThis.cspViolations = [];
      document.addEventListener('securitypolicyviolation', (event) =>
        globalThis.cspViolations.push(`${event.violatedDirective} ${event.blockedURI}`),
      );
    });
    page.on('dialog', (dialog) => (seen.dialogs.push(dialog.message()), dialog.dismiss()));
    page.on('pageerror', (error) => seen.errors.push(String(error)));
    page.on(
      'request',
      (request) =>
        !/^(data|blob):/.test(request.url()) &&
        !request.url().startsWith(mock.origin) &&
        seen.foreign.push(request.url()),
    );
    const dashboard = new Dashboard(mock, page, seen);
    await body(dashboard);
    equal(await dashboard.cspViolations(), [], 'violations of the content security policy');
    equal(seen, { foreign: [], dialogs: [], errors: [] }, 'what no page may do');
    return undefined;
  } catch (error) {
    if (seen.errors.length > 0) error.message += `\n       errors of the page: ${seen.errors.join('; ')}`;
    return error;
  } finally {
    await context.close();
    await mock.stop();
  }
}
