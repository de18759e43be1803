// Sessions that last, the cookies of a session, and those of other browsers.

import { equal, ok, test, until } from '../harness.mjs';
import { fail, send } from '../mock.mjs';

function panel(page, name) {
  return page.locator(`section.panel[aria-label="${name}"]`);
}

function row(page, name) {
  return panel(page, 'Sessions')
    .locator('tbody tr')
    .filter({ has: page.getByRole('cell', { name, exact: true }) });
}

async function open(dashboard, scopes) {
  await dashboard.open(scopes);
  await dashboard.view('sessions');
}

/** The cookies of other browsers, listed. */
async function listBrowsers(dashboard) {
  await open(dashboard);
  await dashboard.button('List the cookies of other browsers').click();
  await panel(dashboard.page, 'Import from a browser').getByText('5 of 5 domains').waitFor();
}

test('sessions say whether they last, and one is kept', async (dashboard) => {
  const { mock, page } = dashboard;
  await open(dashboard);
  await row(page, 'shop')
    .getByText(/saved \d+ min ago/)
    .waitFor();
  await row(page, 'default').getByRole('cell', { name: 'no', exact: true }).waitFor();
  equal(await row(page, 'shop').getByRole('button', { name: 'Keep' }).count(), 0, 'buttons');
  const [first] = mock.answers['DaemonService/ListSessions'].sessions;
  mock.overrides['DaemonService/NewSession'] = (request, response) => {
    mock.answers['DaemonService/ListSessions'] = { sessions: [{ ...first, kept: true }] };
    send(response, { name: request.name, restored: '' });
  };
  await row(page, 'default').getByRole('button', { name: 'Keep' }).press('Enter');
  await row(page, 'default').getByText('not saved yet').waitFor();
  await dashboard.text('default is open and kept.');
  equal(mock.requests('DaemonService/NewSession'), [{ name: 'default', keep: true }], 'requests');
});

test('a session is opened, with what it held before', async (dashboard) => {
  const { mock, page } = dashboard;
  await open(dashboard);
  const form = page.getByRole('form', { name: 'New session' });
  await form.getByLabel('Name of the session').fill('not a name');
  await page.keyboard.press('Enter');
  equal(mock.requests('DaemonService/NewSession'), [], 'requests');
  await form.getByLabel('Name of the session').fill('work');
  await page.keyboard.press('Enter');
  await dashboard.text('work is open. 12 cookies and 2 tabs from before');
  await form.getByLabel('Name of the session').fill('work');
  await form.getByLabel('Keep its cookies, storage and tabs').check();
  await dashboard.button('New session').click();
  await dashboard.text('work is open and kept.');
  mock.overrides['DaemonService/NewSession'] = (_, response) =>
    fail(response, 'failed_precondition', 'SESSION_KEPT_BY_ANOTHER', 'another daemon has `work`', 'Close it there');
  await form.getByLabel('Name of the session').fill('work');
  await page.keyboard.press('Enter');
  await panel(page, 'Sessions').locator('.failure').getByText('Close it there.').waitFor();
  equal(
    mock.requests('DaemonService/NewSession').slice(0, 2),
    [{ name: 'work' }, { name: 'work', keep: true }],
    'requests',
  );
});

test('a kept session that is not open is opened, or forgotten', async (dashboard) => {
  const { mock, page } = dashboard;
  const [, kept] = mock.answers['DaemonService/ListSessions'].sessions;
  mock.answers['DaemonService/ListSessions'] = {
    sessions: [{ ...kept, name: 'old', tabs: 0, browser: 'none: it is not open' }],
  };
  await open(dashboard);
  await row(page, 'old').getByText('none: it is not open').waitFor();
  equal(await row(page, 'old').getByRole('button').allTextContents(), ['Open', 'Forget…'], 'buttons');
  await row(page, 'old').getByRole('button', { name: 'Open' }).click();
  await dashboard.text('old is open and kept. 12 cookies and 2 tabs from before');
  await row(page, 'old').getByRole('button', { name: 'Forget…' }).click();
  await dashboard.button('Forget the logins of old').click();
  await dashboard.text('old is forgotten.');
  equal(mock.requests('DaemonService/NewSession'), [{ name: 'old', keep: true }], 'opened');
  equal(mock.requests('DaemonService/CloseSession'), [{ name: 'old', forget: true }], 'forgotten');
});

