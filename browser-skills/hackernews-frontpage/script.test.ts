import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse, type Story } from './parser.ts';

const stories = parse(readFileSync('fixtures/news.ycombinator.com-2026-11-21.html', 'utf8'));
const titled = (title: string) => stories.find((story) => story.title === title) as Story;

test('there are 30 stories, ranked from 1', () => {
  assert.deepEqual(stories.map((story) => story.rank), Array.from({ length: 30 }, (_, index) => index + 1));
  assert.equal(new Set(stories.map((story) => story.id)).size, 30);
});

test('a story has everything', () => {
  assert.deepEqual(stories[0], {
    rank: 1,
    id: '48100001',
    title: 'A lighthouse that keeps time for the whole harbour',
    url: 'https://harbour-notes.example/lighthouse',
    points: 412,
    comments: 187,
  });
});

test('a job posting has neither points nor comments', () => {
  const job = stories.find((story) => story.title.includes('is hiring')) as Story;
  assert.deepEqual([job.points, job.comments], [null, null]);
  assert.equal(job.url, 'https://orchard-robotics.example/jobs?team=field&level=2');
});

test('only the job posting lacks points', () => {
  assert.equal(stories.filter((story) => story.points === null).length, 1);
});

test('a link of the site itself becomes absolute', () => {
  assert.equal(titled('Ask HN: How do you archive forty years of slides?').url, 'https://news.ycombinator.com/item?id=48100004');
});

test('"discuss" is 0 comments, "1 comment" is 1', () => {
  assert.equal(titled('Growing basil under a stairwell lamp').comments, 0);
  assert.equal(titled('The ferry timetable as a sorting network').comments, 1);
});

test('entities are decoded, in titles and links', () => {
  assert.equal(titled('Fish & ships: what’s <really> in "harbour" logs').url, 'https://logs.example/?a=1&b=2');
});

test('the order and the quotes of attributes do not matter', () => {
  const html = `<tr id=7 class="athing submission"><td><span class=rank>1.</span></td><td><span class='titleline'><a rel=nofollow href='//x.example/a'>T <b>x</b></a></span></td></tr>
    <tr><td><span id="score_7" class="score">1 point</span> <a href="item?id=7">2&nbsp;comments</a></td></tr>`;
  assert.deepEqual(parse(html), [{ rank: 1, id: '7', title: 'T x', url: 'https://x.example/a', points: 1, comments: 2 }]);
});

test('a page of something else has no stories', () => {
  assert.deepEqual(parse('<html><body>Sorry.</body></html>'), []);
});
