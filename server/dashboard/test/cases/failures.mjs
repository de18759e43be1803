// The daemon goes away, comes back, is replaced, or does not answer.

import { equal, ok, test, until } from '../harness.mjs';

test('a daemon that goes away is reported, and the page comes back by itself', async (dashboard) => {
  const { mock, page } = dashboard;
  await dashboard.open();
  await page.locator('.card[data-tab="1"] canvas[data-drawn]').waitFor();
  await mock.stop();
  await dashboard.text('The daemon does not answer; trying again.');
  await dashboard.shot('away');
  mock.tab(1).title = 'Back again';
  await mock.start();
  await dashboard.text('Back again');
  await page.locator('.banner.warning').waitFor({ state: 'detached' });
  await until(() => mock.streams.get('DashboardService/ViewTabs')?.size === 1, 'pictures come again');
});

test('a daemon that was restarted says to get a new link', async (dashboard) => {
  const { mock, page } = dashboard;
  await dashboard.open();
  await page.locator('.card').first().waitFor();
  await mock.stop();
  await dashboard.text('The daemon does not answer; trying again.');
  mock.tokens.clear();
  await mock.start();
  await dashboard.text('The daemon was restarted; run');
});

test('a newer version offers to reload', async (dashboard) => {
  const { mock, page } = dashboard;
  await dashboard.open();
  await page.locator('.card').first().waitFor();
  mock.overview.build_id = 'build-2';
  mock.pushOverview();
  await dashboard.text('A newer version of the daemon serves this page.');
  await page.locator('.banner').getByRole('button', { name: 'Reload' }).click();
  await page.locator('.card').first().waitFor();
  equal(await page.locator('.banner').count(), 0, 'banners');
});

test('a request that never answers ends with an error', async (dashboard) => {
  const { mock, page } = dashboard;
  await page.clock.install();
  await dashboard.open();
  mock.overrides['DaemonService/Memory'] = () => {};
  await dashboard.view('system');
  const panel = page.locator('section[aria-label="Memory"]');
  await panel.getByText('Loading…').waitFor();
  await until(() => mock.requests('DaemonService/Memory').length === 1, 'the call is made');
  await page.clock.fastForward(17_000);
  await panel.getByText('No answer within 15 s.').waitFor();
  delete mock.overrides['DaemonService/Memory'];
  await panel.getByRole('button', { name: 'Retry' }).click();
  await panel.getByText('in all').waitFor();
});

test('a stream that never begins ends with an error, and is tried again', async (dashboard) => {
  const { mock, page } = dashboard;
  await page.clock.install();
  mock.overrides['DashboardService/Overview'] = () => {};
  await dashboard.open();
  await until(() => mock.requests('DashboardService/Overview').length === 1, 'the call is made');
  await page.clock.fastForward(17_000);
  await dashboard.text('No answer within 15 s.');
  delete mock.overrides['DashboardService/Overview'];
  await page.clock.fastForward(5_000);
  await page.locator('.card').first().waitFor();
  ok((await page.locator('.failure').count()) === 0, 'the error is still shown');
});

test('a refused takeover is shown where it happened', async (dashboard) => {
  const { mock, page } = dashboard;
  const { fail } = await import('../mock.mjs');
  await dashboard.open();
  await dashboard.openTab(1);
  mock.overrides['DashboardService/TakeControl'] = (_, response) =>
    fail(response, 'failed_precondition', 'HANDED_OFF', '`dashboard-9` holds the session', 'Wait');
  await dashboard.button('Take control').click();
  await page.locator('.toolbar .failure').getByText('`dashboard-9` holds the session').waitFor();
});
