// The grid, and one tab large.

import { equal, ok, test, until } from '../harness.mjs';

/** The color in the middle of the bar at the top of a picture. */
function colorOf(page, selector) {
  return page
    .locator(selector)
    .evaluate((canvas) => [...canvas.getContext('2d').getImageData(canvas.width / 2, 10, 1, 1).data]);
}

function isClose(color, wanted) {
  return wanted.every((value, index) => Math.abs(value - color[index]) < 12);
}

test('the grid draws the tabs, and acknowledges with one request at a time', async (dashboard) => {
  const { mock, page } = dashboard;
  await dashboard.open();
  for (const id of [1, 2, 3, 4]) await page.locator(`.card[data-tab="${id}"] canvas[data-drawn]`).waitFor();
  ok(isClose(await colorOf(page, '.card[data-tab="1"] canvas'), [0x2f, 0x8f, 0x4f]), 'tab 1 is not green');
  ok(isClose(await colorOf(page, '.card[data-tab="2"] canvas'), [0x30, 0x50, 0xc0]), 'tab 2 is not blue');
  const [request] = mock.requests('DashboardService/ViewTabs');
  equal([request.width, request.fps, request.tabs], [320, 2, ['1', '2', '3', '4', '5']], 'request');
  for (let count = 0; count < 20; count += 1) mock.pushPicture(1);
  await until(
    () => mock.requests('DashboardService/UpdateView').some(({ received }) => Number(received) === mock.sequence),
    'the last picture is acknowledged',
  );
  const updates = mock.requests('DashboardService/UpdateView');
  ok(
    updates.every(({ view }) => view === request.view),
    'another view',
  );
  equal(mock.mostInFlight['DashboardService/UpdateView'], 1, 'requests in flight');
  ok(updates.length < 22, `${updates.length} acknowledgements`);
});

test('a session that waits for a person stands on top, with its reason', async (dashboard) => {
  const { page } = dashboard;
  await dashboard.open();
  await page.locator('section.session').first().getByText('Please solve the captcha').waitFor();
  equal(await page.title(), '(3) browse dashboard', 'title');
});

test('a session that somebody else holds says who and why', async (dashboard) => {
  const { page } = dashboard;
  await dashboard.open();
  await page.locator('.card[data-tab="5"] .cover').getByText('Held by dashboard-2: typing a second factor').waitFor();
  await page.locator('section[aria-label="Session bank"]').getByRole('button', { name: 'Take control' }).click();
  await dashboard.text('dashboard-2 controls it. Take it over?');
  await dashboard.button('Take over').click();
  await dashboard.text('You control bank. Agents wait.');
  equal(dashboard.mock.requests('DashboardService/TakeControl').at(-1).force, true, 'force');
});

test('a tab is shown large, with what the agent did', async (dashboard) => {
  const { mock, page } = dashboard;
  await dashboard.open();
  await page.locator('.card[data-tab="1"]').click();
  await page.locator('canvas.page[data-drawn]').waitFor();
  ok(isClose(await colorOf(page, 'canvas.page'), [0x2f, 0x8f, 0x4f]), 'tab 1 is not green');
  await until(
    () =>
      mock.requests('DashboardService/UpdateView').some(({ large, large_width }) => large === '1' && large_width > 400),
    'the tab is asked for in large',
  );
  await until(
    () => mock.requests('DashboardService/UpdateView').at(-1).large === '1' || mock.shown.join() === '1',
    'only the large tab is shown',
  );
  mock.tab(1).last_action = { time: new Date().toISOString(), client: 'claude', command: 'click', x: 640, y: 400 };
  mock.pushOverview();
  await page.locator('.picture .marker').waitFor();
  await dashboard.text('claude clicked');
  const [marker, picture] = [
    await page.locator('.picture .marker').boundingBox(),
    await page.locator('.picture').boundingBox(),
  ];
  ok(Math.abs(marker.x + marker.width / 2 - picture.x - picture.width / 2) < 3, 'the marker is not in the middle');
  mock.pushPicture(1, { state: 'still', jpeg: '' });
  await page.locator('.picture .still').waitFor();
  await dashboard.shot('large');
});

