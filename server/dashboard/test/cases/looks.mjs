// Sizes, themes and accessibility of every view.

import { ok, test } from '../harness.mjs';
import { messageData, questionData } from '../talk.mjs';

const VIEWS = [
  'live',
  'live/1',
  'talk',
  'approvals',
  'timeline',
  'timeline/traces',
  'timeline/trace/2/3',
  'skills',
  'sessions',
  'system',
];
/** What is there when a view has loaded. */
const LOADED = {
  live: '.card[data-tab="1"] canvas[data-drawn]',
  'live/1': 'canvas.page[data-drawn]',
  talk: '.message',
  approvals: '.approval',
  timeline: 'tbody tr',
  'timeline/traces': 'article[aria-label="Trace 1"]',
  'timeline/trace/2/3': '.step:has(img):has(pre[aria-label="Snapshot"])',
  skills: 'article[aria-label^="Note"]',
  sessions: 'td >> text=sid',
  system: 'td >> text=EGRESS_BLOCKED',
};

for (const width of [320, 768, 1440, 2560]) {
  for (const colorScheme of ['light', 'dark']) {
    test(
      `all views at ${width} px, ${colorScheme}`,
      { viewport: { width, height: width === 320 ? 640 : 900 }, colorScheme, reducedMotion: 'reduce' },
      async (dashboard) => {
        const { mock, page } = dashboard;
        mock.talk.messages = [messageData(1), questionData(2, { choices: ['red', 'blue'] })];
        await dashboard.open();
        for (const view of VIEWS) {
          await dashboard.view(view);
          await page.locator(LOADED[view]).first().waitFor();
          await dashboard.checkWidth(view);
          if (width < 2560) await dashboard.checkAccess(view);
          await dashboard.shot(`${width}-${colorScheme}-${view.replaceAll('/', '-')}`);
        }
        await dashboard.view('live/1');
        await dashboard.button('Take control').click();
        await page.locator('.surface').waitFor();
        mock.tab(1).dialog = { kind: 'prompt', message: 'What is your name?', default_text: '' };
        mock.pushOverview();
        await page.locator('.page-question').waitFor();
        await dashboard.checkWidth('control');
        await dashboard.checkAccess('control');
        await dashboard.shot(`${width}-${colorScheme}-control`);
      },
    );
  }
}

for (const colorScheme of ['light', 'dark']) {
  test(`buttons can be read under the pointer, ${colorScheme}`, { colorScheme }, async (dashboard) => {
    await dashboard.open();
    await dashboard.openTab(1);
    for (const name of ['Take control', 'Show refs', 'Close the tab']) {
      await dashboard.button(name).hover();
      await dashboard.checkAccess(name);
    }
    await dashboard.button('Show refs').click();
    await dashboard.checkAccess('pressed');
  });
}

test('the theme is chosen with a button, and kept', { colorScheme: 'light' }, async (dashboard) => {
  const { page } = dashboard;
  await dashboard.open();
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await dashboard.button('Theme: system').click();
  await dashboard.button('Theme: light').click();
  await dashboard.button('Theme: dark').waitFor();
  ok((await ground()) !== light, 'the theme is light');
  await page.reload();
  await dashboard.button('Theme: dark').waitFor();
});

test('the entry pages are accessible', async (dashboard) => {
  const { mock, page } = dashboard;
  await page.goto(`${mock.origin}/#code=00`);
  await page.getByText('This link could not be used.').waitFor();
  await dashboard.checkAccess('entry');
  await dashboard.shot('entry');
});

test('the keyboard reaches the views and the tabs', async (dashboard) => {
  const { page } = dashboard;
  await dashboard.open();
  await page.locator('.card').first().waitFor();
  await page.keyboard.press('Tab');
  const first = await page.evaluate(() => document.activeElement.textContent);
  ok(first.startsWith('Live'), `the first is ${first}`);
  await page.locator('.card').first().focus();
  await page.keyboard.press('Enter');
  await page.locator('.large-tab').waitFor();
});
