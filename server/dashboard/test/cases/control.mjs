// Taking a session over, and what is sent while it is held.

import { equal, ok, send, take, test, until } from './control-helpers.mjs';

test('input is sent in order, joined, with one request in flight', async (dashboard) => {
  const { mock, page } = dashboard;
  await take(dashboard);
  const box = await page.locator('.surface').boundingBox();
  const held = [];
  mock.overrides['DashboardService/SendInput'] = (request, response) => void held.push(response);
  // The first event is in flight while the others wait.
  await page.mouse.move(box.x + 10, box.y + 10);
  await until(() => held.length === 1, 'the first input is sent');
  for (let step = 1; step <= 300; step += 1) await page.mouse.move(box.x + 10 + step / 2, box.y + 20);
  await page.mouse.down();
  await page.mouse.up();
  await page.mouse.wheel(0, 100);
  await page.mouse.wheel(0, 50);
  await page.keyboard.press('a');
  await page.keyboard.press('Escape');
  await page.evaluate(() => new Promise((done) => setTimeout(done, 0)));
  delete mock.overrides['DashboardService/SendInput'];
  equal(held.length, 1, 'requests in flight');
  send(held[0], { sent: 1 });
  await until(() => mock.events().some(({ kind, key }) => kind === 'key-up' && key === 'Escape'), 'all input is sent');
  const kinds = mock
    .events()
    .slice(1)
    .map(({ kind, key, dy }) => `${kind}${key ? ` ${key}` : ''}${dy ? ` ${dy}` : ''}`);
  equal(
    kinds,
    ['move', 'down', 'up', 'wheel 150', 'key-down a', 'key-up a', 'key-down Escape', 'key-up Escape'],
    'events',
  );
  const [down] = mock.events().filter(({ kind }) => kind === 'down');
  equal([down.button, down.clicks], ['left', 1], 'the button');
  ok(Math.abs(down.x - (160 / box.width) * 1280) < 1, `the button is at ${down.x}`);
  await dashboard.text('You control default. Agents wait.');
  await dashboard.shot('control');
});

test('modifiers, double clicks, paste and composed text arrive', async (dashboard) => {
  const { mock, page } = dashboard;
  await take(dashboard);
  const field = page.locator('.keyboard-field');
  await page.mouse.move(0, 0);
  await page.locator('.surface').dblclick({ position: { x: 50, y: 50 } });
  await page.locator('.surface').click({ button: 'right', position: { x: 60, y: 50 } });
  await page.keyboard.press('Control+Shift+K');
  await field.evaluate((element) => {
    const data = new DataTransfer();
    data.setData('text/plain', 'pasted');
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, cancelable: true }));
    element.dispatchEvent(new CompositionEvent('compositionstart', { data: '' }));
    element.dispatchEvent(new CompositionEvent('compositionupdate', { data: 'に' }));
    element.dispatchEvent(new CompositionEvent('compositionend', { data: '日本' }));
    element.dispatchEvent(new InputEvent('input', { inputType: 'insertText', data: 'é' }));
  });
  await until(() => mock.events().some(({ text }) => text === 'é'), 'all input is sent');
  const events = mock.events();
  equal(
    events.filter(({ kind }) => kind === 'down').map(({ button, clicks }) => [button, clicks]),
    [
      ['left', 1],
      ['left', 2],
      ['right', 1],
    ],
    'clicks',
  );
  equal(events.find(({ code, kind }) => kind === 'key-down' && code === 'KeyK').modifiers, 10, 'modifiers');
  equal(
    events.filter(({ text }) => text !== undefined).map(({ kind, text, caret }) => [kind, text, caret ?? null]),
    [
      ['paste', 'pasted', null],
      ['compose', 'に', 1],
      ['text', '日本', null],
      ['text', 'é', null],
    ],
    'texts',
  );
});

test('touch arrives as touch', { hasTouch: true }, async (dashboard) => {
  const { mock, page } = dashboard;
  await take(dashboard);
  await page.locator('.surface').tap({ position: { x: 50, y: 50 } });
  await until(() => mock.events().some(({ kind }) => kind === 'touch-end'), 'the touch is sent');
  equal(
    mock.events().map(({ kind }) => kind),
    ['touch-start', 'touch-end'],
    'events',
  );
});

test('the bar navigates, and gives back with a note', async (dashboard) => {
  const { mock, page } = dashboard;
  await take(dashboard);
  await page.getByLabel('Address').fill('https://example.org/');
  await dashboard.button('Open').click();
  await page.locator('.control-bar').getByRole('button', { name: 'Back', exact: true }).click();
  await until(() => mock.events().length >= 2, 'the events are sent');
  equal(
    mock.events().map(({ kind, text }) => [kind, text ?? null]),
    [
      ['open', 'https://example.org/'],
      ['back', null],
    ],
    'events',
  );
  await page.getByLabel('Note to the agent').fill('signed in');
  await dashboard.button('Give back').click();
  await page.locator('.control-bar').waitFor({ state: 'detached' });
  equal(mock.requests('DashboardService/ReleaseControl'), [{ lease: 'lease-1', note: 'signed in' }], 'release');
});

