// What the tests of demonstrations share.

import { FormPage } from '../form.mjs';

export const pane = (page) => page.getByRole('complementary', { name: 'Demonstration' });
export const picker = (page) => page.getByRole('application');
export const stepTexts = (page) => pane(page).locator('.noted-steps li').allTextContents();

/** Clicks at a point of the page, in its pixels. */
export async function clickAt(page, x, y) {
  const { width, height } = await picker(page).boundingBox();
  await picker(page).click({ position: { x: (x / 1280) * width, y: (y / 800) * height } });
}

/** Waits until so many steps are noted, and the list shows them. */
export async function noted(page, count) {
  await pane(page)
    .getByText(new RegExp(`^${count} steps? noted`))
    .waitFor();
}

export async function begin(dashboard, prepare) {
  const form = new FormPage(dashboard.mock);
  prepare?.(form);
  await dashboard.open();
  await dashboard.openTab(1);
  await dashboard.button('Demonstrate').click();
  await picker(dashboard.page).waitFor();
  return form;
}
