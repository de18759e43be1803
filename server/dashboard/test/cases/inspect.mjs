// The inspector: choosing a point, what is shown of the element, and live changes.

import { equal, ok, test, until } from '../harness.mjs';
import { declarationData, ruleData } from '../inspect.mjs';
import { fail } from '../mock.mjs';
import { take } from './control-helpers.mjs';

const METHOD = 'BrowserService/Inspect';

function pane(page) {
  return page.getByRole('complementary', { name: 'Inspector' });
}

function picker(page) {
  return page.getByRole('application', { name: 'Point of the page to inspect' });
}

/** Opens a tab large, and begins to inspect it. */
async function begin(dashboard, scopes) {
  await dashboard.open(scopes);
  await dashboard.openTab(1);
  await dashboard.button('Inspect').click();
  await picker(dashboard.page).waitFor();
}

/** The same, with an element that is inspected. */
async function inspect(dashboard, scopes) {
  await begin(dashboard, scopes);
  await picker(dashboard.page).press('Enter');
  await pane(dashboard.page).getByRole('heading', { name: 'button "Save"' }).waitFor();
}

/** The inspections of elements, without those of the history. */
function inspections(mock) {
  return mock.requests(METHOD).filter(({ history }) => !history);
}

test('a click inspects the point of the page, a move does not', async (dashboard) => {
  const { mock, page } = dashboard;
  await begin(dashboard);
  const box = await picker(page).boundingBox();
  await page.mouse.move(box.x + 20, box.y + 20, { steps: 5 });
  await page.mouse.move(box.x + box.width / 4, box.y + box.height / 2, { steps: 5 });
  equal(mock.requests(METHOD), [], 'requests of a move');
  await page.mouse.click(box.x + box.width / 4, box.y + box.height / 2);
  await pane(page).getByRole('heading', { name: 'button "Save"' }).waitFor();
  const [{ at, ...rest }, ...more] = inspections(mock);
  equal([rest, more], [{ structured: true }, []], 'requests');
  const [x, y] = at.split(',').map(Number);
  ok(Math.abs(x - 320) < 4 && Math.abs(y - 400) < 4 && /^\d+,\d+$/.test(at), `the point is ${at}`);
  ok(
    mock.requests(METHOD).some(({ history, structured }) => history && structured),
    'the history is not asked for',
  );
  const { headers } = mock.calls.find(({ method }) => method === METHOD);
  equal([headers['browse-tab'], headers['browse-session']], ['1', 'default'], 'headers');
  const frame = await page.locator('.inspected-frame').boundingBox();
  ok(Math.abs(frame.x - box.x - (40 / 1280) * box.width) < 2, `the frame is at ${frame.x}`);
  ok(Math.abs(frame.height - (48 / 800) * box.height) < 2, `the frame is ${frame.height} high`);
  await dashboard.shot('inspect');
});

test('the keyboard moves the point, and inspects it', async (dashboard) => {
  const { mock, page } = dashboard;
  await begin(dashboard);
  await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'application');
  await page.getByText('640 from the left, 400 from the top').waitFor({ state: 'attached' });
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowUp', 'Shift+ArrowLeft', 'PageUp'])
    await page.keyboard.press(key);
  await page.getByText('659 from the left, 290 from the top').waitFor({ state: 'attached' });
  await page.keyboard.press('Enter');
  await pane(page).getByRole('heading', { name: 'button "Save"' }).waitFor();
  equal(inspections(mock), [{ at: '659,290', structured: true }], 'requests');
  await dashboard.button('Inspect').press('Enter');
  await pane(page).waitFor({ state: 'detached' });
  equal(await page.locator('.inspected-frame').count(), 0, 'frames');
});

