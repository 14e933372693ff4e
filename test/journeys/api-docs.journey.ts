import { expect, expectAccessible, signIn, test } from './fixtures.ts';

/** A call, a schema and a list of errors look like all others, of which there are hundreds. */
const SAMPLES = ['header', 'nav', '#createTranscription', '#transcribeLive', '#speech-Transcription'];

for (const [name, colorScheme, viewport, parts] of [
  ['wide', 'light', { width: 1280, height: 900 }, []],
  ['narrow', 'dark', { width: 390, height: 844 }, SAMPLES],
] as const) {
  test.describe(`in ${colorScheme} colours`, () => {
    test.use({ colorScheme, viewport });

    test(`the API reference fits a ${name} window and stands up to axe`, async ({ page }) => {
      await page.goto('/api/docs');
      await expect(page).toHaveTitle('API reference · Parlance');
      await expect(page.getByRole('heading', { level: 1, name: 'Parlance API reference' })).toBeVisible();
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
      await expectAccessible(page, parts);
    });
  });
}

test('the contents lead to a call, whose link can be shared', async ({ page, server }) => {
  await page.goto('/api/docs/');
  const contents = page.getByRole('navigation', { name: 'Contents' });
  await contents.getByRole('link', { name: 'Transcribe a file' }).click();
  await expect(page).toHaveURL(/#createTranscription$/);
  const article = page.locator('#createTranscription');
  await expect(article.getByRole('heading', { level: 4, name: 'Transcribe a file' })).toBeInViewport();
  await expect(article.getByText(`curl -X POST '${server.url}/v1/transcriptions'`)).toBeVisible();
  await article.getByRole('link', { name: 'Transcription', exact: true }).click();
  await expect(page.locator('#speech-Transcription').getByText('error_message')).toBeInViewport();

  await page.goto('/api/docs#transcribeLive');
  await expect(page.getByText(`${server.url.replace('http', 'ws')}/transcribe-websocket`)).toBeInViewport();
});

test('one click takes a whole call to copy', async ({ page }) => {
  await page.goto('/api/docs#listFiles');
  await page.locator('#listFiles .copy').click();
  const selected = await page.evaluate(() => String(window.getSelection()));
  expect(selected).toMatch(/^curl 'http:\/\/[^']+\/v1\/files' \\\n {2}-H 'Authorization: Bearer YOUR_API_KEY'$/);
});

test('LIV-19, SHL-10: the playground leads to the API reference of this server', async ({ page, server }) => {
  await signIn(page);
  await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Speech-to-Text' }).click();
  const [reference] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('region', { name: 'WebSocket API' }).getByRole('link', { name: 'API reference' }).click(),
  ]);
  await expect(reference).toHaveURL(`${server.url}/api/docs`);
  await expect(reference.getByRole('heading', { level: 1, name: 'Parlance API reference' })).toBeVisible();
});

test('a refusal leads to what it means', async ({ page, server, request }) => {
  const { more_info } = await (await request.get(`${server.url}/v1/models`)).json();
  await page.goto(more_info);
  await expect(page.locator('li:target')).toContainText('unauthenticated');
  await expect(page.locator('li:target')).toBeInViewport();
});
