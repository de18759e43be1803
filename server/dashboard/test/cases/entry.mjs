// How people get in, and what they see when they do not.

import { equal, ok, test } from '../harness.mjs';

test('a link opens the dashboard, and the code leaves the address', async ({ mock, page }) => {
  const link = mock.link();
  await page.goto(link);
  await page.getByRole('heading', { name: 'Live' }).waitFor();
  ok(!page.url().includes('code'), `the address is ${page.url()}`);
  const { headers } = mock.calls.find((call) => call.method === 'DashboardService/Overview');
  ok(headers.authorization.startsWith('Bearer token-'), 'no token was sent');
  equal(headers['browse-content'], 'raw', 'browse-content');
  equal(headers.cookie, undefined, 'cookie');
  equal(await page.evaluate(() => [localStorage.length, document.cookie]), [0, ''], 'storage');
});

test('a reload keeps the dashboard, a second use of the link does not open it', async ({ mock, page }) => {
  const link = mock.link();
  await page.goto(link);
  await page.locator('nav.rail').waitFor();
  await page.reload();
  await page.locator('nav.rail').waitFor();
  await page.goto('about:blank');
  await page.goto(link);
  await page.getByText('This link could not be used.').waitFor();
  await page.getByText('the link was used').waitFor();
  await page.getByText('browse dashboard', { exact: true }).last().waitFor();
});

test('without a link the page says how to get one', async ({ mock, page }) => {
  await page.goto(mock.origin);
  await page.getByText('for a new link').waitFor();
  equal(mock.calls.length, 0, 'calls');
});

test('a token that was revoked leads back to the entry', async (dashboard) => {
  const { mock, page } = dashboard;
  await dashboard.open();
  mock.tokens.clear();
  // Whichever call comes first.
  await page.evaluate(() => (location.hash = '#approvals'));
  await page.getByText('This dashboard has ended.').waitFor();
  await page.getByText('TOKEN_INVALID').waitFor();
  equal(await page.evaluate(() => sessionStorage.getItem('browse-dashboard')), null, 'token');
});
