import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { ApiKeyCreated } from '#contract/api-keys.ts';
import { Welcome } from '#contract/organizations.ts';
import { call, createAccount } from './people.ts';
import { expect, expectAccessible, test } from './fixtures.ts';

/** A call, a schema and a list of errors look like all others, of which there are hundreds. */
const SAMPLES = ['header', 'nav', '#createTranscription', '#transcribeLive', '#speech-Transcription'];

for (const [name, colorScheme, viewport, parts] of [
  ['wide', 'light', { width: 1440, height: 900 }, []],
  ['narrow', 'dark', { width: 320, height: 740 }, SAMPLES],
] as const) {
  test.describe(`in ${colorScheme} colours`, () => {
    test.use({ colorScheme, viewport });

    test(`DOC-03 DOC-04: the API reference fits a ${name} window and stands up to axe`, async ({ page }) => {
      await page.goto('/api/docs');
      await expect(page).toHaveTitle('API reference · Parlance');
      await expect(page.getByRole('heading', { level: 1, name: 'Parlance API reference' })).toBeVisible();
      expect(await page.evaluate(() => document.fonts.check("15px 'Inter Variable'"))).toBe(true);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
      await expectAccessible(page, parts);
      await page.getByRole('link', { name: 'Console API' }).click();
      await expect(page.getByRole('heading', { level: 1, name: 'Parlance console API' })).toBeVisible();
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
      await page.getByRole('link', { name: 'Back to the console' }).click();
      await expect(page).toHaveURL(/\/signin\//);
    });
  });
}

test('DOC-02: the contents lead to a call, stay in sight beside the text and fold above it; a refusal leads to what it means', async ({
  page,
  server,
  request,
}) => {
  await page.goto('/api/docs/');
  const contents = page.getByRole('navigation', { name: 'Contents' });
  await contents.getByRole('link', { name: 'Create a transcription' }).click();
  await expect(page).toHaveURL(/#createTranscription$/);
  const article = page.locator('#createTranscription');
  await expect(article.getByRole('heading', { level: 3, name: 'Create a transcription' })).toBeInViewport();
  await expect(article.getByText(`curl -X POST '${server.url}/v1/transcriptions'`)).toBeVisible();
  await article.getByRole('link', { name: 'Transcription', exact: true }).click();
  await expect(page.locator('#speech-Transcription').getByText('error_message')).toBeInViewport();

  await page.goto('/api/docs#transcribeLive');
  await expect(page.getByText(`${server.url.replace('http', 'ws')}/transcribe-websocket`)).toBeInViewport();

  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto('/api/docs');
  await contents.getByRole('link', { name: 'Errors' }).click();
  await expect(page.getByRole('heading', { level: 2, name: 'Errors' })).toBeInViewport();
  await expect(contents.getByRole('link', { name: 'Quickstart' })).toBeInViewport();
  await expect(contents.getByRole('link', { name: 'Errors' })).toHaveAttribute('aria-current', 'true');

  await page.setViewportSize({ width: 390, height: 844 });
  await expect(contents.getByRole('link', { name: 'Quickstart' })).toBeHidden();
  await contents.getByText('Contents').click();
  await contents.getByRole('link', { name: 'Limits' }).click();
  await expect(contents.getByRole('link', { name: 'Quickstart' })).toBeHidden();
  await expect(page.getByRole('heading', { level: 2, name: 'Limits' })).toBeInViewport();
  await expect(page.getByRole('row', { name: 'Size of a file 1 GiB' })).toBeVisible();
  await expect(
    page.getByRole('row', { name: 'Live sessions of an organization at the same time 20 unless set otherwise' }),
  ).toBeVisible();

  const { more_info } = await (await request.get(`${server.url}/v1/models`)).json();
  await page.goto(more_info);
  await expect(page.locator('li:target')).toContainText('unauthenticated');
  await expect(page.locator('li:target')).toBeInViewport();
});

test('DOC-01 DOC-02: a button copies the first call, which works as it stands @gate', async ({
  page,
  context,
  server,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/api/docs#quickstart');
  const copy = page.getByRole('button', { name: 'Copy the first call' });
  await copy.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('status')).toHaveText('Copied');
  await expect(copy).toHaveText('Copied');
  await expectAccessible(page, ['#quickstart']);
  const command = await page.evaluate(() => navigator.clipboard.readText());
  const account = await createAccount(server.url, 'reader@example.org');
  const { project_uuid } = v.parse(Welcome, await (await call(server.url, account, 'POST', 'user/welcome/')).json());
  const { key } = v.parse(
    ApiKeyCreated,
    await (await call(server.url, account, 'POST', `projects/${project_uuid}/api-keys/`, { name: 'First' })).json(),
  );
  const { stdout } = await promisify(execFile)('sh', ['-c', command], {
    env: { ...process.env, PARLANCE_API_KEY: key },
  });
  expect(JSON.parse(stdout)).toEqual({ files: [], next_page_cursor: null });
});
