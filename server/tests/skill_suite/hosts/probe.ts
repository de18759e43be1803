// Tries each way to another host, and says what each attempt came to.
import { type Browse, skill } from './_lib/browse.ts';

const reasonOf = (call: Promise<unknown>) => call.then(() => 'done', (error) => error.reason ?? String(error));

await skill(async ({ home, away }: Record<string, string>, browse: Browse) => {
  const reasons: Record<string, string> = {};
  const attempt = async (name: string, act: () => Promise<unknown>) => {
    await browse.goto(home);
    reasons[name] = await reasonOf(act());
    await new Promise((done) => setTimeout(done, 100));
  };
  await attempt('goto', () => browse.goto(`${away}/by-goto`));
  await attempt('newtab', () => browse.newTab(`${away}/by-newtab`));
  await attempt('redirect', () => browse.goto(`${home}-redirect`));
  await attempt('link', () => browse.click('#link'));
  await attempt('ctrl-click', () => browse.click('#ctrl', { modifiers: 'Control' }));
  await attempt('middle-click', () => browse.click('#middle', { button: 'middle' }));
  for (const id of ['form', 'post', 'open', 'iframe', 'socket', 'fetch']) await attempt(id, () => browse.click(`#${id}`));
  await attempt('load-html', () => browse.loadHtml(`<img src='${away}/by-html'>`));
  await browse.goto(home);
  return { reasons, title: await browse.get('title') };
});
