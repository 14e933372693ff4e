import { watchSound } from './faults/faults.ts';
import { DEMO_EMAIL, DEMO_PASSWORD, expect, type Page, test } from './fixtures.ts';
import { clip, expectSpoken, finalText, openTab, spoken } from './playground.ts';
import { translate } from './translator.ts';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const side = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name, exact: true });
const state = (page: Page, word: string) => page.getByRole('status').filter({ hasText: word });
const tracks = (page: Page) => page.evaluate(() => window.heldAudio.tracks.map(({ readyState }) => readyState));

// A password that is refused is told by the browser, too.
test.use({ permissions: ['microphone'], allowed: [/status of 400/] });

test('UXP-75: under a translator a person signs in, transcribes, talks, makes a key and reads the bill @gate', async ({
  page,
}) => {
  await translate(page);
  await watchSound(page);
  await page.goto('/signin/');
  await expect(page.locator('h1 font font')).toBeVisible();
  await page.getByLabel('E-mail').fill(DEMO_EMAIL);
  await page.getByLabel('Password', { exact: true }).fill('not the password');
  await button(page, 'Sign in').click();
  await expect(page.getByRole('alert')).toBeVisible();
  await page.getByLabel('Password', { exact: true }).fill(DEMO_PASSWORD);
  await button(page, 'Sign in').click();
  await side(page, 'Speech-to-Text').click();

  await page.getByRole('tab', { name: 'REST API' }).click();
  await page.getByLabel('Choose file').setInputFiles(clip('short.wav'));
  await button(page, 'Transcribe file').click();
  const text = page.getByRole('region', { name: 'Transcript text' });
  await expectSpoken(text, spoken('short.wav'));
  const first = page.getByRole('list', { name: 'Transcriptions' }).getByRole('listitem').first();
  await expect(first).toContainText('Completed');
  await button(page, 'Settings').click();
  await button(page, 'History').click();
  await first.getByRole('link').click();
  await expect(text).toBeVisible();

  await page.getByRole('tab', { name: 'WebSocket API' }).click();
  await button(page, 'Run').click();
  await expect(state(page, 'Running')).toBeVisible();
  await expect(page.getByRole('timer')).not.toHaveText('00:00');
  const heard = page.getByRole('region', { name: 'Live transcript' });
  await expect(heard.locator('[data-details]').first()).toBeVisible({ timeout: 90_000 });
  await button(page, 'Stop').click();
  await expect(state(page, 'Stopped')).toBeVisible();
  expect(await finalText(heard)).toMatch(/\w/);
  expect(await tracks(page)).toEqual(['ended']);
  await button(page, 'Reset').click();
  await expect(page.getByRole('region', { name: 'WebSocket API' })).toBeVisible();

  await side(page, 'API keys').click();
  await button(page, 'Create API key').click();
  const form = page.getByRole('dialog', { name: 'Create API key' });
  await form.getByLabel('Name').fill('Translated');
  await form.getByRole('button', { name: 'Create' }).click();
  const secret = page.getByRole('dialog', { name: 'Your new API key' });
  await secret.getByRole('button', { name: 'Show' }).click();
  await secret.getByRole('button', { name: 'Hide' }).click();
  await secret.getByRole('button', { name: 'Done' }).click();
  await button(page, 'Close anyway').click();
  await expect(page.getByRole('row').filter({ hasText: 'Translated' })).toBeVisible();

  await page.getByRole('navigation', { name: 'Console' }).getByRole('button', { name: 'Billing' }).click();
  await side(page, 'Overview').click();
  await expect(page.getByRole('region', { name: 'Balance' })).toBeVisible();
});

const BROKEN = /Failed to execute 'removeChild' on 'Node'|A defect made by a test/;

