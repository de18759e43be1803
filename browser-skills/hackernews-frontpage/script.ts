// Opens the front page of Hacker News, and prints its stories.

import { skill } from './_lib/browse.ts';
import { parse } from './parser.ts';

await skill(async (_args, browse) => {
  await browse.goto('https://news.ycombinator.com/', { wait: 'domcontentloaded' });
  const stories = parse(await browse.html());
  if (stories.length === 0) throw new Error('no story on the page: the site has changed, or refused the visit');
  return stories;
});
