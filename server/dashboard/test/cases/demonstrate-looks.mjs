// What a page writes in a demonstration, its sizes, themes and accessibility.

import { equal, test } from '../harness.mjs';
import { begin, clickAt, noted, pane, stepTexts } from './demonstrate-helpers.mjs';

test('what a page writes is text in a demonstration', async (dashboard) => {
  const { page } = dashboard;
  const text = '<img src=x onerror=alert(1)>';
  const form = await begin(dashboard, (page) => {
    for (const node of page.nodes) node.name = text;
    page.options = [{ ...page.options[0], name: text }];
    page.text = text;
    page.recordName = () => text;
  });
  await clickAt(page, 200, 120);
  await page.getByLabel(`Text for textbox "${text}"`).fill(text);
  await page.keyboard.press('Tab');
  await clickAt(page, 200, 240);
  equal(await page.locator('.choice').textContent(), text, 'option');
  await page.locator('.choice').click();
  await dashboard.button('Read a text').click();
  await clickAt(page, 200, 520);
  await noted(page, 4);
  equal(await page.getByRole('region', { name: 'Text that was read' }).textContent(), text, 'text');
  equal((await stepTexts(page))[1], `fill ${text} kept`, 'step');
  form.failing = 'Click';
  form.problem = text;
  await clickAt(page, 150, 360);
  await pane(page).locator('.failure').getByText(text).waitFor();
  await dashboard.button('Save as a skill').click();
  await page.getByText(`Argument for “${text}”`).waitFor();
  await dashboard.checkWidth('demonstration');
});

for (const colorScheme of ['light', 'dark']) {
  for (const width of [320, 1440]) {
    test(
      `a demonstration can be read and reached at ${width} px, ${colorScheme}`,
      { viewport: { width, height: width === 320 ? 640 : 900 }, colorScheme },
      async (dashboard) => {
        const { page } = dashboard;
        await begin(dashboard);
        await clickAt(page, 390, 120);
        await page.getByLabel('Text for textbox "Search"').fill('lamp');
        await dashboard.checkAccess('field');
        await dashboard.checkWidth('field');
        await dashboard.shot(`${width}-${colorScheme}-demonstration-field`);
        await page.keyboard.press('Enter');
        await noted(page, 3);
        await clickAt(page, 200, 240);
        await page.locator('.choice').first().waitFor();
        await dashboard.checkAccess('list');
        await dashboard.checkWidth('list');
        await page.locator('.choice', { hasText: 'Rome' }).click();
        await noted(page, 4);
        await dashboard.button('Read a text').click();
        await clickAt(page, 200, 520);
        await noted(page, 5);
        await dashboard.button('Save as a skill').click();
        await dashboard.button('Discard…').click();
        await dashboard.checkAccess('pane');
        await dashboard.checkWidth('pane');
        await dashboard.shot(`${width}-${colorScheme}-demonstration`);
      },
    );
  }
}