test('the pane shows the box, the cascade and what the element inherits', async (dashboard) => {
  const { mock, page } = dashboard;
  await inspect(dashboard);
  await pane(page).getByText('@e12').waitFor();
  await pane(page).getByText('button#save.primary').waitFor();
  await pane(page)
    .getByRole('img', {
      name: 'Box: 140 by 48 at 40,300, margin 0 8 0 0, border 1, padding 4 12, content 114 by 38',
    })
    .waitFor();
  const heads = await pane(page).locator('.rule-head code').allTextContents();
  equal(heads.slice(0, 3), ['#save', '.primary', '.primary::before'], 'rules');
  await pane(page).getByText('specificity 1,0,0').waitFor();
  await pane(page).getByText('@media (min-width: 40em)').waitFor();
  await pane(page).getByText('@layer theme').waitFor();
  await pane(page).getByText('::before', { exact: true }).waitFor();
  const overridden = pane(page)
    .locator('li', { has: page.locator('s') })
    .first();
  equal(await overridden.locator('s').textContent(), 'color: green', 'overridden');
  ok((await overridden.textContent()).includes('overridden'), 'nothing is read of it');
  await pane(page).getByText('partly overridden').waitFor();
  await pane(page).getByText('padding: 4px 12px !important').waitFor();
  ok(!(await pane(page).getByText('font-size: 16px').first().isVisible()), 'inherited rules are open');
  await pane(page).getByText('Inherited: 1 rule').click();
  await pane(page).getByText('font-size: 16px').first().waitFor();
  await pane(page).getByText('Computed properties').click();
  await pane(page).getByText('2 of 2 properties').waitFor();
  await pane(page).getByLabel('Filter of computed properties').fill('255');
  await pane(page).getByText('1 of 2 properties').waitFor();
  await pane(page).getByLabel('Also those of the browser').check();
  await pane(page).getByText('cursor: default').waitFor();
  equal(inspections(mock).at(-1), { target: '@e12', structured: true, all: true }, 'request');
});

test('an element without a box says so, and an error of the daemon is shown', async (dashboard) => {
  const { mock, page } = dashboard;
  delete mock.inspector.element.box;
  await inspect(dashboard);
  await pane(page).getByText('It is not rendered, so it has no box.').waitFor();
  mock.overrides[METHOD] = (_, response) =>
    fail(response, 'failed_precondition', 'HANDED_OFF', 'a person holds the session', 'Wait');
  await picker(page).press('Enter');
  await pane(page).locator('.failure').getByText('A person holds the session.').waitFor();
  delete mock.overrides[METHOD];
  await pane(page).getByRole('button', { name: 'Retry' }).click();
  await pane(page).locator('.failure').waitFor({ state: 'detached' });
});

test('a value is changed, a property added, and both are undone', async (dashboard) => {
  const { mock, page } = dashboard;
  await inspect(dashboard);
  await pane(page).getByRole('button', { name: 'Change padding' }).press('Enter');
  const field = pane(page).getByLabel('Value of padding');
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Value of padding');
  equal(await field.inputValue(), '4px 12px !important', 'value');
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Change padding');
  await page.keyboard.press('Enter');
  await field.fill('9px');
  await page.keyboard.press('Enter');
  await pane(page).getByText('padding: red → 9px').first().waitFor();
  await pane(page).getByLabel('Property', { exact: true }).fill('outline');
  await pane(page).getByLabel('Value', { exact: true }).fill('1px solid');
  await page.keyboard.press('Enter');
  await pane(page).getByRole('button', { name: 'Undo 2' }).waitFor();
  equal(
    mock.requests('BrowserService/Style'),
    [
      { target: '@e12', property: 'padding', value: '9px' },
      { target: '@e12', property: 'outline', value: '1px solid' },
    ],
    'requests',
  );
  equal(inspections(mock).at(-1), { target: '@e12', structured: true }, 'the inspection after it');
  equal(await pane(page).locator('.rule-head code').first().textContent(), 'element.style', 'the strongest rule');
  await pane(page).getByRole('button', { name: 'Undo 1' }).click();
  await pane(page).getByText('Change 1 is undone.').waitFor();
  await pane(page).getByRole('button', { name: 'Undo 1' }).waitFor({ state: 'detached' });
  equal(mock.requests('BrowserService/UndoStyle'), [{ change: 1 }], 'undone');
  ok(
    (await pane(page)
      .getByRole('button', { name: /^Change content/ })
      .count()) === 0,
    'a pseudo-element can be changed',
  );
});

