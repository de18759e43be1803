// Approvals, timeline, skills, sessions and system.

import { equal, ok, test, until } from '../harness.mjs';

test('approvals are listed, and given once', async (dashboard) => {
  const { mock, page } = dashboard;
  await dashboard.open();
  await page.locator('nav.rail').getByText('2', { exact: false }).first().waitFor();
  await dashboard.view('approvals');
  await dashboard.text('fetch api.example.com');
  const row = page.locator('article.approval', { hasText: '1f3a9c' });
  await row.getByRole('button', { name: 'Approve once' }).click();
  await row.getByText('approved', { exact: true }).waitFor();
  equal(
    mock.requests('BrowserService/Approve').filter(({ id }) => id),
    [{ id: '1f3a9c' }],
    'requests',
  );
  await row.getByRole('button', { name: 'Revoke' }).click();
  await row.getByRole('button', { name: 'Deny' }).click();
  await row.getByText('denied', { exact: true }).waitFor();
  equal(
    mock
      .requests('BrowserService/Approve')
      .filter(({ id }) => id)
      .at(-1),
    { id: '1f3a9c', deny: true },
    'denial',
  );
  mock.approvals.push({ id: 'new1', client: 'claude', action: 'fetch other.example', waiting_s: '0', state: 'waits' });
  await dashboard.text('fetch other.example');
});

test('the timeline filters, pauses and leads to the tab', async (dashboard) => {
  const { mock, page } = dashboard;
  await dashboard.open();
  await dashboard.view('timeline');
  await dashboard.text('60 of 60 calls');
  await page.getByLabel('Text').fill('save');
  await dashboard.text('12 of 12 calls, 60 in all');
  await page.getByLabel('Outcome').selectOption('failed');
  const failed = mock.activity.filter(({ element, outcome }) => element.includes('Save') && outcome !== 'ok').length;
  await dashboard.text(`${failed} of ${failed} calls`);
  await page.getByLabel('Outcome').selectOption('');
  await page.getByLabel('Text').fill('');
  await page.getByLabel('Session').selectOption('shop');
  await dashboard.text('20 of 20 calls');
  await page.getByLabel('Session').selectOption('');
  await dashboard.button('Pause').click();
  const entry = {
    time: new Date().toISOString(),
    client: 'late',
    command: 'hover',
    target: '',
    element: '',
    duration_ms: 3,
    outcome: 'ok',
    session: 'default',
    raw: false,
    tab: '2',
  };
  mock.pushActivity(entry);
  mock.pushActivity({ ...entry, client: 'dashboard:1', command: 'reload' });
  await dashboard.button('Continue').click();
  await dashboard.text('61 of 61 calls, 62 in all');
  await page.getByLabel('Calls of dashboards').check();
  await dashboard.text('62 of 62 calls');
  await page.locator('tbody tr', { hasText: 'late' }).getByRole('link').click();
  await page.locator('canvas.page[data-drawn]').waitFor();
  ok(page.url().endsWith('#live/2'), page.url());
});

test('the timeline renders 200 rows of 2,000 entries', async (dashboard) => {
  const { mock, page } = dashboard;
  const [one] = mock.activity;
  mock.activity = Array.from({ length: 2_500 }, () => one);
  await dashboard.open();
  await dashboard.view('timeline');
  await dashboard.text('200 of 2000 calls');
  equal(await page.locator('tbody tr').count(), 200, 'rows');
});

test('a skill runs with arguments, and its output is shown', async (dashboard) => {
  const { mock, page } = dashboard;
  await dashboard.open();
  await dashboard.view('skills');
  const skill = page.locator('article', { hasText: 'shop-prices' });
  await skill.getByText('drifted', { exact: true }).waitFor();
  await skill.getByRole('button', { name: 'Run…' }).click();
  await skill.locator('input').fill('lamp');
  await skill.getByRole('button', { name: 'Run', exact: true }).click();
  await skill.getByText('"query=lamp"').waitFor();
  await skill.getByText('reading the page').waitFor();
  equal(
    mock.requests('SkillService/RunSkill'),
    [{ name: 'shop-prices', arg: ['query=lamp'], source: 'project' }],
    'requests',
  );
  await dashboard.shot('skill-run');
});

