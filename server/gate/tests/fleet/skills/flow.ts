import { skill } from './_lib/browse.ts';

await skill(async (args, browse) => {
  await browse.goto(args.url);
  await browse.click('text=Buy');
  const links = (await browse.links()).map((link) => link.text);
  return { title: await browse.get('title'), links };
});
