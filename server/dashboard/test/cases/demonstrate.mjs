// Demonstrations: what the person does in the picture becomes calls, and a skill.

import { FormPage } from '../form.mjs';
import { equal, ok, test, until } from '../harness.mjs';
import { fail, send } from '../mock.mjs';
import { begin, clickAt, noted, pane, picker, stepTexts } from './demonstrate-helpers.mjs';

const SAVE = 'SkillService/SaveSkillRecord';
const STOP = 'SkillService/StopSkillRecord';

test('clicks, texts, choices and a result become calls, and a skill', async (dashboard) => {
  const { mock, page } = dashboard;
  const form = await begin(dashboard);
  equal(mock.requests('SkillService/StartSkillRecord'), [{}], 'start');
  await clickAt(page, 200, 120);
  const field = page.getByLabel('Text for textbox "Search"');
  equal(await field.inputValue(), 'old', 'the text of the field');
  await page.waitForFunction(() => document.activeElement?.className === 'demonstration-text');
  await page.keyboard.type('lamp');
  await page.keyboard.press('Enter');
  await noted(page, 3);
  await clickAt(page, 200, 240);
  ok(await page.locator('.choice', { hasText: 'Nowhere' }).isDisabled(), 'the option is not disabled');
  // As in the browser: Escape leaves the list, a letter leads to a choice, and Enter takes it.
  await page.keyboard.press('Escape');
  await page.locator('.choice').first().waitFor({ state: 'detached' });
  await clickAt(page, 200, 240);
  await page.locator('.choice', { hasText: 'Rome' }).waitFor();
  await page.keyboard.press('r');
  await page.keyboard.press('Enter');
  await noted(page, 4);
  await clickAt(page, 110, 290);
  await noted(page, 5);
  form.nodes[3].states = ['checked'];
  await clickAt(page, 110, 290);
  await noted(page, 6);
  await clickAt(page, 600, 260);
  await page.locator('input[type=date]').fill('2026-02-03');
  await dashboard.button('Set').click();
  await noted(page, 7);
  // The span in the button stands for the button.
  await clickAt(page, 150, 360);
  await noted(page, 8);
  await picker(page).hover();
  await page.mouse.wheel(0, 100);
  await page.mouse.wheel(0, 50);
  await noted(page, 9);
  await pane(page).getByLabel('Address').fill('https://example.org/');
  await pane(page).getByRole('button', { name: 'Open' }).click();
  await noted(page, 10);
  await dashboard.button('Read a text').click();
  await clickAt(page, 200, 520);
  await page.getByRole('region', { name: 'Text that was read' }).getByText('12 results').waitFor();
  await noted(page, 11);
  equal(
    form.steps,
    [
      ['Click', { target: '@e1' }],
      ['Fill', { target: '@e1', text: 'lamp' }],
      ['Press', { key: 'Enter' }],
      ['Select', { target: '@e3', value: ['Rome'] }],
      ['Check', { target: '@e4' }],
      ['Uncheck', { target: '@e4' }],
      ['Fill', { target: '@e7', text: '2026-02-03' }],
      ['Click', { target: '@e5' }],
      ['Scroll', { target: 'down', by: 150 }],
      ['Goto', { url: 'https://example.org/' }],
      ['Text', { target: '@e10' }],
    ],
    'calls',
  );
  const [{ at, ...rest }] = mock.requests('BrowserService/Inspect');
  ok(/^(199|200|201),(119|120|121)$/.test(at), `the point is ${at}`);
  equal(rest, { structured: true }, 'inspection');
  const { headers } = mock.calls.find(({ method }) => method === 'BrowserService/Fill');
  equal([headers['browse-tab'], headers['browse-session']], ['1', 'default'], 'headers');
  equal((await stepTexts(page)).slice(0, 2), ['click Search kept', 'fill Search kept'], 'steps');
  equal(mock.requests('DashboardService/TakeControl'), [], 'control that was taken');
  await dashboard.shot('demonstration');

  await dashboard.button('Save as a skill').click();
  const save = page.getByRole('form', { name: 'New skill' });
  await save.getByLabel('Name', { exact: true }).fill('find-lamp');
  await save.getByLabel('Argument for “lamp”').fill('query');
  await save.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('region', { name: 'Saved' }).waitFor();
  equal(mock.requests(SAVE), [{ name: 'find-lamp', lang: 'ts', arg: ['query=lamp'] }], 'save');
  const call = mock.calls.find(({ method }) => method === SAVE);
  equal(call.headers['browse-session'], 'default', 'session of the skill');
  // Nothing is lost: it ends without a question.
  await pane(page).getByRole('button', { name: 'End' }).click();
  await pane(page).waitFor({ state: 'detached' });
  equal(mock.requests(STOP).length, 1, 'ends');
});

