// Talk: what agents say and ask, answers, and notes of the person.

import { equal, ok, test, until } from '../harness.mjs';
import { fail } from '../mock.mjs';
import { messageData, questionData } from '../talk.mjs';

const STRANGE = 'a/b <i>&"';

function log(page) {
  return page.getByRole('log', { name: 'Messages' });
}

/** What desktop notifications were shown. */
async function recordNotifications(page) {
  await page.addInitScript(() => {
    globalThis.notifications = [];
    globalThis.Notification = class {
      static permission = 'granted';
      constructor(title, { body }) {
        globalThis.notifications.push(`${title}: ${body}`);
      }
    };
  });
}

test('messages are shown by session, with their state, and change while they are shown', async (dashboard) => {
  const { mock, page } = dashboard;
  mock.talk.messages = [
    messageData(1, { text: 'The order\nis placed' }),
    questionData(2, { text: 'Red or blue?', state: 'answered', answer: 'red', until: undefined }),
    questionData(3, { state: 'ended' }),
    messageData(4, {
      kind: 'note',
      client: 'dashboard-1',
      state: 'unread',
      text: 'Wrong one',
      element: '@e3 link "Buy"',
      tab: '2',
    }),
    messageData(5, { session: 'shop', text: 'In the shop' }),
  ];
  await dashboard.open();
  await dashboard.view('talk/default');
  await page.getByRole('heading', { name: 'Session default' }).waitFor();
  equal(
    await log(page).locator('article > .page-words').allTextContents(),
    ['The order\nis placed', 'Red or blue?', 'red', 'Which of the two?', 'Wrong one'],
    'texts',
  );
  await log(page).getByText('claude says').waitFor();
  await log(page).getByText('answered', { exact: true }).waitFor();
  await log(page).getByText('ended', { exact: true }).waitFor();
  await log(page).getByText('unread', { exact: true }).waitFor();
  await log(page).getByText('@e3 link "Buy"').waitFor();
  equal(await log(page).getByRole('link', { name: 'Tab 2' }).getAttribute('href'), '#live/2', 'link');
  mock.talk.put({ ...mock.talk.messages[3], state: 'read' }, messageData(6, { text: 'I saw it' }));
  await log(page).getByText('read', { exact: true }).waitFor();
  await log(page).getByText('I saw it').waitFor();
  mock.talk.remove(1);
  await log(page).getByText('The order').waitFor({ state: 'detached' });
  await page.getByRole('navigation', { name: 'Sessions' }).getByRole('link', { name: 'shop' }).click();
  await log(page).getByText('In the shop').waitFor();
  ok(page.url().endsWith('#talk/shop'), page.url());
  equal(mock.requests('DashboardService/ReadTalk'), [{ follow: true }], 'requests');
});

test('what agents say counts until it was seen, questions until they are answered', async (dashboard) => {
  const { mock, page } = dashboard;
  await recordNotifications(page);
  mock.talk.messages = [messageData(1), messageData(2, { session: 'shop' }), questionData(3, { session: 'bank' })];
  await dashboard.open();
  const entry = page.locator('nav.rail').getByRole('link', { name: 'Talk' });
  await entry.getByText('3 to read or answer').waitFor();
  equal(await page.title(), '(4) browse dashboard', 'title');
  await dashboard.view('talk');
  // The session that waits comes first.
  await page.getByRole('heading', { name: 'Session bank' }).waitFor();
  await dashboard.view('talk/shop');
  await entry.getByText('2 to read or answer').waitFor();
  await page.reload();
  await entry.getByText('2 to read or answer').waitFor();
  equal(await page.evaluate(() => globalThis.notifications), [], 'notifications of old questions');
  await dashboard.view('approvals');
  mock.talk.put(questionData(4, { session: 'default', text: 'Go on?' }), messageData(5, { session: 'shop' }));
  await entry.getByText('4 to read or answer').waitFor();
  equal(
    await page.evaluate(() => globalThis.notifications),
    ['claude asks in session default: Go on?'],
    'notifications',
  );
  const banner = page.locator('.banner', { hasText: 'claude asks in default' });
  await banner.getByText('Go on?').waitFor();
  await banner.getByRole('link', { name: 'Answer' }).click();
  await page.getByRole('heading', { name: 'Session default' }).waitFor();
  await banner.waitFor({ state: 'detached' });
});

