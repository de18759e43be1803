// Pairing an agent: what is asked for, what is shown once, and the QR code.

import jsQR from 'jsqr';
import { equal, ok, test, until } from '../harness.mjs';
import { fail, send } from '../mock.mjs';

const METHOD = 'PairService/NewPairing';
const LINK = `browse-pair://127.0.0.1:34851/setup-${'a7'.repeat(16)}/pin-${'9c'.repeat(32)}`;

function answerData(part = {}) {
  return {
    block: `You may use tabs of a remote browser.\n  browse redeem ${LINK}\n  curl -sk https://127.0.0.1:34851/`,
    name: 'desk',
    address: '127.0.0.1:34851',
    fingerprint: '',
    key: 'setup-1',
    link: LINK,
    key_expires_at: new Date(Date.now() + 300_000).toISOString(),
    scopes: ['read', 'write'],
    hosts: ['example.com'],
    replaced: false,
    trust: 'pin',
    session_key: '',
    ...part,
  };
}

const form = (page) => page.getByRole('form', { name: 'New pairing' });
const invitation = (page) => page.getByRole('region', { name: /^Invitation of/ });

async function begin(dashboard) {
  await dashboard.open();
  await dashboard.view('system');
  await dashboard.button('Pair an agent…').click();
  await form(dashboard.page).waitFor();
}

async function pair(dashboard, part) {
  dashboard.mock.overrides[METHOD] = (_, response) => send(response, answerData(part));
  await begin(dashboard);
  await form(dashboard.page).getByLabel('Name').fill('desk');
  await dashboard.button('Pair').click();
  await invitation(dashboard.page).waitFor();
}

/** The text of the QR code, as a camera sees it. */
async function decoded(page) {
  const png = (await page.locator('svg.qr').screenshot()).toString('base64');
  const blank = await page.context().newPage();
  const { data, width, height } = await blank.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = canvas.getContext('2d');
    context.drawImage(bitmap, 0, 0);
    const image = context.getImageData(0, 0, bitmap.width, bitmap.height);
    return { data: [...image.data], width: bitmap.width, height: bitmap.height };
  }, png);
  await blank.close();
  return jsQR(Uint8ClampedArray.from(data), width, height)?.data;
}

test('an agent is paired with the defaults of the command line', async (dashboard) => {
  const { mock, page } = dashboard;
  await pair(dashboard);
  equal(mock.requests(METHOD), [{ name: 'desk', scope: ['read', 'write'] }], 'request');
  equal(mock.calls.find(({ method }) => method === METHOD).headers['browse-session'] ?? null, null, 'session');
  await until(() => mock.requests('PairService/ListPairings').length === 2, 'the list is loaded again');
  const command = `browse redeem ${LINK}`;
  equal(await page.getByRole('region', { name: 'Command', exact: true }).textContent(), command, 'command');
  await page.getByText(/ends in [45] min \d\d s/).waitFor();
  equal(await decoded(page), command, 'text of the QR code');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await dashboard.button('Copy the command').click();
  await dashboard.text('Copied.');
  equal(await page.evaluate(() => navigator.clipboard.readText()), command, 'clipboard');
  await page.getByText('The whole text').click();
  await page.getByText('curl -sk').waitFor();
  await dashboard.text('127.0.0.1:34851 is reached from this machine');
  await dashboard.shot('pairing');
  await dashboard.button('Close').click();
  await dashboard.button('Pair an agent…').click();
  await form(page).waitFor();
  ok(!(await page.content()).includes('setup-a7'), 'the key is still on the page');
});

