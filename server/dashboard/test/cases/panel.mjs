// The page in the side panel of a window, over the pipe to its browser, and in the extension of
// the browser that the person uses.

import { equal, ok, test, until } from '../harness.mjs';
import { openPanel, serveExtension } from '../pipe.mjs';
import { messageData, questionData } from '../talk.mjs';

const NARROW = { viewport: { width: 360, height: 720 } };

/** Only the session of the window, as the grant of a panel has it. */
function inWindow({ mock }) {
  mock.overview.sessions = mock.overview.sessions.slice(0, 1);
  mock.session('default').display = 'window';
}

test('a panel over the pipe opens without a link, and holds no token', NARROW, async (dashboard) => {
  const { mock, page } = dashboard;
  inWindow(dashboard);
  const pipe = await openPanel(dashboard);
  await dashboard.text('An agent drives default.');
  await page.locator('.panel-rows').getByText('snapshot').first().waitFor();
  const sent = pipe.messages.find(({ path }) => path?.endsWith('/Overview'));
  equal(sent.headers.authorization, undefined, 'token');
  const held = await page.evaluate(() => [typeof globalThis.browseSend, sessionStorage.getItem('browse-dashboard')]);
  equal(held, ['undefined', null], 'what the page holds');
  equal(await page.evaluate(() => Object.isFrozen(globalThis.browsePanel)), true, 'frozen');
  ok(mock.calls.length > 0, 'no call was made');
});

test('a panel pauses the agents, and lets them go on', NARROW, async (dashboard) => {
  const { mock } = dashboard;
  inWindow(dashboard);
  await openPanel(dashboard);
  await dashboard.button('Pause the agents').click();
  await dashboard.text('You paused the agents of default.');
  await dashboard.button('Let the agents go on').click();
  await dashboard.text('An agent drives default.');
  equal(mock.requests('DashboardService/PauseAgents'), [{ session: 'default' }], 'pauses');
  equal(mock.requests('DashboardService/ContinueAgents'), [{ session: 'default' }], 'ends');
});

test('a panel says that it is the turn of the person, who says that they are done', NARROW, async (dashboard) => {
  const { mock } = dashboard;
  inWindow(dashboard);
  Object.assign(mock.session('default'), { handed_off: true, request: '' });
  await openPanel(dashboard);
  await dashboard.text('It is your turn in default.');
  await dashboard.text('An agent asks for a person.');
  await dashboard.button('Done: let the agent go on').click();
  await dashboard.text('An agent drives default.');
  await dashboard.button('Pause the agents').waitFor();
  equal(mock.requests('DashboardService/ContinueAgents'), [{ session: 'default' }], 'ends');
});

test('a panel shows what agents ask and do, and takes notes and answers', NARROW, async (dashboard) => {
  const { mock, page } = dashboard;
  inWindow(dashboard);
  mock.session('default').request = 'Please sign in';
  mock.talk.messages = [messageData(1), questionData(2, { choices: ['red', 'blue'] })];
  await openPanel(dashboard);
  await dashboard.text('Please sign in');
  await dashboard.text('Message 1');
  await dashboard.button('blue').click();
  await until(() => mock.requests('DashboardService/AnswerQuestion').length === 1, 'the answer');
  await page.getByPlaceholder('Note to the agent').fill('The second one');
  await dashboard.button('Send the note').click();
  await dashboard.text('is sent');
  mock.pushActivity({
    time: new Date().toISOString(),
    client: 'root',
    command: 'click',
    target: '<img src=x>',
    duration_ms: 5,
    outcome: 'ELEMENT_NOT_FOUND',
    session: 'default',
    raw: false,
    element: '',
  });
  const row = page.locator('.panel-rows li').first();
  await row.getByText('<img src=x>').waitFor();
  ok((await row.textContent()).endsWith('ELEMENT_NOT_FOUND'), 'the outcome is missing');
  equal(await page.locator('.panel-rows img').count(), 0, 'pictures of a page');
});

test('a row of the refs frames its element on the page', NARROW, async (dashboard) => {
  const { mock, page } = dashboard;
  inWindow(dashboard);
  await openPanel(dashboard);
  await dashboard.button('Show refs').click();
  const requests = () => mock.requests('BrowserService/Highlight');
  await page.getByRole('option', { name: 'Save' }).hover();
  await until(() => requests().at(-1)?.target === '@e2', 'the element is framed');
  await page.locator('.panel-state').hover();
  await until(() => requests().at(-1)?.clear === true, 'the frame goes');
  await page.getByRole('listbox', { name: 'Elements' }).focus();
  await until(() => requests().at(-1)?.target === '@e1', 'the first is framed');
  await page.keyboard.press('ArrowDown');
  await until(() => requests().at(-1)?.target === '@e2', 'the second is framed');
  await page.keyboard.press('Escape');
  await until(() => requests().at(-1)?.clear === true, 'the frame goes again');
  // Another document has other refs.
  const before = mock.requests('BrowserService/Snapshot').length;
  mock.tab(1).url = 'https://example.com/next';
  mock.pushOverview();
  await until(() => mock.requests('BrowserService/Snapshot').length > before, 'the refs are read again');
});

