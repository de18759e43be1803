// Traces of steps: the list, recording, and an open trace.

import { equal, ok, test, until } from '../harness.mjs';
import { fail } from '../mock.mjs';
import { stepData } from '../traces.mjs';

const LIST = 'timeline/traces';

function row(page, id) {
  return page.locator(`article[aria-label="Trace ${id}"]`);
}

function step(page, number) {
  return page.locator(`section[aria-label="Step ${number}"]`);
}

/** The color in the middle of the shown picture. */
async function colorOf(page) {
  const image = page.locator('.step-picture img');
  await image.waitFor();
  return image.evaluate(async (element) => {
    await element.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [element.naturalWidth, element.naturalHeight];
    const context = canvas.getContext('2d');
    context.drawImage(element, 0, 0);
    const [red, green, blue] = context.getImageData(canvas.width / 2, 10, 1, 1).data;
    return red > green && red > blue ? 'red' : green > blue ? 'green' : 'blue';
  });
}

test('traces are listed, with what is known of each', async (dashboard) => {
  const { page } = dashboard;
  await dashboard.open();
  await dashboard.view('timeline');
  await page.getByRole('link', { name: 'Traces' }).click();
  await row(page, 3).getByText('recording', { exact: true }).waitFor();
  await row(page, 2).getByText('session shop').waitFor();
  await row(page, 2).getByText('14 steps').waitFor();
  await row(page, 2).getByText('2 failed').waitFor();
  await row(page, 2).getByText('2.7 MiB').waitFor();
  await row(page, 1).getByText('1 step ·').waitFor();
  ok(page.url().endsWith(`#${LIST}`), page.url());
  await page.getByRole('link', { name: 'Calls' }).click();
  await dashboard.text('60 of 60 calls');
});

test('a session is recorded, and the recording is stopped', async (dashboard) => {
  const { mock, page } = dashboard;
  await dashboard.open();
  await dashboard.view(LIST);
  await row(page, 3).waitFor();
  const record = dashboard.button('Record the steps');
  ok(await record.isDisabled(), 'a second recording can begin');
  equal(await record.getAttribute('title'), 'Trace 3 records this session', 'title');
  await page.getByLabel('Session').selectOption('bank');
  await record.click();
  await dashboard.text('Trace 4 records bank.');
  await row(page, 4).getByText('recording', { exact: true }).waitFor();
  await row(page, 4).getByRole('button', { name: 'Stop recording' }).click();
  await row(page, 4).getByText('ended', { exact: true }).waitFor();
  const sessions = mock.calls
    .filter(({ method }) => /(Start|Stop)StepTrace/.test(method))
    .map(({ headers }) => headers['browse-session']);
  equal(sessions, ['bank', 'bank'], 'sessions');
  mock.traces.add(3, stepData(5));
  await row(page, 3).getByText('5 steps').waitFor();
});

test('traces are saved as files, and removed after a question', async (dashboard) => {
  const { mock, page } = dashboard;
  await dashboard.open();
  await dashboard.view(LIST);
  const save = async (label) => {
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      row(page, 2).getByRole('button', { name: label }).click(),
    ]);
    return file.suggestedFilename();
  };
  equal(await save('Save for Playwright'), 'trace-2.zip', 'name');
  await row(page, 2).getByText('npx playwright show-trace trace-2.zip').waitFor();
  equal(await save('Save as HAR'), 'trace-2.har', 'name');
  equal(
    mock.requests('BrowserService/SaveTrace'),
    [
      { id: '2', format: 'zip' },
      { id: '2', format: 'har' },
    ],
    'requests',
  );
  ok(await row(page, 3).getByRole('button', { name: 'Remove…' }).isDisabled(), 'a recording can be removed');
  await row(page, 2).getByRole('button', { name: 'Remove…' }).press('Enter');
  const cancel = row(page, 2).getByRole('button', { name: 'Cancel' });
  await page.waitForFunction(() => document.activeElement?.textContent === 'Cancel', undefined, { timeout: 5_000 });
  await cancel.press('Enter');
  equal(mock.requests('BrowserService/RemoveTrace'), [], 'removals');
  await row(page, 2).getByRole('button', { name: 'Remove…' }).click();
  await row(page, 2).getByRole('button', { name: 'Remove trace 2' }).click();
  await row(page, 2).waitFor({ state: 'detached' });
  await dashboard.button('Remove all…').click();
  await dashboard.button('Remove all that have ended').click();
  await dashboard.text('Removed: 1.');
  await row(page, 1).waitFor({ state: 'detached' });
  await row(page, 3).waitFor();
  equal(mock.requests('BrowserService/RemoveTrace'), [{ id: '2' }, { all: true }], 'requests');
});

