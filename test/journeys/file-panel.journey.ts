import { expect, expectAccessible, test } from './fixtures.ts';
import { clip, openTab } from './playground.ts';

test('UXP-50 UXP-52 UXP-53 UXP-54 UXP-56: the file panel stays put, tells what is set, and its history what was', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await openTab(page, 'async');
  const transcribe = page.getByRole('button', { name: 'Transcribe file' });
  const settings = page.getByRole('button', { name: 'Settings', exact: true });
  const history = page.getByRole('button', { name: 'History', exact: true });
  const place = async () => [await transcribe.boundingBox(), await settings.boundingBox()];

  await expect(history).toBeInViewport({ ratio: 1 });
  const before = await place();
  await page.getByText('Speaker diarization').click();
  await expect(page.getByRole('checkbox', { name: 'Speaker diarization' })).toBeChecked();
  await expect(settings).toHaveAccessibleDescription('');
  await history.click();
  await expect(settings).toHaveAccessibleDescription(/^.+ · speakers$/);
  await expect(settings).toBeInViewport({ ratio: 1 });
  expect(await place()).toEqual(before);
  await expectAccessible(page);
  await settings.click();
  expect(await place()).toEqual(before);

  // By its type surely no recording: nothing is sent.
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/v1/files')) sent.push(request.url());
  });
  await page
    .getByLabel('Choose file')
    .setInputFiles({ name: 'letter.txt', mimeType: 'text/plain', buffer: Buffer.from('Dear reader') });
  const refused = page.getByRole('dialog', { name: 'File upload failed' });
  await expect(refused).toContainText("This isn't audio or video. Choose a recording.");
  await expect(refused.getByRole('button', { name: 'Retry' })).toBeHidden();
  await refused.getByRole('button', { name: 'Close' }).last().click();
  expect(sent).toEqual([]);

  await page.getByLabel('Choose file').setInputFiles(clip('short.wav'));
  await transcribe.click();
  const row = page.getByRole('listitem').filter({ hasText: 'short.wav' }).first();
  await expect(row).toContainText('Completed');
  await expect(row).toContainText(/00:0\d · \$0\.000\d+ · .+ · speakers/);
  expect((await place())[0]).toEqual(before[0]);
});

test('UXP-55: the code leads to a new key', async ({ page }) => {
  await openTab(page, 'async');
  await page.getByRole('button', { name: 'View code' }).click();
  await page.getByRole('dialog', { name: 'Use in code' }).getByRole('link', { name: 'Create key' }).click();
  await expect(page.getByRole('dialog', { name: 'Create API key' })).toBeVisible();
});

test.describe('with a clipboard', () => {
  test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

  test('UXP-58: code is shown in colours, and is copied as it is shown', async ({ page }) => {
    await openTab(page, 'async');
    await page.getByRole('button', { name: 'View code' }).click();
    const dialog = page.getByRole('dialog', { name: 'Use in code' });
    for (const name of ['cURL', 'Python', 'Node', 'Browser', 'JSON']) {
      await dialog.getByRole('tab', { name }).click();
      const code = dialog.getByRole('region', { name: `${name} code` });
      const colours = await code
        .locator('span')
        .evaluateAll((spans) => spans.map((span) => getComputedStyle(span).color));
      expect(new Set(colours).size).toBeGreaterThan(1);
      await dialog.getByRole('button', { name: `Copy ${name} code` }).click();
      await expect
        .poll(() => page.evaluate(() => navigator.clipboard.readText()))
        .toBe(await code.evaluate((element) => element.textContent));
    }
  });
});

test('UXP-44: where less motion is asked for, nothing fades', async ({ page }) => {
  await openTab(page, 'async');
  const longest = () =>
    page.evaluate(() =>
      Math.max(
        ...[...document.querySelectorAll('body *')].map((element) =>
          Number.parseFloat(getComputedStyle(element).transitionDuration),
        ),
      ),
    );
  expect(await longest()).toBeLessThanOrEqual(0.001);
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  expect(await longest()).toBeGreaterThan(0.1);
});