test('sessions are closed and forgotten after a question', async (dashboard) => {
  const { mock, page } = dashboard;
  await open(dashboard);
  await row(page, 'default').getByRole('button', { name: 'Close…' }).press('Enter');
  await page.waitForFunction(() => document.activeElement?.textContent === 'Cancel');
  await page.keyboard.press('Enter');
  equal(mock.requests('DaemonService/CloseSession'), [], 'requests');
  await row(page, 'default').getByRole('button', { name: 'Close…' }).click();
  await dashboard.button('Close default, lose its logins').click();
  await dashboard.text('default is closed.');
  await row(page, 'shop').getByRole('button', { name: 'Close…', exact: true }).click();
  await dashboard.button('Close shop, keep its logins').click();
  await dashboard.text('shop is closed.');
  await row(page, 'shop').getByRole('button', { name: 'Close and forget…' }).click();
  await dashboard.button('Close shop, forget its logins').click();
  await dashboard.text('shop is forgotten.');
  equal(
    mock.requests('DaemonService/CloseSession'),
    [{ name: 'default' }, { name: 'shop' }, { name: 'shop', forget: true }],
    'requests',
  );
});

test('cookies are grouped by host, and those of a host are removed', async (dashboard) => {
  const { mock, page } = dashboard;
  await open(dashboard);
  const cookies = panel(page, 'Cookies');
  await cookies.getByRole('rowheader').first().waitFor();
  const heads = await cookies
    .locator('th[colspan] > .row')
    .evaluateAll((all) => all.map((head) => head.firstChild.textContent));
  equal(heads, ['example.com', 'shop.example.com'], 'hosts');
  await cookies.getByRole('button', { name: 'Remove those of example.com…' }).press('Enter');
  await page.waitForFunction(() => document.activeElement?.textContent === 'Cancel');
  equal(mock.requests('BrowserService/DeleteCookie'), [], 'requests before the answer');
  mock.overrides['BrowserService/DeleteCookie'] = ({ name }, response) =>
    name === 'theme'
      ? fail(response, 'not_found', 'COOKIE_NOT_FOUND', 'no such cookie', 'Look')
      : send(response, { removed: 2 });
  await dashboard.button('Remove 3 cookies of example.com').click();
  await dashboard.text('Removed 2 cookies of example.com.');
  const requests = mock.requests('BrowserService/DeleteCookie');
  equal(
    requests.map(({ name, domain }) => `${name} ${domain}`).sort(),
    ['sid example.com', 'theme example.com'],
    'requests',
  );
  const { headers } = mock.calls.find(({ method }) => method === 'BrowserService/DeleteCookie');
  equal(headers['browse-session'], 'default', 'session');
  await until(() => mock.requests('BrowserService/Cookies').length === 2, 'the list is loaded again');
  mock.overrides['BrowserService/DeleteCookie'] = (_, response) =>
    fail(response, 'permission_denied', 'HOST_DENIED', 'the host is not allowed', 'Ask');
  await cookies.getByRole('button', { name: 'Remove those of shop.example.com…' }).click();
  await dashboard.button('Remove 1 cookie of shop.example.com').click();
  await cookies.locator('.failure').getByText('The host is not allowed.').waitFor();
  ok(!(await page.content()).includes('secr'), 'a value is on the page');
});

test('cookies of another session are never removed from this one', async (dashboard) => {
  const { mock, page } = dashboard;
  await open(dashboard);
  const cookies = panel(page, 'Cookies');
  await cookies.getByRole('button', { name: 'Remove those of example.com…' }).waitFor();
  mock.overrides['BrowserService/Cookies'] = () => {};
  await cookies.getByLabel('Session').selectOption('shop');
  await cookies.getByText('Loading…').waitFor();
  equal(await cookies.getByRole('rowheader').count(), 0, 'hosts');
});

test('cookies of a domain are imported from a profile of a browser', async (dashboard) => {
  const { mock, page } = dashboard;
  await listBrowsers(dashboard);
  const importing = panel(page, 'Import from a browser');
  equal(mock.requests('BrowserService/ImportBrowserCookies'), [{}], 'requests');
  await importing.getByLabel('Filter of domains').fill('profile example');
  await importing.getByText('1 of 1 domains').waitFor();
  await importing.getByText('and all below').waitFor();
  await importing.getByLabel('Session').selectOption('shop');
  await importing.getByRole('button', { name: 'Import .example.com from chrome, Profile 1' }).press('Enter');
  await importing.getByRole('cell', { name: '2 imported, 1 expired, 0 refused' }).waitFor();
  equal(
    mock.requests('BrowserService/ImportBrowserCookies').at(-1),
    { browser: 'chrome', profile: 'Profile 1', domain: '.example.com' },
    'request',
  );
  const { headers } = mock.calls.findLast(({ method }) => method === 'BrowserService/ImportBrowserCookies');
  equal(headers['browse-session'], 'shop', 'session');
  await until(() => mock.requests('BrowserService/Cookies').length === 2, 'the cookies are loaded again');
  // What came of it belongs to the session.
  await importing.getByLabel('Session').selectOption('default');
  await importing.getByRole('cell', { name: '2 imported' }).waitFor({ state: 'detached' });
  await importing.getByLabel('Filter of domains').fill('nothing like it');
  await importing.getByText('No domain matches.').waitFor();
});

