import { expect, expectAccessible, test } from './fixtures.ts';
import { clip, openTab } from './playground.ts';

test('the file panel stays put, tells what is set, and its history what was @gate', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await openTab(page, 'async');
  const transcribe = page.getByRole('button', { name: 'Transcribe file' });
  const settings = page.getByRole('button', { name: 'Settings', exact: true });
  const history = page.getByRole('button', { name: 'History', exact: true });
  const place = async () => [await transcribe.boundingBox(), await settings.boundingBox()];

  await expect(history).toBeInViewport({ ratio: 1 });
  const before = await place();
  await test.step('UXP-50 UXP-52: settings and history open in place, and what is closed tells what is set', async () => {
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
  });

  await test.step('UXP-54: what by its type is no recording is not sent', async () => {
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
  });

  await test.step('UXP-53 UXP-56: a transcription in the history tells length, cost and settings', async () => {
    await page.getByLabel('Choose file').setInputFiles(clip('short.wav'));
    await transcribe.click();
    const row = page.getByRole('listitem').filter({ hasText: 'short.wav' }).first();
    await expect(row).toContainText('Completed');
    await expect(row).toContainText(/00:0\d · \$0\.000\d+ · .+ · speakers/);
  });
  expect((await place())[0]).toEqual(before[0]);
});

test('UXP-66: a narrow window shows file and samples first; Transcribe stays at its foot and covers no focused element', async ({
  page,
}) => {
  await openTab(page, 'async');
  for (const [width, height] of [
    [1100, 800],
    [768, 900],
    [390, 844],
    [320, 640],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.reload();
    const transcribe = page.getByRole('button', { name: 'Transcribe file' });
    const bar = page.locator('[data-pinned]');
    const steps = [
      page.getByText('Choose file', { exact: true }),
      page.getByRole('button', { name: /^Transcribe the sample/ }).last(),
      page.getByRole('button', { name: 'Show panel' }),
    ];
    await expect(transcribe).toBeInViewport({ ratio: 1 });
    // Scrolled past, it is where it belongs.
    await page.evaluate(() => scrollTo({ top: document.body.scrollHeight, behavior: 'instant' }));
    const tops: number[] = [];
    for (const step of [...steps, transcribe]) tops.push((await step.boundingBox())?.y ?? Number.NaN);
    expect(tops).toEqual(tops.toSorted((one, other) => one - other));
    await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));

    const focused = page.locator('main :focus');
    const isCovered = () =>
      focused.evaluate((element) => {
        const { left, top, height: high } = element.getBoundingClientRect();
        const seen = document.elementFromPoint(left + 8, top + high - 2);
        return seen === null || !(element.contains(seen) || seen.contains(element));
      });
    await page.getByRole('tab', { name: 'REST API' }).focus();
    const names: string[] = [];
    for (const reached = transcribe; !(await reached.evaluate((element) => element === document.activeElement));) {
      await page.keyboard.press('Tab');
      names.push((await focused.getAttribute('aria-label')) ?? (await focused.innerText()));
      // The chooser itself is not drawn; its label is.
      if (!(await focused.evaluate((element) => element.matches('input')))) expect(await isCovered()).toBe(false);
    }
    expect(names.slice(-5).map((name) => name.replace(/:.*/, ''))).toEqual([
      'Transcribe the sample',
      'Transcribe the sample',
      'Transcribe the sample',
      'Show panel',
      'Transcribe file',
    ]);

    await page.getByRole('button', { name: 'Show panel' }).click();
    await expect(transcribe).toBeInViewport({ ratio: 1 });
    const before = await bar.boundingBox();
    await page.getByText('Speaker diarization').click();
    await expect(page.getByRole('checkbox', { name: 'Speaker diarization' })).toBeChecked();
    await expect(transcribe).toBeInViewport({ ratio: 1 });
    expect((await bar.boundingBox())?.height).toBe(before?.height);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    if (width === 320) await expectAccessible(page);
  }
});

test('UXP-67: with the panel folded a result tells its state and its cost, and Transcribe steps back', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await openTab(page, 'async');
  await page.getByRole('button', { name: 'Hide panel' }).click();
  await page.getByLabel('Choose file').setInputFiles(clip('short.wav'));
  const transcribe = page.getByRole('button', { name: 'Transcribe file' });
  await expect(transcribe).toBeEnabled();
  await page.getByRole('heading', { level: 1 }).hover();
  const ground = () => transcribe.evaluate((element) => getComputedStyle(element).backgroundColor);
  expect(await ground()).not.toBe('rgba(0, 0, 0, 0)');
  await transcribe.click();
  const result = page.getByRole('region', { name: 'Transcript', exact: true });
  for (const width of [1440, 1100, 320]) {
    await page.setViewportSize({ width, height: 900 });
    await expect(result.getByText('Completed', { exact: true })).toBeInViewport({ timeout: 60_000 });
    await expect(result.getByText(/^00:0\d · \$0\.000\d+ · .+/)).toBeInViewport();
  }
  await page.getByRole('heading', { level: 1 }).hover();
  await expect.poll(ground).toBe('rgba(0, 0, 0, 0)');
  await expectAccessible(page);
});

test.describe('with a clipboard', () => {
  test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

  test('UXP-55 UXP-58: code is shown in colours, is copied as it is shown, and leads to a new key', async ({
    page,
  }) => {
    await openTab(page, 'async');
    await page.getByRole('button', { name: 'View code' }).click();
    const dialog = page.getByRole('dialog', { name: 'Use in code' });
    for (const name of ['JSON', 'Browser', 'Node', 'Python', 'cURL']) {
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
    await dialog.getByRole('link', { name: 'Create key' }).click();
    await expect(page.getByRole('dialog', { name: 'Create API key' })).toBeVisible();
  });
});