test('Tab, another click and a lost focus set a text, Escape does not', async (dashboard) => {
  const { page } = dashboard;
  const form = await begin(dashboard);
  const field = page.getByLabel('Text for textbox "Search"');
  const write = async (text) => {
    await clickAt(page, 390, 120);
    await field.fill(text);
  };
  await write('one');
  await page.keyboard.press('Tab');
  await noted(page, 2);
  await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'application');
  await write('two');
  await clickAt(page, 150, 360);
  await noted(page, 5);
  await write('three');
  await pane(page).getByLabel('Address').focus();
  await noted(page, 7);
  await write('four');
  await page.keyboard.press('Escape');
  await field.waitFor({ state: 'detached' });
  await clickAt(page, 390, 120);
  await field.waitFor();
  await page.keyboard.press('Tab');
  await noted(page, 9);
  equal(
    form.steps.map(([method, { target, text }]) => [method, target, text ?? null]),
    [
      ['Click', '@e1', null],
      ['Fill', '@e1', 'one'],
      ['Click', '@e1', null],
      ['Fill', '@e1', 'two'],
      ['Click', '@e5', null],
      ['Click', '@e1', null],
      ['Fill', '@e1', 'three'],
      ['Click', '@e1', null],
      ['Click', '@e1', null],
    ],
    'calls',
  );
});

test('a text of several lines is set by Ctrl+Enter, and a key can be pressed', async (dashboard) => {
  const { page } = dashboard;
  const form = await begin(dashboard);
  await clickAt(page, 750, 200);
  await page.getByLabel('Text for textbox "Notes"').waitFor();
  await page.keyboard.type('a');
  await page.keyboard.press('Enter');
  await page.keyboard.type('b');
  await page.keyboard.press('Control+Enter');
  await noted(page, 3);
  await page.getByLabel('Key').selectOption('Escape');
  await dashboard.button('Press').click();
  await pane(page).getByRole('button', { name: 'Back' }).click();
  await dashboard.button('Reload').click();
  await noted(page, 6);
  equal(
    form.steps.slice(1),
    [
      ['Fill', { target: '@e6', text: 'a\nb' }],
      ['Press', { key: 'Enter' }],
      ['Press', { key: 'Escape' }],
      ['Back', {}],
      ['Reload', {}],
    ],
    'calls',
  );
});

test('the keyboard alone demonstrates', async (dashboard) => {
  const { page } = dashboard;
  const form = await begin(dashboard);
  await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'application');
  // From the middle, 640 and 400, to the button.
  for (let step = 0; step < 5; step += 1) await page.keyboard.press('PageUp');
  for (let step = 0; step < 14; step += 1) await page.keyboard.press('ArrowLeft');
  for (let step = 0; step < 11; step += 1) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByLabel('Text for textbox "Notes"').fill('x');
  await page.keyboard.press('Tab');
  await noted(page, 2);
  equal(form.steps.at(-1), ['Fill', { target: '@e6', text: 'x' }], 'call');
});

test('a password is shown nowhere', async (dashboard) => {
  const { mock, page } = dashboard;
  const form = await begin(dashboard);
  await clickAt(page, 200, 180);
  const field = page.getByLabel('Text for textbox "Password"');
  equal(await field.getAttribute('type'), 'password', 'type of the field');
  await field.fill('hunter2-secret');
  await page.keyboard.press('Enter');
  await noted(page, 3);
  equal(form.steps[1], ['Fill', { target: '@e2', text: 'hunter2-secret' }], 'call');
  await dashboard.button('Save as a skill').click();
  await page.getByText('A password becomes an argument by itself.').waitFor();
  ok(!(await page.content()).includes('hunter2'), 'the password is on the page');
  equal(await page.getByLabel(/Argument for/).count(), 0, 'arguments');
  await page.getByRole('form', { name: 'New skill' }).getByLabel('Name', { exact: true }).fill('sign-in');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Saved' }).waitFor();
  equal(mock.requests(SAVE), [{ name: 'sign-in', lang: 'ts' }], 'save');
});

test('a step that fails is shown, what waits behind it is left, and the mode goes on', async (dashboard) => {
  const { mock, page } = dashboard;
  const form = await begin(dashboard);
  form.failing = 'Click';
  const held = [];
  mock.overrides['BrowserService/Inspect'] = (message, response) => void held.push({ message, response });
  await clickAt(page, 150, 360);
  await until(() => held.length === 1, 'the first click is on its way');
  await clickAt(page, 110, 290);
  await clickAt(page, 110, 290);
  const answer = { ref: '@e5', element: 'button "Send"', selector: 'button', rules: [], inherited: [], computed: [] };
  send(held[0].response, { ...answer, history: [], report: '' });
  await pane(page).locator('.failure').getByText('ELEMENT_COVERED').waitFor();
  await noted(page, 1);
  equal(held.length, 1, 'clicks that were meant for another page');
  equal(await stepTexts(page), ['click Send left out: it failed'], 'steps');
  form.failing = undefined;
  await pane(page).getByLabel('Address').fill('https://example.org/');
  await page.keyboard.press('Enter');
  await noted(page, 2);
  await pane(page).locator('.failure').waitFor({ state: 'detached' });
});

