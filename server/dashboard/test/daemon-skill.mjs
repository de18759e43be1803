// Parts of the test with a real daemon that need all scopes: a demonstration that becomes a skill, and
// an agent that is paired and revoked.

import { createServer } from 'node:http';
import { equal, ok } from './harness.mjs';

const PASSWORD = 'correct-horse-42';
const FORM = `<!doctype html><title>Order</title>
<style>body { margin: 0 } form > *, #total { position: fixed; left: 40px; width: 400px; height: 50px }</style>
<form onsubmit="event.preventDefault();
  total.textContent = buyer.value + ' of ' + city.value + (news.checked ? ' with news' : '') + ', ' + pw.value.length">
<input id="buyer" aria-label="Name" style="top: 20px">
<input id="pw" type="password" aria-label="Password" style="top: 80px">
<select id="city" aria-label="City" style="top: 140px"><option>Berlin<option>Rome</select>
<input id="news" type="checkbox" aria-label="News" style="top: 200px; width: 50px">
<button style="top: 260px"><span>Order now</span></button>
</form>
<p id="total" style="top: 320px">nothing</p>`;
const ALL_SCOPES = 'read,write,meta,admin,control';

/** `open` opens a link in a new page; `browse` runs a command. */
export async function driveWithAllScopes({ browse, open }) {
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(FORM));
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  try {
    await browse('--session', 'order', 'goto', `http://127.0.0.1:${server.address().port}/`);
    const page = await open(await browse('dashboard', '--scope', ALL_SCOPES));
    await demonstrate(page, browse);
    await pairAndRevoke(page, browse);
    await page.close();
  } finally {
    server.close();
  }
}

async function demonstrate(page, browse) {
  await page.locator('section[aria-label="Session order"] .card').first().click();
  const canvas = page.locator('canvas.page[data-drawn]');
  await canvas.waitFor();
  await page.getByRole('button', { name: 'Demonstrate' }).click();
  const picker = page.getByRole('application');
  await picker.waitFor();
  const pane = page.getByRole('complementary', { name: 'Demonstration' });
  const click = async (x, y) => {
    const { width, height } = await picker.boundingBox();
    await picker.click({ position: { x: (x / 1280) * width, y: (y / (1280 * (height / width))) * height } });
  };
  const noted = (count) => pane.getByText(new RegExp(`^${count} steps? noted`)).waitFor();
  await click(200, 45);
  await page.getByLabel('Text for textbox "Name"').fill('Ada');
  await page.keyboard.press('Tab');
  await noted(2);
  await click(200, 105);
  await page.getByLabel('Text for textbox "Password"').fill(PASSWORD);
  await page.keyboard.press('Tab');
  await noted(4);
  await click(200, 165);
  await page.locator('.choice', { hasText: 'Rome' }).click();
  await noted(5);
  await click(65, 225);
  await noted(6);
  await click(240, 285);
  await noted(7);
  await page.getByRole('button', { name: 'Read a text' }).click();
  await click(200, 345);
  await page.getByRole('region', { name: 'Text that was read' }).getByText('Ada of Rome with news, 16').waitFor();
  await noted(8);
  ok((await pane.locator('.noted-steps li').last().textContent()).includes('the result'), 'the text is not the result');
  ok(!(await page.content()).includes(PASSWORD), 'the password is on the page of the dashboard');
  await page.getByRole('button', { name: 'Save as a skill' }).click();
  const form = page.getByRole('form', { name: 'New skill' });
  await form.getByLabel('Name', { exact: true }).fill('place-order');
  await form.getByLabel('Argument for “Ada”').fill('buyer');
  await form.getByRole('button', { name: 'Save' }).click();
  const saved = page.getByRole('region', { name: 'Saved' });
  await saved.waitFor({ timeout: 60_000 });
  ok((await saved.textContent()).includes('replayed all'), await saved.textContent());
  await pane.getByRole('button', { name: 'End' }).click();
  await pane.waitFor({ state: 'detached' });
  const words = ['--arg', 'buyer=Grace', '--arg', 'password=longer-than-before'];
  ok((await browse('skill', 'run', 'place-order', ...words)).includes('Grace of Rome with news, 18'), 'the skill ran');
  ok(!(await browse('activity')).includes(PASSWORD), 'the activity has the password');
}

async function pairAndRevoke(page, browse) {
  await page.evaluate(() => (location.hash = '#system'));
  await page.getByRole('button', { name: 'Pair an agent…' }).click();
  const form = page.getByRole('form', { name: 'New pairing' });
  await form.getByRole('textbox', { name: /^Name/ }).fill('desk');
  await form.getByRole('textbox', { name: /^Hosts/ }).fill('example.com');
  await form.getByRole('button', { name: 'Pair' }).click();
  const command = await page.getByRole('region', { name: 'Command', exact: true }).textContent();
  ok(/^browse redeem browse-pair:\/\/127\.0\.0\.1:\d+\/setup-[0-9a-f]{32}\/pin-[0-9a-f]{64}$/.test(command), command);
  await page.locator('svg.qr').waitFor();
  equal((await browse(...command.split(' ').slice(1))).split(':')[0], 'desk', 'the name that was redeemed');
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.getByRole('button', { name: 'Reload pairings' }).click();
  const row = page.locator('tr', { hasText: 'desk' });
  await row.getByText('active').waitFor();
  await row.getByRole('button', { name: 'Revoke…' }).click();
  await row.getByRole('button', { name: 'Revoke desk, close its tabs' }).click();
  await row.waitFor({ state: 'detached' });
  ok(!(await browse('pair', 'list')).includes('desk'), 'the agent is still paired');
}