test('questions are answered by a choice or a text, in the talk and at their session', async (dashboard) => {
  const { mock, page } = dashboard;
  mock.talk.messages = [
    questionData(1, { choices: ['red', 'blue, but dark'] }),
    questionData(2, { session: 'bank', text: 'Which code?' }),
  ];
  await dashboard.open();
  const first = page.locator('section.session').first();
  await first.getByText('Which of the two?').waitFor();
  const bank = page.locator('section[aria-label="Session bank"]');
  const asked = bank.getByRole('group', { name: 'claude asks' });
  await asked.getByText(/waiting until \d\d:\d\d:\d\d/).waitFor();
  await asked.getByLabel('Answer').fill('4711');
  await asked.getByLabel('Answer').press('Enter');
  await asked.waitFor({ state: 'detached' });
  await dashboard.openTab(1);
  await page.locator('.large-tab').getByRole('group', { name: 'claude asks' }).getByText('Which of the two?').waitFor();
  await dashboard.view('talk/default');
  mock.overrides['DashboardService/AnswerQuestion'] = (_, response) =>
    fail(response, 'not_found', 'MESSAGE_NOT_FOUND', 'the question has ended', 'Run `browse talk`');
  await log(page).getByRole('button', { name: 'blue, but dark' }).press('Enter');
  await log(page).locator('.failure').getByText('The question has ended.').waitFor();
  delete mock.overrides['DashboardService/AnswerQuestion'];
  await log(page).getByRole('button', { name: 'Retry' }).click();
  await log(page).getByText('answered', { exact: true }).waitFor();
  equal(await log(page).getByRole('button').count(), 0, 'buttons of an answered question');
  equal(
    mock.requests('DashboardService/AnswerQuestion'),
    [
      { id: '2', answer: '4711' },
      { id: '1', answer: 'blue, but dark' },
      { id: '1', answer: 'blue, but dark' },
    ],
    'requests',
  );
});

test('a note is written to a session, with the keyboard alone', async (dashboard) => {
  const { mock, page } = dashboard;
  mock.overview.sessions[0].name = STRANGE;
  await dashboard.open();
  await dashboard.view('talk');
  await page.getByRole('navigation', { name: 'Sessions' }).getByRole('link', { name: STRANGE }).press('Enter');
  await page.getByLabel(`Note to the agent of ${STRANGE}`).focus();
  await page.keyboard.type('Take the other one');
  await page.keyboard.press('Control+Enter');
  await page.getByText('Note 1 is sent.').waitFor();
  await log(page).getByText('Take the other one').waitFor();
  equal(mock.requests('DashboardService/WriteNote'), [{ text: 'Take the other one' }], 'requests');
  const { headers } = mock.calls.find(({ method }) => method === 'DashboardService/WriteNote');
  equal(decodeURIComponent(headers['browse-session']), STRANGE, 'session');
  equal(headers['browse-tab'], undefined, 'tab');
  await page.reload();
  await page.getByRole('heading', { name: `Session ${STRANGE}` }).waitFor();
});

test('the picture of a note is loaded when it is asked for', async (dashboard) => {
  const { mock, page } = dashboard;
  mock.talk.messages = [messageData(7, { kind: 'note', state: 'read', session: 'shop', has_picture: true })];
  await dashboard.open();
  await dashboard.view('talk/shop');
  await dashboard.button('Show the picture').waitFor();
  equal(mock.requests('BrowserService/InboxPicture'), [], 'requests before');
  await dashboard.button('Show the picture').click();
  const image = page.getByAltText('The element and what is around it');
  await image.waitFor();
  equal(await image.evaluate((element) => element.decode().then(() => element.naturalWidth)), 320, 'width');
  equal(mock.requests('BrowserService/InboxPicture'), [{ id: '7' }], 'requests');
  const { headers } = mock.calls.find(({ method }) => method === 'BrowserService/InboxPicture');
  equal(headers['browse-session'], 'shop', 'session');
  await dashboard.button('Hide the picture').click();
  await image.waitFor({ state: 'detached' });
});

test('the talk comes back after the daemon was away, without what is gone', async (dashboard) => {
  const { mock, page } = dashboard;
  mock.talk.messages = [messageData(1), messageData(2)];
  await dashboard.open();
  await dashboard.view('talk/default');
  await log(page).getByText('Message 2').waitFor();
  await mock.stop();
  await dashboard.text('The daemon does not answer; trying again.');
  mock.talk.messages = [messageData(2), messageData(3)];
  await mock.start();
  await log(page).getByText('Message 3').waitFor();
  equal(await log(page).locator('article > .page-words').allTextContents(), ['Message 2', 'Message 3'], 'texts');
});

