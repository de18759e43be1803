// The review of a skill: what changed, and trust in what was read.

import { equal, ok, test, until } from '../harness.mjs';
import { fail } from '../mock.mjs';
import { fileData } from '../skills.mjs';

const DIFF = 'SkillService/DiffSkill';
const TRUST = 'SkillService/TrustSkill';

async function open(dashboard, name) {
  await dashboard.open();
  await dashboard.view('skills');
  const skill = dashboard.page.locator(`article[aria-label="${name}"]`);
  await skill.getByRole('button', { name: 'Review…' }).click();
  const review = skill.getByRole('region', { name: `Review of ${name}` });
  await review.locator('.file-diff').first().waitFor();
  return { skill, review };
}

function lines(review, path) {
  return review.getByRole('region', { name: `Lines of ${path}`, exact: true });
}

test('what changed in a skill is shown by file, and trusted by its hash', async (dashboard) => {
  const { mock } = dashboard;
  mock.skills.change('shop-prices');
  const { skill, review } = await open(dashboard, 'shop-prices');
  await skill.getByText('changed', { exact: true }).first().waitFor();
  await review.getByText('4 files changed since it was trusted.').waitFor();
  await review.getByText('The lines of 1 file are not shown').waitFor();
  await review.getByText('not text: 5000 bytes').waitFor();
  equal(await review.locator('.file-diff h4').allTextContents(), [
    'removed _lib/browse.ts',
    'added logo.png',
    'changed run',
    'changed script.ts',
  ]);
  const script = lines(review, 'script.ts');
  equal(await script.locator('ins').allTextContents(), ["+const HOST = 'evil.example';\n+--- not a header\n"]);
  equal(await script.locator('del').allTextContents(), ["-const HOST = 'shop.example.com';\n"]);
  equal(await lines(review, '_lib/browse.ts').locator('del').allTextContents(), ['-// The SDK.\n-export {};\n']);
  equal(mock.requests(DIFF), [{ name: 'shop-prices', source: 'project' }], 'comparisons');
  await review.getByRole('button', { name: 'Trust this version' }).click();
  await skill.getByText('This version is trusted.').waitFor();
  await skill.getByText('trusted', { exact: true }).waitFor();
  await review.waitFor({ state: 'detached' });
  equal(mock.requests(TRUST), [{ name: 'shop-prices', source: 'project', hash: 'd'.repeat(64) }], 'trust');
  equal(await skill.getByRole('button', { name: 'Review…' }).count(), 0, 'reviews of a trusted skill');
});

test('a skill that changed while it was read is not trusted, and compared again', async (dashboard) => {
  const { mock } = dashboard;
  const { skill, review } = await open(dashboard, 'hackernews-frontpage');
  await review.getByText('It was never trusted: 4 files to read.').waitFor();
  mock.skills.changes['hackernews-frontpage'] = {
    files: [fileData('script.ts', 'added', ['@@ -0,0 +1 @@', '+another()'])],
    hash: 'e'.repeat(64),
  };
  await review.getByRole('button', { name: 'Trust this version' }).click();
  await review.getByRole('status').getByText('nothing was trusted').waitFor();
  await review.getByText('+another()').waitFor();
  equal(await review.locator('.file-diff').count(), 1, 'files');
  equal(mock.requests(DIFF).length, 2, 'comparisons');
  ok(await skill.getByText('untrusted', { exact: true }).isVisible(), 'it is trusted');
  await review.getByRole('button', { name: 'Trust this version' }).click();
  await skill.getByText('This version is trusted.').waitFor();
  equal(
    mock.requests(TRUST).map(({ hash }) => hash[0]),
    ['b', 'e'],
    'hashes',
  );
});

