// What the tests of control share.

export { equal, ok, test, until } from '../harness.mjs';
export { send } from '../mock.mjs';

/** Opens tab 1 large, and takes its session. */
export async function take(dashboard) {
  await dashboard.open();
  await dashboard.openTab(1);
  await dashboard.button('Take control').click();
  await dashboard.page.locator('.surface').waitFor();
  await dashboard.page.waitForFunction(() => document.activeElement?.className === 'keyboard-field');
}