test('of two windows one has the stream, and the other one takes it over', async (dashboard) => {
  const { mock, page } = dashboard;
  await dashboard.open();
  await until(() => mock.streams.get('DashboardService/ReadTalk')?.size === 1, 'the talk is followed');
  const second = await page.context().newPage();
  await second.goto(mock.link());
  await second.evaluate(() => (location.hash = '#talk/default'));
  mock.talk.messages = [messageData(1, { text: 'For both' })];
  await second.getByRole('log').getByText('For both').waitFor();
  const requests = mock.requests('DashboardService/ReadTalk');
  equal([requests[0], requests.at(-1)], [{ follow: true }, {}], 'requests');
  equal(mock.streams.get('DashboardService/ReadTalk').size, 1, 'streams');
  await page.goto('about:blank');
  await until(
    () =>
      mock.streams.get('DashboardService/ReadTalk').size === 1 &&
      mock.requests('DashboardService/ReadTalk').at(-1).follow,
    'the other one follows',
  );
  mock.talk.put(messageData(2, { text: 'For the second' }));
  await second.getByRole('log').getByText('For the second').waitFor();
});

test('a link that may only read shows the talk, and answers nothing', async (dashboard) => {
  const { mock, page } = dashboard;
  mock.talk.messages = [questionData(1, { choices: ['red'] }), questionData(2)];
  await dashboard.open(['read', 'meta'], true);
  await dashboard.view('talk/default');
  for (const name of ['red', 'Answer', 'Send the note']) {
    const button = dashboard.button(name);
    await button.waitFor();
    ok(await button.isDisabled(), `${name} can be pressed`);
    equal(await button.getAttribute('title'), 'This link does not have the scope `write`', 'title');
  }
  // A field sends its form also where the button is disabled, if the page does not prevent it.
  await page.getByLabel('Note to the agent of default').fill('no');
  await page.keyboard.press('Control+Enter');
  await page.getByLabel('Answer', { exact: true }).fill('no');
  await page.keyboard.press('Enter');
  await page.evaluate(() => new Promise((done) => setTimeout(done, 50)));
  equal(mock.calls.filter(({ method }) => /WriteNote|AnswerQuestion/.test(method)).length, 0, 'calls without a scope');
});

test('without the scope `meta` the talk is not asked for', async (dashboard) => {
  const { mock } = dashboard;
  await dashboard.open(['read']);
  await dashboard.view('talk');
  await dashboard.text('browse dashboard --scope read,write,meta,control');
  equal(mock.requests('DashboardService/ReadTalk'), [], 'calls without a scope');
});

for (const colorScheme of ['light', 'dark']) {
  for (const width of [320, 768, 1440, 2560]) {
    test(
      `the talk can be read and reached at ${width} px, ${colorScheme}`,
      { viewport: { width, height: width === 320 ? 640 : 900 }, colorScheme },
      async (dashboard) => {
        const { mock, page } = dashboard;
        const long = 'A text without an end, and aWordThatIsMuchLongerThanThePageIsWide'.repeat(4);
        mock.talk.messages = [
          messageData(1, { text: long }),
          questionData(2, { choices: ['red', long.slice(0, 200)] }),
          questionData(3, { state: 'answered', answer: long }),
          messageData(4, {
            kind: 'note',
            state: 'read',
            client: 'dashboard-1',
            element: '@e3 link "Buy"',
            tab: '2',
            has_picture: true,
          }),
          questionData(5, { session: 'shop', text: long }),
        ];
        await dashboard.open();
        await page.locator('.request').nth(2).waitFor();
        await dashboard.checkAccess('live');
        await dashboard.checkWidth('live');
        await dashboard.shot(`${width}-${colorScheme}-questions`);
        await dashboard.view('approvals');
        await page.locator('.banner').nth(1).waitFor();
        await dashboard.checkAccess('banners');
        await dashboard.checkWidth('banners');
        await dashboard.shot(`${width}-${colorScheme}-question-banners`);
        await dashboard.view('talk/default');
        await dashboard.button('Show the picture').click();
        await page.getByAltText('The element and what is around it').waitFor();
        await page.getByLabel('Note to the agent of default').fill('Good');
        await dashboard.button('Send the note').click();
        await page.getByText('Note 6 is sent.').waitFor();
        await dashboard.checkAccess('talk');
        await dashboard.checkWidth('talk');
        await dashboard.shot(`${width}-${colorScheme}-talk`);
      },
    );
  }
}
