import { expect, expectAccessible, type Page, test } from './fixtures.ts';
import { openTab } from './playground.ts';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const facts = (page: Page) => page.getByRole('status', { name: 'Session' });

test.describe('with a microphone', () => {
  test.use({ permissions: ['microphone'] });

  test('LVP-09: on a phone the words of a session are in sight as it runs, and Stop with them', async ({ page }) => {
    await page.routeWebSocket(/\/transcribe-websocket/, (socket) => {
      socket.onMessage((frame) => {
        if (frame === '') void socket.close({ code: 1000 });
      });
      socket.send(
        JSON.stringify({ tokens: [{ text: 'Heard.', start_ms: 0, end_ms: 500, confidence: 0.9, is_final: true }] }),
      );
    });
    await openTab(page, 'real-time');
    for (const [width, height] of [
      [390, 844],
      [320, 568],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.evaluate(() => scrollTo(0, 0));
      await button(page, 'Run').click();
      await expect(page.getByRole('region', { name: 'Live transcript' }).getByText('Heard.')).toBeInViewport();
      await expect(page.getByRole('heading', { name: 'Transcript' })).toBeInViewport();
      await expect(button(page, 'Stop')).toBeInViewport({ ratio: 1 });
      await button(page, 'Stop').click();
      await expect(facts(page)).toContainText('word');
      await button(page, 'Reset').click();
    }
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
    await page.clock.install();
    await openTab(page, 'real-time');
    await button(page, 'Run').click();
    await expect(page.getByRole('status').filter({ hasText: 'Running' })).toBeVisible();
    await expect(facts(page)).toBeEmpty();
    await page.clock.fastForward(4000);
    await expect(facts(page)).toHaveText('We can’t hear you. Check your microphone.');
    await expectAccessible(page);
    await page.evaluate(() => Object.assign(Reflect.get(window, 'loudness'), { value: 0.5 }));
    await expect(facts(page)).toBeEmpty();
    await button(page, 'Stop').click();
  });
});

test('LVP-05: in any window microphone, file and Run are in sight at once', async ({ page }) => {
  await openTab(page, 'real-time');
  const source = page.getByRole('radiogroup', { name: 'Audio input' });
  for (const [width, height] of [
    [390, 844],
    [320, 640],
    [768, 900],
    [1280, 900],
  ] as const) {
    await page.setViewportSize({ width, height });
    await source.getByText('Mic').click();
    await page.evaluate(() => scrollTo(0, 0));
    await expect(source).toBeInViewport({ ratio: 1 });
    await expect(button(page, 'Run')).toBeInViewport({ ratio: 1 });
    await source.getByText('File').click();
    await expect(page.getByText("No file chosen. You'll hear it as it's transcribed.")).toBeInViewport();
    await expect(button(page, 'Run')).toBeInViewport({ ratio: 1 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    if (width === 320) await expectAccessible(page);
  }
});