test('a trace opens at an address of its own, and Back closes it', async (dashboard) => {
  const { page } = dashboard;
  await dashboard.open();
  await dashboard.view(LIST);
  await row(page, 2).getByRole('link', { name: 'Trace 2' }).click();
  await step(page, 1).waitFor();
  equal(
    (await page.locator('.step-target').allTextContents()).slice(0, 5),
    ['https://shop.example.com/', '{"interactive":true}', 'button "Basket"', 'textbox "Code"', '{"key":"Enter"}'],
    'targets',
  );
  await page.locator('#step-3').click();
  await step(page, 3).getByText('classifier: 0.71').waitFor();
  await step(page, 3).getByText('"target": "#basket"').waitFor();
  await step(page, 3).getByText('https://shop.example.com/step/3').waitFor();
  await step(page, 3).getByText('line of step 3').waitFor();
  await step(page, 3).getByText('https://shop.example.com/api/3').waitFor();
  await step(page, 3).getByText('net::ERR_FAILED').waitFor();
  await step(page, 3).getByText('heading "Shop, step 3"').waitFor();
  await until(() => page.url().endsWith('#timeline/trace/2/3'), 'the address names the step');
  await page.locator('#step-6').click();
  await step(page, 6).getByText('the element has left the page').waitFor();
  await until(() => page.url().endsWith('#timeline/trace/2/6'), 'the address names the step');
  await page.reload();
  await step(page, 6).waitFor();
  await page.goBack();
  await row(page, 2).waitFor();
  ok(page.url().endsWith(`#${LIST}`), page.url());
});

test('steps are filtered by text and failure', async (dashboard) => {
  const { page } = dashboard;
  await dashboard.open();
  await dashboard.view('timeline/trace/2');
  await dashboard.text('14 of 14 steps');
  const options = () => page.getByRole('option').evaluateAll((all) => all.map(({ id }) => id));
  await page.getByLabel('Text').fill('code summer');
  await dashboard.text('3 of 14 steps');
  equal(await options(), ['step-4', 'step-9', 'step-14'], 'steps');
  await page.getByLabel('Text').fill('nothing like it');
  await dashboard.text('No step matches.');
  await page.getByLabel('Text').press('Backspace');
  ok(await page.getByLabel('Text').evaluate((field) => field === document.activeElement), 'the focus is lost');
  await page.getByLabel('Text').fill('');
  await page.getByLabel('Failed only').check();
  await dashboard.text('2 of 14 steps');
  equal(await options(), ['step-6', 'step-12'], 'steps');
  await page.getByRole('option').first().getByText('REF_STALE').waitFor();
  await page.getByLabel('Failed only').uncheck();
  await page.locator('#step-7').getByText('1 finding').waitFor();
});

test('arrow keys move the selection, and pictures are loaded where it stays', async (dashboard) => {
  const { mock, page } = dashboard;
  mock.traces.find(2).steps = Array.from({ length: 2_000 }, (_, index) => stepData(index + 1));
  await dashboard.open();
  await dashboard.view('timeline/trace/2');
  await step(page, 1).locator('img').waitFor();
  // The list has the focus.
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await step(page, 3).locator('img').waitFor();
  const list = page.getByRole('listbox');
  equal(await list.getAttribute('aria-activedescendant'), 'step-3', 'active');
  equal(await page.getByRole('option', { selected: true }).getAttribute('id'), 'step-3', 'selected');
  await page.keyboard.press('ArrowUp');
  await step(page, 2).getByText('No picture of the page after it is kept').waitFor();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowUp');
  await step(page, 1).waitFor();
  await page.keyboard.press('End');
  await step(page, 2_000).waitFor();
  ok(await page.locator('#step-2000').evaluate(isWithinList), 'the last step is out of sight');
  await page.keyboard.press('PageUp');
  await step(page, 1_990).locator('img').waitFor();
  const begin = await page.evaluate(() => performance.now());
  await page.evaluate(() => {
    const list = document.querySelector('[role=listbox]');
    for (let count = 0; count < 300; count += 1)
      list.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowUp', bubbles: true }));
  });
  await page.keyboard.press('ArrowUp');
  const took = (await page.evaluate(() => performance.now())) - begin;
  ok(took < 10_000, `${took} ms`);
  const shown = mock.requests('BrowserService/TracePicture').map((request) => request.step);
  ok(shown.length < 8, `pictures of ${shown}`);
});