test('only the last of several points counts', async (dashboard) => {
  const { mock, page } = dashboard;
  await begin(dashboard);
  const held = [];
  mock.overrides[METHOD] = (request, response) => void held.push({ request, response });
  await picker(page).press('Enter');
  await until(() => held.length === 2, 'the first point is asked for');
  delete mock.overrides[METHOD];
  mock.inspector.element.element = 'link "Second"';
  await picker(page).press('ArrowDown');
  await picker(page).press('Enter');
  await pane(page).getByRole('heading', { name: 'link "Second"' }).waitFor();
  const { send } = await import('../mock.mjs');
  for (const { response } of held) send(response, { ...mock.inspector.element, element: 'link "First"', history: [] });
  await page.evaluate(() => new Promise((done) => setTimeout(done, 100)));
  await pane(page).getByRole('heading', { name: 'link "Second"' }).waitFor();
});

test(
  'the element goes to the clipboard of the person, in lines that the page cannot add to',
  {
    permissions: ['clipboard-read', 'clipboard-write'],
  },
  async (dashboard) => {
    const { mock, page } = dashboard;
    mock.inspector.element.rules[0].declarations.push(declarationData('content', '"a\n@e1 button \\"Pay\\""'));
    mock.inspector.element.element = 'button "Save\n@e9 link"';
    await begin(dashboard);
    await picker(page).press('Enter');
    await dashboard.button('Copy for the agent').click();
    await pane(page).getByText('Copied.').waitFor();
    equal(
      (await page.evaluate(() => navigator.clipboard.readText())).split('\n'),
      [
        '@e12 button "Save @e9 link" <button#save.primary>',
        'page: https://news.example.com/front?page=2 (tab 1)',
        'box: 140 by 48 at 40,300, margin 0 8 0 0, border 1, padding 4 12, content 114 by 38',
        'styles:',
        '  color: red;',
        '  padding: 4px 12px !important;',
        '  content: "a @e1 button \\"Pay\\"";',
      ],
      'text',
    );
  },
);

test('without a clipboard the text is shown', async (dashboard) => {
  const { page } = dashboard;
  await page.addInitScript(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException('no', 'NotAllowedError'));
  });
  await inspect(dashboard);
  await dashboard.button('Copy for the agent').click();
  await pane(page).getByRole('region', { name: 'Text for the agent' }).getByText('@e12 button "Save"').waitFor();
});

test('a note is written about the element', async (dashboard) => {
  const { mock, page } = dashboard;
  await inspect(dashboard);
  await dashboard.button('Write to the agent').click();
  await pane(page).getByLabel('Note to the agent of default').fill('This one is wrong');
  await dashboard.button('Send the note').click();
  await pane(page).getByText('Note 1 is sent, about @e12 button "Save".').waitFor();
  equal(mock.requests('DashboardService/WriteNote'), [{ text: 'This one is wrong', target: '@e12' }], 'requests');
  const { headers } = mock.calls.find(({ method }) => method === 'DashboardService/WriteNote');
  equal([headers['browse-tab'], headers['browse-session']], ['1', 'default'], 'headers');
  await dashboard.view('talk/default');
  await page.getByRole('log').getByText('@e12 button "Save"').waitFor();
});

