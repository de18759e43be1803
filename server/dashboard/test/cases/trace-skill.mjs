// A skill of steps of a trace: which steps are chosen, and what is saved.

import { equal, ok, test, until } from '../harness.mjs';
import { fail } from '../mock.mjs';
import { stepData } from '../traces.mjs';

const SAVE = 'SkillService/SaveSkillRecord';

/** The numbers of the steps that are chosen. */
function chosen(page) {
  return page
    .getByRole('option', { checked: true })
    .evaluateAll((all) => all.map((option) => Number(option.dataset.step)));
}

function box(page, number) {
  return page.locator(`#step-${number} .step-check`);
}

async function open(dashboard, scopes) {
  await dashboard.open(scopes);
  await dashboard.view('timeline/trace/2');
  await dashboard.text('14 of 14 steps');
}

test('steps are chosen by click, with Shift as a range, and all that match', async (dashboard) => {
  const { page } = dashboard;
  await open(dashboard);
  await dashboard.text('No step is chosen.');
  await box(page, 3).click();
  await page.locator('section[aria-label="Step 1"]').waitFor();
  await box(page, 6).click({ modifiers: ['Shift'] });
  await dashboard.text('4 steps chosen.');
  equal(await chosen(page), [3, 4, 5, 6], 'chosen');
  await box(page, 4).click();
  equal(await chosen(page), [3, 5, 6], 'chosen');
  await page.getByLabel('Failed only').check();
  await dashboard.button('Choose all matching').click();
  await page.getByLabel('Failed only').uncheck();
  await dashboard.text('4 steps chosen.');
  equal(await chosen(page), [3, 5, 6, 12], 'chosen');
  await dashboard.button('Choose none').click();
  equal(await chosen(page), [], 'chosen');
});

test('steps are chosen with the keyboard', async (dashboard) => {
  const { page } = dashboard;
  await open(dashboard);
  await page.getByRole('listbox').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Space');
  for (let count = 0; count < 3; count += 1) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+Space');
  await dashboard.text('4 steps chosen.');
  equal(await chosen(page), [2, 3, 4, 5], 'chosen');
  await page.keyboard.press('Space');
  await dashboard.text('3 steps chosen.');
});

test('a skill is saved of the chosen steps, and its summary is shown', async (dashboard) => {
  const { mock, page } = dashboard;
  await open(dashboard);
  await box(page, 2).click();
  await box(page, 9).click({ modifiers: ['Shift'] });
  await box(page, 12).click();
  await dashboard.button('Save as a skill').click();
  const form = page.getByRole('form', { name: 'New skill' });
  await form.getByText('Of the steps 2-9,12').waitFor();
  await form.getByLabel('Name').fill('Not a name');
  await page.keyboard.press('Enter');
  equal(mock.requests(SAVE), [], 'requests with a wrong name');
  await form.getByLabel('Name').fill('basket-total');
  await form.getByLabel('Language').selectOption('Python');
  await form.getByLabel('Description').fill(' Reads the total of the basket. ');
  await dashboard.button('Save').click();
  await page.getByRole('region', { name: 'Saved' }).getByText('browse skill run basket-total').waitFor();
  equal(
    mock.requests(SAVE),
    [
      {
        name: 'basket-total',
        lang: 'py',
        description: 'Reads the total of the basket.',
        trace: '2',
        steps: '2-9,12',
      },
    ],
    'requests',
  );
});

test('without a choice the skill is of all steps, and a failure is shown', async (dashboard) => {
  const { mock, page } = dashboard;
  await open(dashboard);
  await dashboard.button('Save as a skill').click();
  const form = page.getByRole('form', { name: 'New skill' });
  await form.getByText('Of all 14 steps').waitFor();
  await form.getByLabel('Name').fill('all');
  mock.overrides[SAVE] = (_, response) =>
    fail(response, 'failed_precondition', 'SKILL_EMPTY', 'no step reads <b>a result</b>', 'Choose one');
  await page.keyboard.press('Enter');
  await form.locator('.failure').getByText('No step reads <b>a result</b>.').waitFor();
  delete mock.overrides[SAVE];
  await form.getByRole('button', { name: 'Retry' }).click();
  await page.getByRole('region', { name: 'Saved' }).waitFor();
  equal(mock.requests(SAVE).at(-1), { name: 'all', lang: 'ts', trace: '2' }, 'request');
});

test('a summary of a skill is text', async (dashboard) => {
  const { mock, page } = dashboard;
  const text = '<img src=x onerror=alert(1)>';
  mock.answers[SAVE] = { summary: text };
  await open(dashboard);
  await dashboard.button('Save as a skill').click();
  await page.getByRole('form', { name: 'New skill' }).getByLabel('Name').fill('all');
  await page.keyboard.press('Enter');
  equal(await page.getByRole('region', { name: 'Saved' }).textContent(), text, 'summary');
});

test('a choice in a trace of 2,000 steps takes no time', async (dashboard) => {
  const { mock, page } = dashboard;
  mock.traces.find(2).steps = Array.from({ length: 2_000 }, (_, index) => stepData(index + 1));
  await dashboard.open();
  await dashboard.view('timeline/trace/2');
  await dashboard.text('2000 of 2000 steps');
  await dashboard.button('Choose all matching').click();
  await dashboard.text('2000 steps chosen.');
  await page.getByRole('listbox').focus();
  const begin = Date.now();
  for (let count = 0; count < 20; count += 1) {
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
  }
  await dashboard.text('1980 steps chosen.');
  ok(Date.now() - begin < 6_000, `${Date.now() - begin} ms`);
  await dashboard.button('Save as a skill').click();
  await dashboard.text('Of the steps 21-2000');
});

test('without the scope `admin` no skill is saved', async (dashboard) => {
  const { mock, page } = dashboard;
  await open(dashboard, ['read', 'meta']);
  await box(page, 2).click();
  const save = dashboard.button('Save as a skill');
  ok(await save.isDisabled(), 'a skill can be saved');
  equal(await save.getAttribute('title'), 'This link does not have the scope `admin`', 'title');
  await until(() => mock.requests('BrowserService/ShowTrace').length > 0, 'the trace is shown');
});

for (const colorScheme of ['light', 'dark']) {
  for (const width of [320, 1440]) {
    test(
      `a skill of a trace can be read and reached at ${width} px, ${colorScheme}`,
      { viewport: { width, height: width === 320 ? 640 : 900 }, colorScheme },
      async (dashboard) => {
        const { page } = dashboard;
        await open(dashboard);
        await box(page, 2).click();
        await dashboard.button('Save as a skill').click();
        await page.getByRole('form', { name: 'New skill' }).getByLabel('Name').fill('all');
        await page.keyboard.press('Enter');
        await page.getByRole('region', { name: 'Saved' }).waitFor();
        await dashboard.checkAccess('skill');
        await dashboard.checkWidth('skill');
        await dashboard.shot(`${width}-${colorScheme}-trace-skill`);
      },
    );
  }
}