/** Whether an option is in sight within its list. */
function isWithinList(option) {
  const [list, box] = [option.parentElement.getBoundingClientRect(), option.getBoundingClientRect()];
  return box.top >= list.top - 1 && box.bottom <= list.bottom + 1;
}

test('the picture switches between before and after', async (dashboard) => {
  const { mock, page } = dashboard;
  const [trace] = mock.traces.traces.slice(1);
  trace.steps[2] = { ...trace.steps[2], tab: '9' };
  await dashboard.open();
  await dashboard.view('timeline/trace/2/4');
  await step(page, 4).getByText('Page after step 4, fill').waitFor();
  equal(await colorOf(page), 'green', 'after');
  await dashboard.button('Before').click();
  // Step 3 is of another tab, and step 2 has no picture.
  await step(page, 4).getByText('Page after step 1, goto').waitFor();
  await page.getByAltText('Page after step 1').waitFor();
  ok((await page.locator('.step-picture img').getAttribute('src')).startsWith('blob:'), 'no blob');
  await page.getByRole('listbox').press('ArrowDown');
  await step(page, 5).getByText('Page after step 4, fill').waitFor();
  await dashboard.button('After').click();
  await page.getByAltText('Page after step 5').waitFor();
  equal(await colorOf(page), 'blue', 'after');
  await page.getByRole('listbox').press('Home');
  await dashboard.button('Before').click();
  await dashboard.text('No earlier picture of this tab is kept');
  const counts = Object.groupBy(mock.requests('BrowserService/TracePicture'), (request) => request.step);
  equal(counts['4'].length, 1, 'requests for the picture of step 4');
});

test('pictures are revoked when the trace is closed', async (dashboard) => {
  const { page } = dashboard;
  await dashboard.open();
  await page.evaluate(() => {
    globalThis.held = new Set();
    const { createObjectURL, revokeObjectURL } = URL;
    URL.createObjectURL = (blob) => {
      const url = createObjectURL.call(URL, blob);
      globalThis.held.add(url);
      return url;
    };
    URL.revokeObjectURL = (url) => (globalThis.held.delete(url), revokeObjectURL.call(URL, url));
  });
  const held = () => page.evaluate(() => globalThis.held.size);
  await dashboard.view('timeline/trace/2');
  for (let number = 1; number <= 14; number += 1) {
    await page.locator(`#step-${number}`).click();
    await step(page, number).locator('img').or(page.getByText('No picture of the page')).first().waitFor();
  }
  await dashboard.button('Before').click();
  ok((await held()) > 5 && (await held()) <= 12, `${await held()} pictures are held`);
  await page.getByRole('link', { name: 'All traces' }).click();
  await row(page, 2).waitFor();
  equal(await held(), 0, 'pictures');
});

test('a trace that is recording grows while it is open and visible', async (dashboard) => {
  const { mock, page } = dashboard;
  await dashboard.open();
  await dashboard.view('timeline/trace/3/2');
  await dashboard.text('4 of 4 steps');
  mock.traces.add(3, stepData(5));
  await dashboard.text('5 of 5 steps');
  ok(await step(page, 2).isVisible(), 'the selection moved');
  const show = (state) =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => value });
      document.dispatchEvent(new Event('visibilitychange'));
    }, state);
  const asked = () => mock.requests('BrowserService/ShowTrace').length;
  await show('hidden');
  const before = asked();
  await page.waitForTimeout(2_600);
  ok(asked() <= before + 1, `${asked() - before} requests while hidden`);
  await show('visible');
  await until(() => asked() > before, 'it is asked again');
  await dashboard.button('Stop recording').click();
  await page.getByRole('heading', { name: 'Trace 3 ended' }).waitFor();
  const ended = asked();
  await page.waitForTimeout(2_600);
  equal(asked(), ended, 'requests after its end');
});