test('Ctrl+Shift+. gives back, Escape does not', async (dashboard) => {
  const { mock, page } = dashboard;
  await take(dashboard);
  await page.keyboard.press('Escape');
  await until(() => mock.events().length === 2, 'Escape is sent');
  await page.keyboard.press('Control+Shift+Period');
  await page.locator('.control-bar').waitFor({ state: 'detached' });
  equal(mock.requests('DashboardService/ReleaseControl').length, 1, 'releases');
});

test('a page that goes away gives back', async (dashboard) => {
  const { mock, page } = dashboard;
  await take(dashboard);
  await page.goto('about:blank');
  await until(() => mock.requests('DashboardService/ReleaseControl').length === 1, 'the session is given back');
  await page.goto(mock.origin);
});

test('control that ended says so', async (dashboard) => {
  const { mock, page } = dashboard;
  await take(dashboard);
  mock.leases.clear();
  await page.keyboard.press('a');
  await dashboard.text('Your control of default has ended.');
  await dashboard.text('LEASE_ENDED');
  await page.locator('.control-bar').waitFor({ state: 'detached' });
});

test('a session that another person takes over is lost at once', async (dashboard) => {
  const { mock, page } = dashboard;
  await take(dashboard);
  mock.session('default').holder = { ...mock.session('bank').holder, client: 'dashboard-7' };
  mock.pushOverview();
  await dashboard.text('Your control of default has ended.');
  await dashboard.text('Dashboard-7 holds the session now.');
  await page.locator('.control-bar').waitFor({ state: 'detached' });
});

test('the person is still there, every 10 seconds', async (dashboard) => {
  const { mock, page } = dashboard;
  await page.clock.install();
  await take(dashboard);
  await page.clock.fastForward(10_100);
  await until(() => mock.requests('DashboardService/SendInput').length === 1, 'the session is kept');
  equal(mock.requests('DashboardService/SendInput')[0].events, [], 'events');
});

test('dialogs are shown as text, and answered', async (dashboard) => {
  const { mock, page } = dashboard;
  await take(dashboard);
  mock.tab(1).dialog = { kind: 'prompt', message: 'What is your name?', default_text: 'Ada' };
  mock.pushOverview();
  await dashboard.text('What is your name?');
  await page.getByLabel('Answer').fill('Grace');
  await dashboard.shot('dialog');
  await dashboard.button('Accept').click();
  await until(() => mock.events().length === 1, 'the answer is sent');
  mock.tab(1).dialog = { kind: 'confirm', message: 'Really?', default_text: '' };
  mock.pushOverview();
  await dashboard.text('Really?');
  await dashboard.button('Dismiss').click();
  await until(() => mock.events().length === 2, 'the answer is sent');
  equal(mock.events(), [{ kind: 'accept', text: 'Grace' }, { kind: 'dismiss' }], 'events');
});

test('lists, dates and files are chosen in the dashboard', async (dashboard) => {
  const { mock, page } = dashboard;
  await take(dashboard);
  const ask = (prompt) => {
    mock.tab(1).prompt = { label: 'Field', value: '', options: [], multiple: false, ...prompt };
    mock.pushOverview();
  };
  const options = [
    { value: 'b', label: 'Berlin', selected: true, disabled: false },
    { value: 'r', label: 'Rome', selected: false, disabled: false },
    { value: 'x', label: 'Nowhere', selected: false, disabled: true },
  ];
  ask({ kind: 'select', id: 'p1', options });
  ok(await page.locator('.choice', { hasText: 'Nowhere' }).isDisabled(), 'the option is not disabled');
  await dashboard.shot('select');
  await page.locator('.choice', { hasText: 'Rome' }).click();
  await until(() => mock.events().length === 1, 'the choice is sent');
  ask({ kind: 'select', id: 'p2', options, multiple: true });
  // The first list, which has a Rome too, is still there until the new overview comes.
  await dashboard.button('Choose').waitFor();
  await page.locator('.choice', { hasText: 'Rome' }).click();
  await dashboard.button('Choose').click();
  await until(() => mock.events().length === 2, 'the choice is sent');
  ask({ kind: 'date', id: 'p3', value: '2026-01-01' });
  await page.locator('input[type=date]').fill('2026-02-03');
  await dashboard.button('Set').click();
  await until(() => mock.events().length === 3, 'the date is sent');
  ask({ kind: 'file', id: 'p4' });
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') });
  await until(() => mock.events().length === 4, 'the file is sent');
  equal(
    mock.events(),
    [
      { kind: 'answer', prompt: 'p1', values: ['r'] },
      { kind: 'answer', prompt: 'p2', values: ['b', 'r'] },
      { kind: 'answer', prompt: 'p3', text: '2026-02-03' },
      { kind: 'answer', prompt: 'p4', files: [{ name: 'a.txt', content: 'aGVsbG8=' }] },
    ],
    'events',
  );
  ask({ kind: 'file', id: 'p5' });
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'big.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc((16 << 20) + 1) });
  await dashboard.text('Choose files of at most 16 MiB');
});