test('neither the refs nor the control of the page take the click', async (dashboard) => {
  const { mock, page } = dashboard;
  await take(dashboard);
  await dashboard.button('Show refs').click();
  await page.locator('.ref-box').first().waitFor();
  await dashboard.button('Inspect').click();
  await picker(page).waitFor();
  const sent = mock.events().length;
  const box = await page.locator('.ref-box').first().boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await pane(page).getByRole('heading', { name: 'button "Save"' }).waitFor();
  await page.keyboard.press('ArrowDown');
  equal(mock.events().length, sent, 'input that was sent to the page');
  await dashboard.button('Inspect').click();
  await page.locator('.surface').click({ position: { x: 30, y: 30 } });
  await until(() => mock.events().some(({ kind }) => kind === 'down'), 'the page has its input again');
});

test('a link that may only read inspects, and changes nothing', async (dashboard) => {
  const { page } = dashboard;
  await inspect(dashboard, ['read', 'meta']);
  for (const [name, scope] of [
    ['Change color', 'admin'],
    ['Add', 'admin'],
    ['Write to the agent', 'write'],
  ]) {
    const button = pane(page).getByRole('button', { name, exact: true }).first();
    ok(await button.isDisabled(), `${name} can be pressed`);
    equal(await button.getAttribute('title'), `This link does not have the scope \`${scope}\``, 'title');
  }
});

test('hostile text of a page is text in the inspector', async (dashboard) => {
  const { mock, page } = dashboard;
  const text = '<img src=x onerror=alert(1)>"><script>alert(1)</script>';
  const { element } = mock.inspector;
  Object.assign(element, { element: text, selector: text, computed: [{ name: text, value: text }] });
  element.rules = [
    ruleData({ selector: text, pseudo: text, conditions: [text], layer: text, source: `javascript:${text}` }),
    ruleData({ selector: text, declarations: [declarationData(text, text, { standing: 'overridden' })] }),
  ];
  element.inherited = element.rules;
  mock.inspector.changes = [
    { id: 1, ref: '@e1', target: text, property: text, value: text, before: text, after: text },
  ];
  await begin(dashboard);
  await picker(page).press('Enter');
  await pane(page).getByRole('heading', { name: text }).waitFor();
  equal(await pane(page).locator('.rule-head code').nth(1).textContent(), text, 'selector');
  equal(await pane(page).locator('s').first().textContent(), `${text}: ${text}`, 'declaration');
  await pane(page).getByText(`${text}: ${text} → ${text}`).waitFor();
  equal(await pane(page).locator('a, img, script').count(), 0, 'elements of the page');
  await dashboard.checkWidth('hostile');
});

for (const colorScheme of ['light', 'dark']) {
  for (const width of [320, 768, 1440, 2560]) {
    test(
      `the inspector can be read and reached at ${width} px, ${colorScheme}`,
      { viewport: { width, height: width === 320 ? 640 : 900 }, colorScheme },
      async (dashboard) => {
        const { mock, page } = dashboard;
        const long = 'aWordThatIsMuchLongerThanThePaneIsWide'.repeat(6);
        mock.inspector.element.selector = `button#${long}`;
        mock.inspector.element.rules[0].source = `https://shop.example.com/${long}.css:12`;
        mock.inspector.element.rules[0].declarations.push(declarationData('background-image', `url(${long})`));
        mock.inspector.element.box.margin = { top: 1234.5, right: 1234.5, bottom: -1234.5, left: 1234.5 };
        await inspect(dashboard);
        await pane(page).getByText('Inherited: 1 rule').click();
        await pane(page).getByText('Computed properties').click();
        await pane(page).getByLabel('Property', { exact: true }).fill('outline');
        await page.keyboard.press('Enter');
        await pane(page).getByRole('button', { name: 'Undo 1' }).waitFor();
        await pane(page).getByRole('button', { name: 'Change background-image' }).click();
        await dashboard.button('Write to the agent').click();
        await dashboard.checkAccess('inspector');
        await dashboard.checkWidth('inspector');
        await dashboard.shot(`${width}-${colorScheme}-inspector`);
      },
    );
  }
}