for (const colorScheme of ['light', 'dark']) {
  for (const width of [320, 1440]) {
    test(
      `what a trace shows can be read and reached at ${width} px, ${colorScheme}`,
      { viewport: { width, height: width === 320 ? 640 : 900 }, colorScheme },
      async (dashboard) => {
        const { page } = dashboard;
        await dashboard.open();
        await dashboard.view('timeline/trace/2/6');
        await step(page, 6).locator('img').waitFor();
        await dashboard.checkAccess('a step that failed');
        await page.getByRole('listbox').press('End');
        await step(page, 14).waitFor();
        await until(() => page.locator('#step-14').evaluate(isOnScreen), 'the last step is on the screen');
        await dashboard.button('Before').click();
        await page.getByLabel('Text').fill('nothing like it');
        await dashboard.button('Remove…').click();
        await dashboard.checkAccess('a question');
        await dashboard.checkWidth('a question');
        await dashboard.shot(`${width}-${colorScheme}-trace-question`);
      },
    );
  }
}

/** Whether nothing lies over an element. */
function isOnScreen(element) {
  const { left, top, bottom } = element.getBoundingClientRect();
  return [top + 2, bottom - 2].every((y) => element.contains(document.elementFromPoint(left + 12, y)));
}

test('errors of the daemon are shown where they happen', async (dashboard) => {
  const { mock, page } = dashboard;
  const refuse = (reason) => (_, response) => fail(response, 'unavailable', reason, `no ${reason}`, 'Wait');
  await dashboard.open();
  await dashboard.view('timeline/trace/99');
  await page.locator('.failure').getByText('Trace 99 is not kept.').waitFor();
  mock.overrides['BrowserService/TracePicture'] = refuse('PICTURE');
  mock.overrides['BrowserService/ShowStep'] = refuse('STEP');
  await dashboard.view('timeline/trace/2/4');
  await page.locator('.step-picture .failure').getByText('No PICTURE.').waitFor();
  await page.locator('.step .failure').getByText('No STEP.').waitFor();
  mock.overrides = {};
  await page.locator('.step-picture').getByRole('button', { name: 'Retry' }).click();
  await page.getByAltText('Page after step 4').waitFor();
  mock.overrides['BrowserService/StartStepTrace'] = refuse('START');
  mock.overrides['BrowserService/SaveTrace'] = refuse('SAVE');
  await dashboard.view(LIST);
  await page.getByLabel('Session').selectOption('shop');
  await dashboard.button('Record the steps').click();
  await page.locator('.failure').getByText('No START.').waitFor();
  await row(page, 1).getByRole('button', { name: 'Save as HAR' }).click();
  await row(page, 1).locator('.failure').getByText('No SAVE.').waitFor();
});

test('a link that may only read shows traces, and changes none', async (dashboard) => {
  const { mock, page } = dashboard;
  await dashboard.open(['read', 'meta'], true);
  await dashboard.view(LIST);
  await row(page, 3).waitFor();
  await page.getByLabel('Session').selectOption('shop');
  for (const button of [
    dashboard.button('Record the steps'),
    dashboard.button('Remove all…'),
    row(page, 3).getByRole('button', { name: 'Stop recording' }),
    row(page, 2).getByRole('button', { name: 'Remove…' }),
  ]) {
    ok(await button.isDisabled(), `${await button.textContent()} can be pressed`);
    equal(await button.getAttribute('title'), 'This link does not have the scope `write`', 'title');
  }
  await row(page, 2).getByRole('link').click();
  await step(page, 1).locator('img').waitFor();
  await dashboard.button('Save as HAR').waitFor();
});

test('without the scope `meta` no trace is asked for', async (dashboard) => {
  const { mock } = dashboard;
  await dashboard.open(['read']);
  for (const view of [LIST, 'timeline/trace/2']) {
    await dashboard.view(view);
    await dashboard.text('browse dashboard --scope read,write,meta,control');
  }
  equal(mock.calls.filter(({ method }) => /Trace|ShowStep/.test(method)).length, 0, 'calls without a scope');
});
