// Measures what a person who watches 20 tabs costs: `node test/watch-tabs.mjs FOLDER`, where FOLDER
// holds `browse` and `browsed`. Prints the memory of the daemon before, meanwhile and after, its
// share of a processor, and how many pictures a second arrive.

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { chromium } from 'playwright-core';
import { chromiumPath, launchArgs } from './harness.mjs';
import { realDaemon } from './real-daemon.mjs';

const TABS = 20;
const MEASURE_MS = 10_000;
const TICKS_PER_SECOND = 100;

/** A page that changes all the time. */
const PAGE = `<!doctype html><title>Counter</title><body style="font: 200px sans-serif"><p id="n"></p>
<script>const step = (time) => { n.textContent = Math.floor(time / 50); requestAnimationFrame(step) }; step(0)</script>`;

const programs = process.argv[2];
if (!programs) throw new Error('usage: node test/watch-tabs.mjs FOLDER');
const { browse, pid, remove } = await realDaemon(programs);
const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(PAGE));
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const site = `http://127.0.0.1:${server.address().port}/`;
const browser = await chromium.launch({ executablePath: chromiumPath(), args: launchArgs() });
try {
  await browse('goto', site);
  for (let tab = 1; tab < TABS; tab += 1) await browse('newtab', site);
  const daemon = await pid();
  const before = await memoryOf(daemon);
  const page = await browser.newPage({ viewport: { width: 2_200, height: 2_000 } });
  await page.goto(await browse('dashboard', '--read-only'));
  await page.waitForFunction((count) => document.querySelectorAll('canvas[data-drawn]').length >= count, TABS, {
    timeout: 60_000,
  });
  const [cpu, drawn, begin] = [await ticksOf(daemon), await drawnIn(page), Date.now()];
  await page.waitForTimeout(MEASURE_MS);
  const seconds = (Date.now() - begin) / 1_000;
  const pictures = ((await drawnIn(page)) - drawn) / seconds;
  const share = (((await ticksOf(daemon)) - cpu) / TICKS_PER_SECOND / seconds) * 100;
  const during = await memoryOf(daemon);
  await page.close();
  await browse('dashboard', 'close');
  const after = await memoryOf(daemon);
  console.log(`${TABS} tabs, all on the screen: ${pictures.toFixed(1)} pictures a second, ${share.toFixed(0)} % of a processor`);
  console.log(`memory of the daemon in MiB: ${before} before, ${during} meanwhile, ${after} after`);
} finally {
  await browser.close();
  server.close();
  await remove();
}

async function memoryOf(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return (Number(/^VmRSS:\s+(\d+) kB/m.exec(status)[1]) / 1024).toFixed(1);
}

/** Time on processors, of the process itself. */
async function ticksOf(pid) {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1].split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

function drawnIn(page) {
  return page.evaluate(() =>
    [...document.querySelectorAll('canvas[data-drawn]')].reduce((sum, one) => sum + Number(one.dataset.drawn), 0),
  );
}
