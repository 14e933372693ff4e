/** What a microphone, the browser that lends it and the page's own sound can do wrong, one after the other on one page. */
import type { Page } from '@playwright/test';
import { TOKEN_STORAGE_KEY } from '#contract/session.ts';
import { expect, stopClock } from '../fixtures.ts';
import { type DemoAccount } from '../account.ts';
import { expectMicrophoneHeld, expectMicrophoneReleased, openPlayground, patiently, prepare, test } from './faults.ts';
import { FakeService } from './fakeService.ts';
import { alertOf, button, expectStates, expectStopped, recordStates, status, transcript } from './live.ts';

test.use({ permissions: ['microphone'] });

declare global {
  interface Window {
    /** What the browser is told to do instead, one session at a time. */
    sound: { refusal?: string; rate?: number; hasNoModule?: boolean; isAsking?: boolean; grant?: () => void };
  }
}

/** Runs in the page, below the watch on tracks: the browser refuses, hesitates, has another rate, or gets no module. */
function commandSound(): void {
  window.sound = {};
  const devices = navigator.mediaDevices;
  const ask = devices.getUserMedia.bind(devices);
  devices.getUserMedia = async (constraints) => {
    const { refusal, isAsking } = window.sound;
    if (isAsking) await new Promise<void>((resolve) => (window.sound.grant = resolve));
    if (refusal) throw new DOMException('No.', refusal);
    return ask(constraints);
  };
  const Real = AudioContext;
  window.AudioContext = class extends Real {
    constructor() {
      super(window.sound.rate ? { sampleRate: window.sound.rate } : {});
    }
  };
  // The browser's own failure to load it, not one that looks like it.
  const load = AudioWorklet.prototype.addModule;
  AudioWorklet.prototype.addModule = function (address) {
    return load.call(this, window.sound.hasNoModule ? '/nowhere.js' : address);
  };
}

async function open(page: Page, account: DemoAccount): Promise<FakeService> {
  await page.addInitScript(commandSound);
  await prepare(page, account.tokens);
  const service = await FakeService.stand(page);
  await openPlayground(page, account, 'real-time');
  await recordStates(page);
  return service;
}

const command = (page: Page, sound: Omit<Window['sound'], 'grant'>) =>
  page.evaluate((given) => void (window.sound = given), sound);

async function run(page: Page, service: FakeService): Promise<void> {
  service.expectSession();
  await button(page, 'Run').click();
  await service.session();
  await patiently(status(page, 'Running')).toBeVisible();
}

async function stop(page: Page, service: FakeService): Promise<void> {
  await button(page, 'Stop').click();
  await service.ended();
  await service.close({ code: 1000, reason: '' });
  await expectStopped(page);
}

const DENIED = "You did not grant permission to use your device's microphone.";
/** Others: test/src/effects/audio/capture.test.ts. */
const REFUSALS: readonly (readonly [string, string])[] = [
  ['NotAllowedError', 'Allow the microphone in your browser, then run again.'],
  ['OverconstrainedError', 'No microphone was found.'],
  ['AbortError', 'The microphone is in use by another application or does not answer.'],
  ['NotSupportedError', 'This browser cannot record audio.'],
];

test.describe('where the browser says what fails', () => {
  test.use({ allowed: [/^Failed to load resource: the server responded with a status of 404/] });

  test('LIV-03 ERR-05: a refused microphone and a missing worklet give their cause; the next session runs @gate', async ({
    page,
    account,
  }) => {
    const service = await open(page, account);
    const trial = button(page, 'Test the microphone');
    for (const [refusal, cause] of REFUSALS) {
      await test.step(refusal, async () => {
        await command(page, { refusal });
        await trial.click();
        await expect(page.getByRole('complementary').getByRole('alert')).toContainText(cause);
        await expect(trial).toBeVisible();
        await button(page, 'Run').click();
        await patiently(alertOf(page).filter({ hasText: DENIED })).toContainText(cause);
        await expectStopped(page);
        await expectStates(page, 'capturing:requestingMedia', 'error');
        await expectMicrophoneReleased(page, 0);
      });
    }
    await test.step('no worklet', async () => {
      await command(page, { hasNoModule: true });
      await button(page, 'Run').click();
      await patiently(
        alertOf(page).filter({ hasText: 'The part of this page that reads the sound could not be loaded.' }),
      ).not.toContainText(DENIED);
      await expectStopped(page);
      await expectStates(page, 'capturing:requestingMedia', 'error');
      await expectMicrophoneReleased(page, 1);
    });
    await command(page, {});
    await run(page, service);
    await expect(alertOf(page).filter({ hasText: /./ })).toHaveCount(0);
    await stop(page, service);
    await expectMicrophoneReleased(page, 2);
  });
});