test('in the live view a row of the refs marks its box', async (dashboard) => {
  const { mock, page } = dashboard;
  await dashboard.open();
  await dashboard.openTab(1);
  await dashboard.button('Show refs').click();
  await page.getByRole('option', { name: 'Save' }).hover();
  equal(await page.locator('.ref-box.pointed').textContent(), '@e2', 'the box');
  equal(mock.requests('BrowserService/Highlight'), [], 'frames on the page');
});

test('a panel does not take more of an answer than it reads', NARROW, async (dashboard) => {
  const { mock } = dashboard;
  inWindow(dashboard);
  const text = 'x'.repeat(3_900);
  mock.talk.messages = Array.from({ length: 400 }, (_, index) => messageData(index + 1, { text: `${index} ${text}` }));
  const pipe = await openPanel(dashboard);
  await dashboard.text('399 x');
  ok(pipe.mostInFlight <= 8, `${pipe.mostInFlight} chunks in flight`);
  ok(pipe.messages.filter(({ kind }) => kind === 'ack').length > 8, 'chunks are acknowledged');
});

test('calls of a panel end with their view, and all with the document', NARROW, async (dashboard) => {
  const { mock, page } = dashboard;
  inWindow(dashboard);
  const pipe = await openPanel(dashboard);
  const open = (method) => mock.streams.get(method)?.size ?? 0;
  await until(() => open('DaemonService/Activity') === 1, 'the activity is followed');
  await dashboard.view('approvals');
  await until(() => open('DaemonService/Activity') === 0, 'it ends with the view');
  ok(
    pipe.messages.some(({ kind }) => kind === 'abort'),
    'nothing was aborted',
  );
  await page.reload();
  await page.locator('nav.rail').waitFor();
  await until(() => pipe.messages.filter(({ kind }) => kind === 'open').length === 2, 'it greets again');
  await until(() => open('DashboardService/Overview') === 1, 'one overview is followed');
});

test('a panel approves, and says what it has no scope for', NARROW, async (dashboard) => {
  const { mock } = dashboard;
  inWindow(dashboard);
  await openPanel(dashboard);
  await dashboard.view('approvals');
  await dashboard.button('Approve once').first().click();
  await until(() => mock.requests('BrowserService/Approve').some(({ id }) => id === '1f3a9c'), 'the approval');
  await dashboard.view('sessions');
  await dashboard.text('A side panel has no scope for this.');
});

test('the extension takes a pasted link, and calls the daemon there', NARROW, async (dashboard) => {
  const { mock, page } = dashboard;
  await serveExtension(dashboard, 'link');
  await page.goto(`${mock.origin}/`);
  await page.getByLabel('Link').fill('https://example.com/#code=1');
  await dashboard.button('Open').click();
  await dashboard.text('This is not a link of browse dashboard.');
  await dashboard.checkAccess('the field for the link');
  await page.getByLabel('Link').fill(` ${mock.link()} `);
  await dashboard.button('Open').click();
  await page.locator('main[data-view="panel"]').waitFor();
  const [address, token] = await page.evaluate(() => {
    const { address, token } = JSON.parse(sessionStorage.getItem('browse-dashboard'));
    return [address, token];
  });
  equal(address, mock.origin, 'address');
  ok(token.startsWith('token-'), 'no token is kept');
  await page.getByLabel('Session', { exact: true }).selectOption('shop');
  await dashboard.text('Please solve the captcha');
  await page.reload();
  await page.locator('nav.rail').waitFor();
  mock.overview.build_id = 'build-2';
  mock.pushOverview();
  await dashboard.text('The daemon is of another version.');
});

for (const colorScheme of ['light', 'dark']) {
  for (const width of [320, 480]) {
    const options = { viewport: { width, height: 720 }, colorScheme, reducedMotion: 'reduce' };
    test(`the views of a panel at ${width} px, ${colorScheme}`, options, async (dashboard) => {
      const { mock, page } = dashboard;
      inWindow(dashboard);
      mock.talk.messages = [messageData(1), questionData(2, { choices: ['red', 'blue'] })];
      await openPanel(dashboard);
      await dashboard.button('Show refs').click();
      await page.getByRole('option').first().hover();
      for (const view of ['panel', 'live', 'talk', 'approvals', 'timeline', 'sessions', 'system']) {
        await dashboard.view(view);
        await page.locator(`main[data-view="${view}"] *`).first().waitFor();
        await dashboard.checkWidth(view);
        await dashboard.checkAccess(view);
        if (view === 'panel') await dashboard.shot(`panel-${width}-${colorScheme}`);
      }
      await dashboard.view('panel');
      await dashboard.button('Pause the agents').click();
      await dashboard.text('You paused the agents');
      await dashboard.checkAccess('paused');
    });
  }
}