test('a file is not for skills', async (dashboard) => {
  const { page } = dashboard;
  const form = await begin(dashboard);
  await clickAt(page, 600, 320);
  await pane(page).getByText('A skill has no file to send.').waitFor();
  equal(form.steps, [], 'calls');
});

test('a label leads to its field, and a link to its tab', async (dashboard) => {
  const { page } = dashboard;
  const form = await begin(dashboard);
  form.receipt = { summary: '', facts: [], focus: 'textbox "Search"' };
  form.nodes[0].states = ['focused'];
  await clickAt(page, 50, 120);
  await page.getByLabel('Text for textbox "Search"').fill('lamp');
  await page.keyboard.press('Tab');
  await noted(page, 2);
  equal(form.steps, [['Click', { target: '@e11' }], ['Fill', { target: '@e1', text: 'lamp' }]], 'calls');
  form.receipt = { summary: '', facts: [], new_tab: '2' };
  await clickAt(page, 150, 360);
  await page.waitForURL(/#live\/2$/);
  await pane(page).waitFor();
  await noted(page, 3);
});

test('dialogs of the page are answered as steps', async (dashboard) => {
  const { mock, page } = dashboard;
  const form = await begin(dashboard);
  mock.overrides['BrowserService/Click'] = (_, response) => {
    mock.tab(1).dialog = { kind: 'prompt', message: 'Which code?', default_text: '' };
    mock.pushOverview();
    fail(response, 'failed_precondition', 'DIALOG_OPEN', 'a dialog is open', 'Answer it');
  };
  await clickAt(page, 150, 360);
  await page.getByText('Which code?').waitFor();
  await page.getByLabel('Answer').fill('4711');
  await dashboard.button('Accept').click();
  await noted(page, 1);
  equal(form.steps.at(-1), ['DialogAccept', { text: '4711' }], 'call');
  equal(await pane(page).locator('.failure').count(), 0, 'failures');
});

test('leaving with steps asks, and other views lead back', async (dashboard) => {
  const { mock, page } = dashboard;
  await begin(dashboard);
  await clickAt(page, 150, 360);
  await noted(page, 1);
  await dashboard.view('system');
  await dashboard.text('A demonstration runs in session default.');
  await page.getByRole('link', { name: 'Back to it' }).click();
  await noted(page, 1);
  equal(await page.getByText('A demonstration runs').count(), 0, 'banners');
  await dashboard.button('Demonstrate').click();
  const question = page.getByRole('group', { name: 'Leave the demonstration' });
  await question.getByText('1 step would be lost: no skill has them.').waitFor();
  await question.getByRole('button', { name: 'Go on' }).click();
  await question.waitFor({ state: 'detached' });
  equal(mock.requests(STOP), [], 'ends');
  await dashboard.button('Discard…').click();
  await question.getByRole('button', { name: 'Discard them' }).click();
  await pane(page).waitFor({ state: 'detached' });
  equal(mock.requests(STOP), [{}], 'ends');
});

test('a page that goes away ends its demonstration', async (dashboard) => {
  const { mock, page } = dashboard;
  await begin(dashboard);
  await page.goto('about:blank');
  await until(() => mock.requests(STOP).length === 1, 'the recording ends');
  await page.goto(mock.origin);
});

test('a recording of somebody else is discarded only when that is wanted', async (dashboard) => {
  const { mock, page } = dashboard;
  const form = new FormPage(mock);
  form.noted = ['click Send (kept)'];
  await dashboard.open();
  await dashboard.openTab(1);
  await dashboard.button('Demonstrate').click();
  await dashboard.text('The session is being recorded already');
  equal(mock.requests(STOP), [], 'ends');
  await dashboard.button('Discard that recording').click();
  await picker(page).waitFor();
  equal([mock.requests(STOP).length, form.noted], [1, []], 'the recording');
});

test('nothing is demonstrated without `admin`, or while a person holds the session', async (dashboard) => {
  const { mock, page } = dashboard;
  new FormPage(mock);
  await dashboard.open(['read', 'write', 'meta']);
  await dashboard.openTab(1);
  equal(
    await dashboard.button('Demonstrate').getAttribute('title'),
    'This link does not have the scope `admin`',
    'title',
  );
  await page.goto('about:blank');
  await dashboard.open();
  await dashboard.openTab(1);
  await dashboard.button('Demonstrate').click();
  await picker(page).waitFor();
  await dashboard.button('Take control').click();
  await page.getByText('You control the session: nothing is noted.').waitFor();
  equal(await picker(page).count(), 0, 'pickers');
  await page.goto('about:blank');
});