test("LIV-12 LIV-13 ERR-05: sends the sound's own rate in 120 ms chunks; a revoked microphone ends the session", async ({
  page,
  account,
  context,
}) => {
  const service = await open(page, account);
  let given = 0;
  await test.step('another rate', async () => {
    const rate = 16_000;
    await command(page, { rate });
    await run(page, service);
    expect((await service.session()).start).toMatchObject({
      audio_format: 's16le',
      sample_rate: rate,
      num_channels: 1,
    });
    await patiently.poll(() => service.chunks.length).toBeGreaterThan(2);
    expect(service.chunks.slice(0, 2)).toEqual([rate * 0.24, rate * 0.24]);
    await stop(page, service);
    await expectMicrophoneReleased(page, (given += 1));
  });

  await test.step('a grant that comes after the trial, or the session, was ended', async () => {
    for (const [begin, end] of [
      ['Test the microphone', 'Stop the test'],
      ['Run', 'Cancel'],
    ] as const) {
      await command(page, { isAsking: true });
      await button(page, begin).click();
      await page.waitForFunction(() => window.sound.grant !== undefined);
      await button(page, end).click();
      await page.evaluate(() => window.sound.grant?.());
      await expectMicrophoneReleased(page, (given += 1));
      await expect(page.getByRole('meter')).toBeHidden();
      await expectStopped(page);
    }
    await expectStates(page, 'capturing:requestingMedia', 'finishingEarly', 'finished');
    await expect(alertOf(page)).toBeHidden();
  });

  await test.step('taken back', async () => {
    await command(page, {});
    await run(page, service);
    await expectMicrophoneHeld(page);
    await context.clearPermissions();
    await patiently(alertOf(page)).toContainText(
      'The microphone stopped. Check that it is still connected, then run again.',
    );
    await expectStopped(page);
    await expectStates(page, 'capturing:running', 'error');
    await expectMicrophoneReleased(page, (given += 1));
  });
});

test('LIV-13: a tab in the background sends on, with no timer and no frame of its own', async ({
  page,
  account,
  context,
}) => {
  await page.clock.install();
  const service = await open(page, account);
  await run(page, service);
  // Headless, the browser shows every tab; what it does to hidden ones at its worst is done by hand.
  await stopClock(page);
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' });
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  });
  const other = await context.newPage();
  await other.bringToFront();
  const before = service.chunks.length;
  await patiently.poll(() => service.chunks.length).toBeGreaterThan(before + 10);
  // What comes back is there when somebody looks again.
  await service.say([{ text: 'Heard.', start_ms: 0, end_ms: 300, is_final: true }]);
  await page.bringToFront();
  await page.evaluate(() => {
    Reflect.deleteProperty(document, 'visibilityState');
    Reflect.deleteProperty(document, 'hidden');
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  });
  await page.clock.resume();
  await expect(transcript(page)).toContainText('Heard.');
  await stop(page, service);
  await expectMicrophoneReleased(page, 1);
});

test.describe('over an insecure connection', () => {
  // The browser says of one of its own guards that it does not stand there.
  test.use({ allowed: [/^The Cross-Origin-Opener-Policy header has been ignored/] });

  test('LIV-21: the page says why nothing is live there; the other tab works', async ({ page, account, server }) => {
    const insecure = 'http://console.example';
    let isOver = false;
    // A name that is not of this computer, without TLS; the server itself answers as ever.
    await page.route(`${insecure}/**`, async (route) => {
      const { pathname, search } = new URL(route.request().url());
      const { host: _, ...headers } = await route.request().allHeaders();
      try {
        await route.fulfill({ response: await route.fetch({ url: server.url + pathname + search, headers }) });
      } catch (cause) {
        // An icon may still be on its way when the page is closed.
        if (!isOver) throw cause;
      }
    });
    await page.addInitScript(([key, pair]) => localStorage.setItem(key, pair), [
      TOKEN_STORAGE_KEY,
      JSON.stringify(account.tokens),
    ] as const);
    await page.goto(`${insecure}${account.playground}?mode=real-time`);
    const alert = alertOf(page);
    await patiently(alert).toContainText('Live transcription is not supported on your browser.');
    await expect(alert).toContainText('It needs a secure page');
    expect(await page.evaluate(() => window.isSecureContext)).toBe(false);
    await page.getByRole('tab', { name: 'REST API' }).click();
    await patiently(
      page.getByRole('list', { name: 'Files' }).getByRole('link', { name: /weather-report/ }),
    ).toBeVisible();
    isOver = true;
  });
});