test('what an import did not take is shown, in words of the daemon', async (dashboard) => {
  const { mock, page } = dashboard;
  await listBrowsers(dashboard);
  const importing = panel(page, 'Import from a browser');
  const text = '<img src=x onerror=alert(1)>';
  mock.overrides['BrowserService/ImportBrowserCookies'] = (_, response) =>
    send(response, { summary: text, imported: 0, profiles: [], problems: [text] });
  await importing.getByRole('button', { name: 'Import bank.example' }).click();
  await importing.getByText(text).waitFor();
  mock.overrides['BrowserService/ImportBrowserCookies'] = (_, response) =>
    fail(response, 'unavailable', 'KEYCHAIN_UNAVAILABLE', 'the keychain did not answer', 'Unlock it');
  await importing.getByRole('button', { name: 'Import bank.example' }).click();
  await importing.locator('.failure').getByText('Unlock it.').waitFor();
  mock.overrides['BrowserService/ImportBrowserCookies'] = (_, response) =>
    send(response, {
      summary: '',
      imported: 0,
      profiles: [
        { browser: text, profile: text, domains: [{ domain: text, found: 1, imported: 0, expired: 0, refused: 0 }] },
      ],
      problems: [],
    });
  await dashboard.button('List again').click();
  await importing.getByRole('cell', { name: text }).first().waitFor();
  mock.overrides['BrowserService/ImportBrowserCookies'] = (_, response) =>
    send(response, { summary: 'no other browser with cookies is here', imported: 0, profiles: [], problems: [] });
  await dashboard.button('List again').click();
  await importing.getByText('no other browser with cookies is here').waitFor();
});

test('what a session says of itself is text', async (dashboard) => {
  const { mock, page } = dashboard;
  const text = '<script>alert(1)</script>';
  const [session] = mock.answers['DaemonService/ListSessions'].sessions;
  mock.answers['DaemonService/ListSessions'] = { sessions: [{ ...session, name: text, owner: text, browser: text }] };
  mock.answers['DaemonService/NewSession'] = { name: text, restored: text };
  const cookie = { ...mock.answers['BrowserService/Cookies'].cookies[0], name: text, domain: text };
  mock.answers['BrowserService/Cookies'] = { cookies: [cookie] };
  await open(dashboard);
  await row(page, text).getByRole('button', { name: 'Keep' }).click();
  await dashboard.text(`${text} is open and kept. ${text}`);
  await panel(page, 'Cookies').getByRole('cell', { name: text }).first().waitFor();
  await dashboard.checkWidth('hostile sessions');
});

test('without the scopes no session and no cookie is asked for', async (dashboard) => {
  const { mock, page } = dashboard;
  await open(dashboard, ['read', 'write', 'meta']);
  await panel(page, 'Import from a browser').getByText('browse dashboard --scope read,write,meta,admin').waitFor();
  await panel(page, 'Sessions').getByText('browse dashboard --scope read,write,meta,control').waitFor();
  for (const name of ['New session', 'List the cookies of other browsers']) {
    equal(await dashboard.button(name).count(), 0, name);
  }
  equal(mock.calls.filter(({ method }) => /Session|Cookie/.test(method)).length, 0, 'calls without a scope');
});

for (const colorScheme of ['light', 'dark']) {
  for (const width of [320, 1440]) {
    test(
      `sessions and cookies can be read and reached at ${width} px, ${colorScheme}`,
      { viewport: { width, height: width === 320 ? 640 : 900 }, colorScheme },
      async (dashboard) => {
        const { page } = dashboard;
        await listBrowsers(dashboard);
        await dashboard.button('Import .example.com from chrome, Default').click();
        await panel(page, 'Import from a browser').getByRole('cell', { name: '11 imported' }).waitFor();
        await row(page, 'shop').getByRole('button', { name: 'Close and forget…' }).click();
        await panel(page, 'Cookies').getByRole('button', { name: 'Remove those of example.com…' }).click();
        await dashboard.checkAccess('sessions');
        await dashboard.checkWidth('sessions');
        await dashboard.shot(`${width}-${colorScheme}-sessions-open`);
        await panel(page, 'Cookies').scrollIntoViewIfNeeded();
        await dashboard.shot(`${width}-${colorScheme}-sessions-cookies`);
      },
    );
  }
}