test('scopes, hosts, times and rates of a pairing are chosen', async (dashboard) => {
  const { mock, page } = dashboard;
  mock.overrides[METHOD] = (_, response) => send(response, answerData({ replaced: true, hosts: [] }));
  await begin(dashboard);
  const field = (name) => form(page).getByLabel(name);
  const scope = (name) => form(page).getByRole('checkbox', { name: new RegExp(`^${name} `) });
  await field('Name').fill('Laptop');
  await page.getByText('that pairing is revoked at once').waitFor();
  await scope('write').uncheck();
  await scope('read').uncheck();
  ok(await dashboard.button('Pair').isDisabled(), 'a pairing without a scope');
  await scope('meta').check();
  await scope('read').check();
  await form(page).getByRole('textbox', { name: /^Hosts/ }).fill('example.com, *.example.org');
  await field('Ends').selectOption('after 8 hours');
  await field('Calls a second').fill('20');
  await page.getByText('Address', { exact: true }).click();
  await field('Listen on').fill('0.0.0.0:4567');
  await field('Address for the agent').fill('my-host.lan:4567');
  await dashboard.button('Pair').click();
  await page.getByText('What it had before was revoked.').waitFor();
  equal(
    mock.requests(METHOD),
    [
      {
        name: 'Laptop',
        scope: ['read', 'meta'],
        host: ['example.com, *.example.org'],
        ttl: '8h',
        rate: 20,
        listen: '0.0.0.0:4567',
        address: 'my-host.lan:4567',
      },
    ],
    'request',
  );
});

test('an agent is paired in a session of the person', async (dashboard) => {
  const { mock, page } = dashboard;
  mock.overrides[METHOD] = (_, response) =>
    fail(response, 'failed_precondition', 'PAIRING_HOSTS_UNHELD', 'the session goes to other hosts', 'Leave out one');
  await begin(dashboard);
  await form(page).getByLabel('Name').fill('desk');
  await form(page).getByRole('combobox', { name: /^Session/ }).selectOption('shop');
  equal(await form(page).getByRole('textbox', { name: /^Hosts/ }).count(), 0, 'fields of hosts');
  await form(page).getByLabel('It may use all tabs').check();
  await dashboard.button('Pair').click();
  await form(page).locator('.failure').getByText('PAIRING_HOSTS_UNHELD').waitFor();
  mock.overrides[METHOD] = (_, response) => send(response, answerData());
  await form(page).getByRole('button', { name: 'Retry' }).click();
  await invitation(page).waitFor();
  equal(mock.requests(METHOD).at(-1), { name: 'desk', scope: ['read', 'write'], tab_policy: 'session' }, 'request');
  const { headers } = mock.calls.findLast(({ method }) => method === METHOD);
  equal(headers['browse-session'], 'shop', 'session');
});

test('a key that has ended is gone', async (dashboard) => {
  const { page } = dashboard;
  await pair(dashboard, { key_expires_at: new Date(Date.now() + 1_500).toISOString() });
  await page.getByText('The key has ended.').waitFor();
  ok(!(await page.content()).includes('setup-a7'), 'the key is still on the page');
});

test('a text that is too long for a QR code says so', async (dashboard) => {
  const { page } = dashboard;
  await pair(dashboard, { link: `browse-pair://${'a'.repeat(1_000)}` });
  await page.getByText('The text is too long for a QR code.').waitFor();
  equal(await page.locator('svg.qr').count(), 0, 'codes');
});

test('what an invitation contains is text', async (dashboard) => {
  const { page } = dashboard;
  const text = '<img src=x onerror=alert(1)>';
  await pair(dashboard, { name: text, link: text, block: text, scopes: [text], hosts: [text] });
  const command = page.getByRole('region', { name: 'Command', exact: true });
  equal(await command.textContent(), `browse redeem ${text}`, 'text');
  await page.getByRole('heading', { name: `Invitation of ${text}` }).waitFor();
  await dashboard.checkWidth('invitation');
});

for (const colorScheme of ['light', 'dark']) {
  for (const width of [320, 1440]) {
    test(
      `a pairing can be read and reached at ${width} px, ${colorScheme}`,
      { viewport: { width, height: width === 320 ? 640 : 900 }, colorScheme },
      async (dashboard) => {
        const { mock, page } = dashboard;
        mock.overrides[METHOD] = (_, response) => send(response, answerData());
        await begin(dashboard);
        await page.getByText('Address', { exact: true }).click();
        await dashboard.checkAccess('form');
        await dashboard.checkWidth('form');
        await dashboard.shot(`${width}-${colorScheme}-pairing-form`);
        await form(page).getByLabel('Name').fill('desk');
        await dashboard.button('Pair').click();
        await page.locator('svg.qr').waitFor();
        await page.getByText('The whole text').click();
        await dashboard.checkAccess('invitation');
        await dashboard.checkWidth('invitation');
        equal(await decoded(page), `browse redeem ${LINK}`, 'text of the QR code');
        await dashboard.shot(`${width}-${colorScheme}-pairing`);
      },
    );
  }
}