test('nothing is streamed but the overview while nobody sees the page', async (dashboard) => {
  const { mock, page } = dashboard;
  await dashboard.open();
  await page.locator('.card[data-tab="1"] canvas[data-drawn]').waitFor();
  await until(() => mock.streams.get('DashboardService/ViewTabs').size === 1, 'pictures come');
  const show = (state) =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => value });
      document.dispatchEvent(new Event('visibilitychange'));
    }, state);
  await show('hidden');
  await until(() => mock.streams.get('DashboardService/ViewTabs').size === 0, 'pictures end');
  equal(mock.streams.get('DashboardService/Overview').size, 1, 'overviews');
  await show('visible');
  await until(() => mock.streams.get('DashboardService/ViewTabs').size === 1, 'pictures come again');
  await dashboard.view('timeline');
  await until(() => mock.streams.get('DaemonService/Activity')?.size === 1, 'the activity comes');
  await show('hidden');
  await until(() => mock.streams.get('DaemonService/Activity').size === 0, 'the activity ends');
  await show('visible');
  await until(() => mock.streams.get('DaemonService/Activity').size === 1, 'the activity comes again');
});

test('a tab that is not drawn can be brought to the front', async (dashboard) => {
  const { mock, page } = dashboard;
  await dashboard.open();
  await dashboard.openTab(2);
  mock.answers['BrowserService/ActivateTab'] = { url: '' };
  mock.pushPicture(2, { state: 'hidden', jpeg: '', width: 0, height: 0 });
  await dashboard.text('Behind another tab, so it is not drawn');
  await dashboard.button('Bring to front').click();
  await until(() => mock.requests('BrowserService/ActivateTab').length === 1, 'the tab is brought to the front');
  mock.pushPicture(2);
  await page.locator('.cover').waitFor({ state: 'detached' });
});

test('only the newest picture is drawn while one is decoded', async (dashboard) => {
  const { mock, page } = dashboard;
  await dashboard.open();
  await dashboard.openTab(1);
  const { FRAMES } = await import('../frames.mjs');
  const { send } = await import('../mock.mjs');
  // Otherwise each change of the size brings one more picture, perhaps after the last one here.
  mock.overrides['DashboardService/UpdateView'] = (_, response) => send(response, { tabs: 1 });
  for (let count = 0; count < 30; count += 1) mock.pushPicture(1);
  mock.pushPicture(1, { jpeg: FRAMES.red });
  await until(async () => isClose(await colorOf(page, 'canvas.page'), [0xc0, 0x30, 0x30]), 'the last picture is drawn');
});

test('the toolbar acts on the tab', async (dashboard) => {
  const { mock, page } = dashboard;
  await dashboard.open();
  await dashboard.openTab(2);
  const [download] = await Promise.all([page.waitForEvent('download'), dashboard.button('Save a screenshot').click()]);
  equal(download.suggestedFilename(), 'tab-2.png', 'name');
  const [pdf] = await Promise.all([page.waitForEvent('download'), dashboard.button('Save as PDF').click()]);
  equal(pdf.suggestedFilename(), 'tab-2.pdf', 'name');
  await dashboard.button('Show refs').click();
  await page.locator('.ref-box').nth(1).waitFor();
  await page.locator('.ref-list').getByText('Save').waitFor();
  await dashboard.shot('refs');
  await dashboard.button('Stop loading').click();
  await until(() => mock.requests('BrowserService/StopLoading').length === 1, 'loading is stopped');
  const { headers } = mock.calls.find(({ method }) => method === 'BrowserService/StopLoading');
  equal([headers['browse-tab'], headers['browse-session']], ['2', 'default'], 'headers');
  await dashboard.button('Close the tab').click();
  await page.getByRole('heading', { name: 'Live' }).waitFor();
  equal(mock.requests('BrowserService/CloseTab'), [{ id: '2' }], 'requests');
});
