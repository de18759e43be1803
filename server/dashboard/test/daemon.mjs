// Drives the dashboard against a real daemon: `node test/daemon.mjs FOLDER`, where FOLDER holds
// `browse` and `browsed`. With --bench it measures the time from input to picture; with --dist it
// takes the page of dist/ in place of the one in `browsed`.

import { createServer } from 'node:http';
import { chromium } from 'playwright-core';
import { chromiumPath, equal, launchArgs, ok } from './harness.mjs';
import { driveWithAllScopes } from './daemon-skill.mjs';
import { realDaemon, serveDist } from './real-daemon.mjs';

const WAIT_MS = 15_000;

const PAGE = `<!doctype html><title>Sign in</title>
<style>body { margin: 0; background: #fff; height: 2000px } body.hit { background: #c00 }</style>
<input id="name" style="position: fixed; left: 40px; top: 40px; width: 400px; height: 60px">
<select id="list" style="position: fixed; left: 40px; top: 240px; width: 400px; height: 60px"
  onchange="document.title = list.value"><option>One<option>Two</select>
<button id="send" style="position: fixed; left: 40px; top: 140px; width: 400px; height: 60px">Send</button>
<script>
  send.onclick = () => { document.title = prompt('Which code?') + ' for ' + document.getElementById('name').value };
  document.onpointerdown = (event) => { if (event.target === document.body) document.body.classList.add('hit') };
  document.onpointerup = () => document.body.classList.remove('hit');
</script>`;

const programs = process.argv[2];
if (!programs) throw new Error('usage: node test/daemon.mjs FOLDER [--bench] [--dist]');

const { browse, failure, remove } = await realDaemon(programs);

const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(PAGE));
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const site = `http://127.0.0.1:${server.address().port}/`;
const browser = await chromium.launch({ executablePath: chromiumPath(), args: launchArgs() });
let problem;
try {
  await drive();
  console.log('ok     the dashboard of a real daemon\n1 passed, 0 failed');
} catch (error) {
  problem = error;
  console.log(`FAILED the dashboard of a real daemon\n       ${error.stack}\n0 passed, 1 failed`);
} finally {
  await browser.close();
  server.close();
  await remove();
}
process.exitCode = problem ? 1 : 0;

async function drive() {
  await browse('goto', site);
  const link = await browse('dashboard');
  const violations = [];
  const open = async (address) => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    page.setDefaultTimeout(WAIT_MS);
    page.on('console', (message) => /Content Security Policy/.test(message.text()) && violations.push(message.text()));
    page.on('pageerror', (error) => violations.push(String(error)));
    if (process.argv.includes('--dist')) await serveDist(page);
    await page.goto(address);
    return page;
  };
  const page = await open(link);
  ok(!page.url().includes('code='), 'the code stays in the address');

  // The grid shows the tab, and it opens large.
  await page.locator('.card canvas[data-drawn]').first().waitFor();
  await page.locator('.card').first().click();
  const canvas = page.locator('canvas.page[data-drawn]');
  await canvas.waitFor();
  await page.getByText('Sign in').first().waitFor();

  // An agent asks, a person comes.
  await browse('handoff', 'sign in please', '--dashboard');
  await page.getByText('sign in please').first().waitFor();
  await page.getByRole('button', { name: 'Take control' }).first().click();
  const controls = page.getByText('You control default');
  await controls.waitFor();
  ok((await failure('text')).includes('HANDED_OFF'), 'agents wait');

  const at = async (x, y) => {
    const box = await canvas.boundingBox();
    const scale = box.width / (await viewportWidth(page));
    return [box.x + x * scale, box.y + y * scale];
  };
  const click = async (x, y) => page.mouse.click(...(await at(x, y)));
  await click(200, 70);
  await page.keyboard.type('Ada Löwe');
  if (process.argv.includes('--bench')) await measure(page, canvas, at);
  // Chromium draws the list of a select outside of the page.
  await click(200, 270);
  await page.getByRole('button', { name: 'Two' }).click();
  await page.getByText('Two', { exact: true }).first().waitFor();
  await click(200, 170);
  await page.getByText('Which code?').waitFor();
  await page.getByLabel('Answer').fill('4711');
  await page.getByRole('button', { name: 'Accept' }).click();
  await page.getByText('4711 for Ada Löwe').first().waitFor();
  await page.getByPlaceholder('Note to the agent (optional)').fill('done, go on');
  await page.getByRole('button', { name: 'Give back' }).click();
  await controls.waitFor({ state: 'detached' });

  const resumed = await browse('resume');
  for (const part of ['gave it back', 'the person writes: done, go on', '1 same', 'Send']) {
    ok(resumed.includes(part), `${part} is not in ${resumed}`);
  }
  ok((await browse('get', 'title')).includes('4711 for Ada Löwe'), 'the page has the input');
  ok(!(await browse('activity')).includes('4711'), 'the activity has what was typed');

  await driveWithAllScopes({ browse, open });

  // A daemon that ends is missed, and the page says what to do.
  await browse('restart');
  await page.getByText('for a new link').first().waitFor();
  equal(violations, [], 'what the page may not do');
}

async function viewportWidth(page) {
  const width = await page.locator('canvas.page').getAttribute('data-viewport-width');
  return Number(width) || 1280;
}

/** Prints the time from a press of the mouse to the picture that shows it, in milliseconds. */
async function measure(page, canvas, at) {
  const [x, y] = await at(800, 500);
  const times = [];
  const isRed = (wanted) =>
    canvas.evaluate(
      (element, red) =>
        new Promise((done) => {
          const context = element.getContext('2d');
          const look = () => {
            const [r, g] = context.getImageData(element.width / 2, element.height * 0.8, 1, 1).data;
            if ((r > 150 && g < 100) === red) done(performance.now());
            else requestAnimationFrame(look);
          };
          look();
        }),
      wanted,
    );
  await page.mouse.move(x, y);
  for (let round = 0; round < 60; round += 1) {
    const begin = await page.evaluate(() => performance.now());
    await page.mouse.down();
    times.push((await isRed(true)) - begin);
    await page.mouse.up();
    await isRed(false);
  }
  times.sort((a, b) => a - b);
  const part = (share) => times[Math.floor((times.length - 1) * share)].toFixed(1);
  console.log(`input to picture: median ${part(0.5)} ms, p95 ${part(0.95)} ms, of ${times.length}`);
}
