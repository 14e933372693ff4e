import { expect, expectAccessible, type Page, test } from './fixtures.ts';
import { openTab } from './playground.ts';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const finals = (page: Page) =>
  page.getByRole('region', { name: 'Live transcript' }).locator('[data-details]:not([data-pending])');
const facts = (page: Page) => page.getByRole('status', { name: 'Session' });

test.describe('with a microphone', () => {
  test.use({ permissions: ['microphone'] });

  test('LVP-01 LVP-03 LVP-04 EST-02: a running session shows its level and cost; one that has ended says what it was', async ({
    page,
  }) => {
    await openTab(page, 'real-time');
    await expect(facts(page)).toBeEmpty();
    await button(page, 'Run').click();
    const level = page.getByRole('meter', { name: 'Input level' });
    await expect.poll(async () => Number(await level.getAttribute('aria-valuenow'))).toBeGreaterThan(20);
    await expect(finals(page).nth(2)).toBeVisible({ timeout: 90_000 });
    const cost = page.getByTitle('Cost so far');
    await expect(cost).toHaveText(/^Cost so far: \$0\.00\d\d$/);
    const sofar = Number(/\$(.*)/.exec(await cost.innerText())?.[1]);
    expect(sofar).toBeGreaterThan(0);
    await expectAccessible(page);
    await button(page, 'Stop').click();
    await expect(facts(page)).toHaveText(/^00:\d\d · \d+ words · \$0\.\d+ · first word \d+\.\d\ss$/);
    await expect(level).toBeHidden();
    await expect(cost).toBeHidden();
    const charged = Number(/\$([\d.]+)/.exec(await facts(page).innerText())?.[1]);
    expect(charged).toBeGreaterThanOrEqual(sofar);
    // What was said in the second before the button was pressed, and as it was.
    expect(charged - sofar).toBeLessThan(0.0002);
    const words = Number(/(\d+) words/.exec(await facts(page).innerText())?.[1]);
    expect(words).toBeGreaterThanOrEqual(3);
    expect(words).toBeLessThanOrEqual(await finals(page).count());
    await expectAccessible(page);
    await button(page, 'Reset').click();
    await expect(facts(page)).toBeEmpty();
  });

  for (const [width, height] of [
    [390, 844],
    [320, 568],
  ] as const)
    test(`LVP-09: at ${width} × ${height} px the words of a session are in sight as it runs, and Stop with them`, async ({
      page,
    }) => {
      await page.setViewportSize({ width, height });
      await openTab(page, 'real-time');
      await button(page, 'Run').click();
      await expect(finals(page).nth(0)).toBeInViewport({ timeout: 90_000 });
      await expect(page.getByRole('heading', { name: 'Transcript' })).toBeInViewport();
      await expect(button(page, 'Stop')).toBeInViewport({ ratio: 1 });
      await button(page, 'Stop').click();
      await expect(facts(page)).toContainText('words');
    });

  test('LVP-02: silence is told after a while, and no more once something is heard', async ({ page }) => {
    await page.addInitScript(() => {
      navigator.mediaDevices.getUserMedia = async () => {
        const context = new AudioContext();
        const loudness = context.createGain();
        loudness.gain.value = 0;
        const tone = context.createOscillator();
        tone.connect(loudness);
        tone.start();
        const out = context.createMediaStreamDestination();
        loudness.connect(out);
        Reflect.set(window, 'loudness', loudness.gain);
        return out.stream;
      };
    });
    await openTab(page, 'real-time');
    await button(page, 'Run').click();
    await expect(page.getByRole('status').filter({ hasText: 'Running' })).toBeVisible();
    await expect(facts(page)).toHaveText('We can’t hear you. Check your microphone.');
    await expectAccessible(page);
    await page.evaluate(() => Object.assign(Reflect.get(window, 'loudness'), { value: 0.5 }));
    await expect(facts(page)).toBeEmpty();
    await button(page, 'Stop').click();
  });
});

for (const [width, height] of [
  [390, 844],
  [320, 640],
  [768, 900],
  [1280, 900],
] as const)
  test(`LVP-05: at ${width} × ${height} px microphone, file and Run are in sight at once`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await openTab(page, 'real-time');
    const source = page.getByRole('radiogroup', { name: 'Audio input' });
    await expect(source).toBeInViewport({ ratio: 1 });
    await expect(button(page, 'Run')).toBeInViewport({ ratio: 1 });
    await source.getByText('File').click();
    await expect(page.getByText("No file chosen. You'll hear it as it's transcribed.")).toBeInViewport();
    await expect(button(page, 'Run')).toBeInViewport({ ratio: 1 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await expectAccessible(page);
  });