test.describe('with a part that is broken', () => {
  test.use({ allowed: [BROKEN] });

  test('SHL-14 LIV-25: a missing element fails alone and frees the microphone; what was heard returns with the page @gate', async ({
    page,
  }) => {
    await watchSound(page);
    let say: (text: string) => void = () => undefined;
    await page.routeWebSocket(/\/transcribe-websocket/, (socket) => {
      socket.onMessage((frame) => (frame === '' ? socket.close({ code: 1000, reason: '' }) : undefined));
      say = (text) =>
        socket.send(JSON.stringify({ tokens: [{ text, start_ms: 0, end_ms: 500, confidence: 0.9, is_final: true }] }));
    });
    await openTab(page, 'real-time');
    await button(page, 'Run').click();
    await page.getByText('Listening…').evaluate((text) => text.remove());
    say('Heard.');
    const again = button(page, 'Open again');
    await expect(again).toBeVisible();
    await expect(state(page, 'Stopped')).toBeVisible();
    expect(await tracks(page)).toEqual(['ended']);
    await expect(button(page, 'Run')).toBeDisabled();
    await again.click();
    await expect(page.getByRole('region', { name: 'Live transcript' })).toContainText('Heard.');
    await expect(again).toBeHidden();
    await expect(button(page, 'Run')).toBeEnabled();

    // A reader mode that takes all of the page, and gives it back.
    await button(page, 'Run').click();
    await expect(state(page, 'Running')).toBeVisible();
    const shown = await page.evaluateHandle(() => {
      const kept = [...document.body.childNodes];
      document.body.innerHTML = '<p>A page to read.</p>';
      return kept;
    });
    await expect.poll(() => tracks(page)).toEqual(['ended', 'ended']);
    await shown.evaluate((kept) => document.body.replaceChildren(...kept));
    await expect(state(page, 'Stopped')).toBeVisible();
    await expect(button(page, 'Run')).toBeEnabled();
  });

  test('SHL-14: a part of the frame fails alone, too @gate', async ({ page }) => {
    await openTab(page, 'real-time');
    const again = button(page, 'Open again');
    for (const [opener, opened] of [
      [/^Organizations: /, page.getByRole('dialog', { name: 'Organizations' })],
      [/^Account: /, page.getByRole('menu')],
      [/^Search/, page.getByRole('dialog', { name: 'Commands' })],
    ] as const) {
      await page.getByRole('button', { name: opener }).click();
      await opened.evaluate((element) => element.parentElement?.remove());
      await page.keyboard.press('Escape');
      await again.click();
      await expect(again).toBeHidden();
      await expect(page.getByRole('button', { name: opener })).toBeVisible();
      await expect(button(page, 'Run')).toBeEnabled();
    }
  });

  test('SHL-11 LIV-25: what fails around all parts, in the router, is the error screen, and nobody is listened to @gate', async ({
    page,
  }) => {
    await watchSound(page);
    await page.routeWebSocket(/\/transcribe-websocket/, () => undefined);
    await openTab(page, 'real-time');
    await button(page, 'Run').click();
    await expect(state(page, 'Running')).toBeVisible();
    await page.evaluate(() => {
      const router = window.__TSR_ROUTER__;
      if (!router) throw new Error('There is no router.');
      router.stores.getMatchStore = () => {
        throw new Error('A defect made by a test.');
      };
      void router.invalidate();
    });
    await expect(page.getByRole('heading', { name: 'Console error' })).toBeVisible();
    await expect(page.getByText('A defect')).toHaveCount(0);
    expect(await tracks(page)).toEqual(['ended']);
  });

  test('SHL-11 LIV-25: what lets nothing be put in the page nor taken out is the error screen, and nobody is listened to @gate', async ({
    page,
  }) => {
    await watchSound(page);
    let hear = () => undefined as void;
    await page.routeWebSocket(/\/transcribe-websocket/, (socket) => {
      hear = () => socket.send(JSON.stringify({ tokens: [{ text: 'Heard.', confidence: 0.9, is_final: true }] }));
    });
    await openTab(page, 'real-time');
    await button(page, 'Run').click();
    await expect(state(page, 'Running')).toBeVisible();
    await page.evaluate(() => {
      for (const name of ['insertBefore', 'appendChild', 'removeChild'] as const)
        Node.prototype[name] = () => {
          throw new DOMException('A defect made by a test.', 'NotFoundError');
        };
    });
    hear();
    await expect(page.getByRole('heading', { name: 'Console error' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Home' })).toHaveAttribute('href', '/user/');
    await expect(page.locator('body > *')).toHaveCount(1);
    expect(await tracks(page)).toEqual(['ended']);
  });
});