test('a failure of the review is shown, and trust is not offered before the files are known', async (dashboard) => {
  const { mock, page } = dashboard;
  mock.overrides[DIFF] = (_, response) =>
    fail(response, 'failed_precondition', 'SKILL_INVALID', '`link` is neither a file nor a folder', 'Fix it');
  await dashboard.open();
  await dashboard.view('skills');
  await page.getByRole('button', { name: 'Review…' }).click();
  const review = page.getByRole('region', { name: 'Review of hackernews-frontpage' });
  await review.getByText('`link` is neither a file nor a folder.').waitFor();
  equal(await review.getByRole('button', { name: 'Trust this version' }).count(), 0, 'buttons');
  delete mock.overrides[DIFF];
  await review.getByRole('button', { name: 'Retry' }).click();
  await review.locator('.file-diff').first().waitFor();
  mock.overrides[TRUST] = (_, response) =>
    fail(response, 'permission_denied', 'TRUST_DENIED', '`laptop` may not trust a skill', 'Run it in a shell');
  await review.getByRole('button', { name: 'Trust this version' }).click();
  await review.getByText('TRUST_DENIED').waitFor();
});

test('names and lines of files are text', async (dashboard) => {
  const { mock } = dashboard;
  const strings = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '</pre><iframe src="http://evil.example"></iframe>',
    'a'.repeat(3_000),
    '__proto__',
    '\u202egnp.exe',
  ];
  const files = strings.map((text) =>
    fileData(text, 'added', ['@@ -0,0 +1 @@', `+${text}`], { note: text, binary: text.length > 100 }),
  );
  mock.skills.change('shop-prices', files);
  const { review } = await open(dashboard, 'shop-prices');
  equal(await review.locator('h4 code').allTextContents(), strings, 'names');
  equal(
    await review.locator('ins').allTextContents(),
    strings.map((text) => `+${text}\n`),
    'lines',
  );
  equal(await review.locator('.file-diff > p').allTextContents(), strings, 'notes');
  await dashboard.checkWidth('review');
});

test('a skill of 40,000 lines is shown at once', async (dashboard) => {
  const { mock } = dashboard;
  const long = Array.from({ length: 40_000 }, (_, index) => `+line ${index}`);
  mock.skills.change('shop-prices', [fileData('script.ts', 'added', ['@@ -0,0 +1,40000 @@', ...long])]);
  const begin = Date.now();
  const { review } = await open(dashboard, 'shop-prices');
  ok(Date.now() - begin < 6_000, `${Date.now() - begin} ms`);
  const text = await lines(review, 'script.ts').locator('ins').textContent();
  equal(text.split('\n').length, 40_001, 'lines');
});

test('without the scope `admin` no skill is reviewed', async (dashboard) => {
  const { mock, page } = dashboard;
  await dashboard.open(['read', 'meta']);
  await dashboard.view('skills');
  const button = page.getByRole('button', { name: 'Review…' });
  await button.waitFor();
  ok(await button.isDisabled(), 'a skill can be reviewed');
  equal(await button.getAttribute('title'), 'This link does not have the scope `admin`', 'title');
  await until(() => mock.requests('SkillService/ListSkills').length > 0, 'the skills are listed');
  equal(mock.requests(DIFF), [], 'comparisons');
});

for (const colorScheme of ['light', 'dark']) {
  for (const width of [320, 1440]) {
    test(
      `the review of a skill can be read and reached at ${width} px, ${colorScheme}`,
      { viewport: { width, height: width === 320 ? 640 : 900 }, colorScheme },
      async (dashboard) => {
        const { page, mock } = dashboard;
        mock.skills.change('shop-prices');
        const { review } = await open(dashboard, 'shop-prices');
        await dashboard.checkAccess('review');
        await dashboard.checkWidth('review');
        await lines(review, 'script.ts').scrollIntoViewIfNeeded();
        const styles = await page.evaluate(() =>
          ['ins', 'del', '.same'].map(
            (name) => getComputedStyle(document.querySelector(`.diff > ${name}`)).backgroundColor,
          ),
        );
        equal(new Set(styles).size, 3, `colours ${styles}`);
        await dashboard.shot(`${width}-${colorScheme}-skill-review`);
      },
    );
  }
}
