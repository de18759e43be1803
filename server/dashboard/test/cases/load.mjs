// The charts of the last hour, the memory of tabs, and the page that is cleaned up.

import { equal, ok, test } from '../harness.mjs';

const MINUTE_MS = 60_000;

/** A call that ended so many minutes of the clock ago. */
function entry(minutes, duration_ms, part = {}) {
  return {
    time: new Date((Math.floor(Date.now() / MINUTE_MS) - minutes) * MINUTE_MS + 1).toISOString(),
    client: 'root',
    command: 'click',
    target: '',
    element: '',
    duration_ms,
    outcome: 'ok',
    session: 'default',
    raw: false,
    trace_id: '',
    ...part,
  };
}

const panel = (page) => page.getByRole('region', { name: 'Load', exact: true });

/** Opens the view soon after a minute has begun, so that it does not end meanwhile. */
async function open(dashboard, activity) {
  const { page, mock } = dashboard;
  const rest = MINUTE_MS - (Date.now() % MINUTE_MS);
  if (rest < 10_000) await new Promise((done) => setTimeout(done, rest + 10));
  mock.activity = activity();
  await dashboard.open();
  await dashboard.view('system');
  await panel(page).waitFor();
}

function hour() {
  const durations = Array.from({ length: 20 }, (_, index) => entry(5, index + 1));
  return [
    entry(70, 9_999),
    entry(59, 40, { command: 'goto' }),
    ...durations,
    entry(3, 100, { outcome: 'REF_STALE' }),
    entry(3, 300, { command: 'snapshot' }),
    entry(0, 12.34, { command: 'skill run', outcome: 'SKILL_FAILED' }),
  ];
}

test('the charts have the calls, the latency and the errors of each minute', async (dashboard) => {
  const { page } = dashboard;
  await open(dashboard, hour);
  await panel(page).getByText('24 calls and 2 errors in 60 minutes', { exact: true }).waitFor();
  const chart = (name) => panel(page).getByRole('img', { name: new RegExp(`^${name}`) });
  equal(
    await Promise.all(
      ['Calls', 'Latency', 'Errors'].map(async (name) => (await chart(name).getAttribute('aria-label')) ?? ''),
    ),
    [
      'Calls a minute, in 60 minutes: at most 20',
      'Latency, in 60 minutes: p95 at most 300 ms, median at most 100 ms',
      'Errors a minute, in 60 minutes: at most 1',
    ],
    'labels',
  );
  const bars = await chart('Calls')
    .locator('rect')
    .evaluateAll((all) => all.map((bar) => ['x', 'height'].map((name) => Number(bar.getAttribute(name)))));
  equal(
    bars.map(([x]) => (x - 1) / 10),
    [0, 54, 56, 59],
    'minutes with calls',
  );
  equal(
    bars.map(([, height]) => height.toFixed(1)),
    ['3.9', '78.0', '7.8', '3.9'],
    'heights',
  );
  equal(
    await chart('Latency').locator('path').evaluateAll((all) => all.map((path) => path.getAttribute('d'))),
    ['M0 69.6H10M540 75.1H550M560 2.0H570M590 76.8H600', 'M0 69.6H10M540 77.4H550M560 54.0H570M590 76.8H600'],
    'lines',
  );
  await panel(page).getByText('As a table').click();
  const rows = await panel(page)
    .locator('tbody tr')
    .evaluateAll((all) => all.map((row) => [...row.cells].slice(1).map((cell) => cell.textContent)));
  equal(
    rows,
    [
      ['1', '12 ms', '12 ms', '1'],
      ['2', '100 ms', '300 ms', '1'],
      ['20', '10 ms', '19 ms', '0'],
      ['1', '40 ms', '40 ms', '0'],
    ],
    'rows',
  );
  await dashboard.shot('charts');
});

test('the charts are of one class of commands', async (dashboard) => {
  const { page } = dashboard;
  await open(dashboard, hour);
  for (const [name, text] of [
    ['Navigation', '1 call and 0 errors'],
    ['Actions in pages', '21 calls and 1 error'],
    ['Reading', '1 call and 0 errors'],
    ['Other commands', '1 call and 1 error'],
    ['All commands', '24 calls and 2 errors'],
  ]) {
    await panel(page).getByLabel('Commands').selectOption(name);
    await panel(page).getByText(`${text} in 60 minutes`, { exact: true }).waitFor();
  }
});

test('charts of less than an hour say so', async (dashboard) => {
  const { page } = dashboard;
  await open(dashboard, () => Array.from({ length: 2_000 }, () => entry(2, 5)));
  await panel(page).getByText('the daemon keeps the last 2,000 calls, which began at').waitFor();
});

test('without calls the charts are empty', async (dashboard) => {
  const { page } = dashboard;
  await open(dashboard, () => []);
  await panel(page).getByText('0 calls and 0 errors in 60 minutes').waitFor();
  equal(await panel(page).locator('rect').count(), 0, 'bars');
});

test('each tab has a bar of its memory', async (dashboard) => {
  const { mock, page } = dashboard;
  const memory = mock.answers['DaemonService/Memory'];
  const [tab] = memory.tabs;
  mock.answers['DaemonService/Memory'] = {
    ...memory,
    tabs: [tab, { ...tab, id: '2', heap_used_bytes: '3000000' }, { ...tab, id: '3', heap_used_bytes: undefined }],
  };
  await dashboard.open();
  await dashboard.view('system');
  await page.locator('.tab-share').first().waitFor();
  const widths = await page
    .locator('.tab-share rect:last-child')
    .evaluateAll((all) => all.map((bar) => bar.getAttribute('width')));
  equal(widths, ['72', '18'], 'widths');
});

test('a page is cleaned up, and says of what', async (dashboard) => {
  const { mock, page } = dashboard;
  mock.answers['BrowserService/Cleanup'] = { summary: 'ads 3, cookies 1', removed: [], unlocked: false };
  await dashboard.open();
  await dashboard.openTab(1);
  await dashboard.button('Hide ads, banners and bars').click();
  await page.getByText('Hidden: ads 3, cookies 1.').waitFor();
  equal(mock.requests('BrowserService/Cleanup'), [{ all: true }], 'requests');
});

for (const colorScheme of ['light', 'dark']) {
  const viewport = { width: 320, height: 640 };
  test(`the charts can be read at 320 px, ${colorScheme}`, { viewport, colorScheme }, async (dashboard) => {
    const { page } = dashboard;
    await open(dashboard, hour);
    await panel(page).getByText('As a table').click();
    await dashboard.checkAccess('charts');
    await dashboard.checkWidth('charts');
    await dashboard.shot(`320-${colorScheme}-charts`);
  });
}
