// Opens the front page, and prints its headings.

import { skill } from './_lib/browse.ts';
import { parse } from './parser.ts';

await skill(async (_args, browse) => {
  await browse.goto('{page}', { wait: 'domcontentloaded' });
  const headings = parse(await browse.html());
  if (headings.length === 0) throw new Error('no heading on the page: the site has changed');
  return headings;
});