test('notes are shown, promoted and rolled back', async (dashboard) => {
  const { mock, page } = dashboard;
  await dashboard.open();
  await dashboard.view('skills');
  const notes = page.locator('article[aria-label^="Note on"]');
  await notes.first().getByText('quarantined').waitFor();
  const note = page.locator('article[aria-label="Note on example.com"]');
  await note.getByRole('button', { name: 'Show' }).click();
  await note.getByText('Use the search field.').waitFor();
  await note.getByRole('button', { name: 'Promote' }).click();
  await until(() => mock.requests('DomainSkillService/PromoteDomainSkill').length === 1, 'the note is promoted');
  await page.locator('article[aria-label="Note on example.com"]').getByRole('button', { name: 'Roll back' }).click();
  await until(() => mock.requests('DomainSkillService/RollBackDomainSkill').length === 1, 'the note is rolled back');
});

test('sessions show states and names of cookies, never values', async (dashboard) => {
  const { mock, page } = dashboard;
  await dashboard.open();
  await dashboard.view('sessions');
  await dashboard.text('12 cookies, 3 origins');
  await page.getByRole('cell', { name: 'sid' }).first().waitFor();
  ok(!(await page.content()).includes('secr<'), 'a value is on the page');
  await page.getByLabel('Name of the state').fill('mine');
  await dashboard.button('Save the session').click();
  await dashboard.text('saved 12 cookies');
  equal(mock.requests('BrowserService/SaveState'), [{ name: 'mine' }], 'requests');
});

test('the system view shows health, guards and pairings, and revokes', async (dashboard) => {
  const { mock, page } = dashboard;
  await dashboard.open();
  await dashboard.view('system');
  await dashboard.text('Chromium 156');
  await dashboard.text('Marks text of pages');
  await dashboard.text('EGRESS_BLOCKED');
  await page.locator('.chart rect').first().waitFor();
  await dashboard.button('Revoke…').click();
  await dashboard.button('Revoke laptop, close its tabs').click();
  await until(() => mock.requests('PairService/RevokePairing').length === 1, 'the pairing is revoked');
});

test('what the link does not allow says which link does', async (dashboard) => {
  const { mock, page } = dashboard;
  await dashboard.open(['read', 'meta'], true);
  await dashboard.text('Read only');
  await page.locator('.card').first().waitFor();
  const take = dashboard.button('Take control').first();
  ok(await take.isDisabled(), 'control can be taken');
  equal(await take.getAttribute('title'), 'This link does not have the scope `write`', 'title');
  await dashboard.view('approvals');
  await dashboard.text('browse dashboard --scope read,write,meta,control');
  await dashboard.view('sessions');
  await dashboard.text('browse dashboard --scope read,write,meta,admin');
  await dashboard.view('system');
  await dashboard.text('browse dashboard --scope read,write,meta,control');
  equal(
    mock.calls.filter(({ method }) => /Approve|ListStates|Cookies|ListPairings/.test(method)).length,
    0,
    'calls without a scope',
  );
});

test('at a browser on another machine it says which pairing allows more', async (dashboard) => {
  const { mock } = dashboard;
  mock.isRemote = true;
  await dashboard.open(['read', 'write', 'meta']);
  await dashboard.view('approvals');
  await dashboard.text('browse pair new <name> --dashboard --scope read,write,meta,control');
  mock.tokens.clear();
  // A stream may notice it first, and then no view can be chosen.
  const ended = dashboard.text('This dashboard has ended.');
  await Promise.race([dashboard.view('skills'), ended]);
  await ended;
  await dashboard.text('browse --remote <name> dashboard');
});

test('of a fleet it says in a line what that does not have', async (dashboard) => {
  const { mock } = dashboard;
  mock.isFleet = true;
  await dashboard.open(['read', 'write', 'meta', 'admin']);
  await dashboard.view('skills');
  await dashboard.text('A fleet does not have this.');
  equal(await dashboard.page.locator('.failure').count(), 0, 'failures');
  await dashboard.view('sessions');
  await dashboard.text('A fleet does not have this.');
  equal(
    mock.calls.filter(({ method }) => /ImportBrowserCookies/.test(method)).length,
    0,
    'calls that a fleet does not serve',
  );
  await dashboard.view('approvals');
  await dashboard.text('browse --remote <name> dashboard --scope read,write,meta,control');
});
