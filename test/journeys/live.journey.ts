import { watchSound } from './faults/faults.ts';
import { expect, expectAccessible, type Page, test } from './fixtures.ts';
import { clip, expectSpoken, finalText, openTab, spoken } from './playground.ts';

const transcript = (page: Page) => page.getByRole('region', { name: 'Live transcript' });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const state = (page: Page, word: string) => page.getByRole('status').filter({ hasText: word });
const finals = (page: Page) => transcript(page).locator('[data-details]:not([data-pending])');
const SOCKET = /\/transcribe-websocket/;

/** Of every track that the page was given, whether it was let go. */
const tracks = (page: Page) => page.evaluate(() => window.heldAudio.tracks.map(({ readyState }) => readyState));

test.describe('with a microphone', () => {
  test.use({ permissions: ['microphone'] });

  test('LIV-09 LIV-19 LIV-22: speech appears while it is said; finalize, stop and reset @gate', async ({ page }) => {
    await openTab(page, 'real-time');
    await expect(
      page.getByRole('region', { name: 'WebSocket API' }).getByRole('link', { name: 'API reference' }),
    ).toBeVisible();
    await expect(state(page, 'Stopped')).toBeVisible();
    await expect(button(page, 'Finalize')).toBeDisabled();
    await expect(button(page, 'Reset')).toBeDisabled();

    await button(page, 'Run').click();
    await expect(state(page, 'Running')).toBeVisible();
    await expect(page.getByLabel('Model')).toBeDisabled();
    await expect(button(page, 'Reset')).toBeDisabled();
    await expect(page.getByRole('region', { name: 'WebSocket API' })).toBeHidden();
    const pending = transcript(page).locator('[data-pending]');
    await expect(pending.first()).toBeVisible({ timeout: 90_000 });
    await expect(pending.first()).toHaveCSS('font-style', 'italic');
    await expect(button(page, 'Finalize')).toBeEnabled();
    await button(page, 'Finalize').click();
    await expect(finals(page).first()).toBeVisible();
    await expect(page.getByRole('timer')).not.toHaveText('00:00');
    await expectAccessible(page);

    await button(page, 'Stop').click();
    await expect(state(page, 'Stopped')).toBeVisible();
    await expect(pending).toHaveCount(0);
    const heard = await finalText(transcript(page));
    expect(heard).toMatch(/morning|thank|meet|summer/i);
    expect(heard).not.toMatch(/<end>|<fin>/);
    await expect(button(page, 'Run')).toBeEnabled();

    await button(page, 'Reset').click();
    await expect(page.getByRole('region', { name: 'WebSocket API' })).toBeVisible();
    await expect(page.getByRole('timer')).toHaveText('00:00');
    await expect(button(page, 'Reset')).toBeDisabled();
  });

  test('TRN-04 LIV-05 ERR-05: the output follows the end unless scrolled away; a closed socket keeps what was heard', async ({
    page,
  }) => {
    await watchSound(page);
    let say: (from: number, count: number) => void = () => undefined;
    let drop = () => Promise.resolve();
    await page.routeWebSocket(SOCKET, (socket) => {
      socket.onMessage(() => undefined);
      drop = () => socket.close({ code: 1011, reason: 'gone' });
      say = (from, count) => {
        const tokens = Array.from({ length: count }, (_, index) => {
          const start = (from + index) * 100;
          return {
            text: ` word${from + index}.`,
            start_ms: start,
            end_ms: start + 100,
            confidence: 0.9,
            is_final: true,
          };
        });
        socket.send(JSON.stringify({ tokens, final_audio_proc_ms: 0, total_audio_proc_ms: 0 }));
      };
    });
    await openTab(page, 'real-time');
    await button(page, 'Run').click();
    await expect(state(page, 'Running')).toBeVisible();
    const scroller = transcript(page);
    const fromEnd = () =>
      scroller.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
    const jump = page.getByRole('button', { name: 'Jump to latest' });

    say(0, 600);
    await expect(transcript(page).getByText('word599.')).toBeInViewport();
    await expect(jump).toBeHidden();
    await scroller.hover();
    await page.mouse.wheel(0, -90);
    say(600, 50);
    await expect(transcript(page).getByText('word649.')).toBeInViewport();

    await page.mouse.wheel(0, -1000);
    await expect(jump).toBeVisible();
    const left = await fromEnd();
    say(650, 200);
    await expect.poll(fromEnd).toBeGreaterThan(left);
    await expect(transcript(page).getByText('word849.')).not.toBeInViewport();
    await jump.click();
    await expect(transcript(page).getByText('word849.')).toBeInViewport();
    await expect(jump).toBeHidden();

    await drop();
    await expect(page.getByRole('alert').filter({ hasText: 'WebSocket closed with code 1011 (gone).' })).toBeVisible();
    await expect(state(page, 'Stopped')).toBeVisible();
    await expect(transcript(page).getByText('word849.')).toBeAttached();
    await expect(button(page, 'Run')).toBeEnabled();
    expect(await tracks(page)).toEqual(['ended']);
  });

  test('LIV-05 LIV-15 LIV-16: the first frame has the settings and goes to the configured address; an end can be cancelled @gate', async ({
    page,
  }) => {
    await watchSound(page);
    const elsewhere = 'ws://speech.example/transcribe-websocket';
    await page.route('**/speech-to-text/**', async (route) => {
      const response = await route.fetch();
      await route.fulfill({
        response,
        body: (await response.text()).replace('"streamingUrl":""', `"streamingUrl":"${elsewhere}"`),
      });
    });
    const addresses: string[] = [];
    const frames: (string | Buffer)[] = [];
    await page.routeWebSocket(SOCKET, (socket) => {
      addresses.push(socket.url());
      // A server that never comes to an end.
      socket.onMessage((frame) => void frames.push(frame));
      socket.send(
        JSON.stringify({ tokens: [{ text: 'Heard.', start_ms: 0, end_ms: 500, confidence: 0.9, is_final: true }] }),
      );
    });
    await openTab(page, 'real-time');
    await page.getByText('Speaker diarization').click();
    await page.getByText('Endpoint detection').click();
    await button(page, 'Run').click();
    await expect(finals(page).first()).toBeVisible();
    expect(addresses).toEqual([elsewhere]);
    const { api_key: key, ...first } = JSON.parse(String(frames[0]));
    expect(key).toMatch(/^prl_temp_/);
    expect(first).toEqual({
      model: expect.any(String),
      language_hints: ['en'],
      enable_speaker_diarization: true,
      enable_endpoint_detection: true,
      audio_format: 's16le',
      sample_rate: 44_100,
      num_channels: 1,
    });
    await expect(button(page, 'Cancel')).toBeHidden();
    await button(page, 'Stop').click();
    await expect(state(page, 'Stopping')).toBeVisible();
    await button(page, 'Cancel').click();
    await expect(state(page, 'Stopped')).toBeVisible();
    await expect(finals(page)).toHaveText(['Heard.']);
    expect(await tracks(page)).toEqual(['ended']);
  });

  test('LIV-17 ERR-05 CON-19: a context that the server refuses is marked, beside its words', async ({ page }) => {
    await openTab(page, 'real-time');
    const context = page.getByLabel('Context');
    const alert = page.getByRole('main').getByRole('alert');
    const doubt = 'The context you gave is a list, not an object; the server accepts an object.';
    await context.fill('[1, 2]');
    await expect(context).toHaveAccessibleDescription(/Sent: 5 \/ 10,000 characters/);
    await button(page, 'Run').click();
    await expect(alert).toContainText('Start request is malformed.');
    await expect(alert).toContainText(doubt);
    await expect(context).toHaveAttribute('aria-invalid', 'true');
    await expect(context).toHaveAccessibleDescription(new RegExp(doubt));
    await expectAccessible(page);
    await context.fill('{"terms": ["Parlance"]}');
    await expect(alert).toBeHidden();
    await expect(context).toHaveAttribute('aria-invalid', 'false');
  });

  test('LVP-01 LVP-03 EST-02: a chosen and tried microphone records the session, which shows level, cost and a summary', async ({
    page,
  }) => {
    await watchSound(page);
    await openTab(page, 'real-time');
    const facts = page.getByRole('status', { name: 'Session' });
    const level = page.getByRole('meter', { name: 'Input level' });
    const expectSound = () =>
      expect.poll(async () => Number(await level.getAttribute('aria-valuenow'))).toBeGreaterThan(20);
    const choice = page.getByLabel('Microphone', { exact: true });
    const wanted = await choice.locator('option').nth(2).getAttribute('value');
    await expect(facts).toBeEmpty();
    await choice.selectOption(wanted);
    await button(page, 'Test the microphone').click();
    await expectSound();
    await expect(page.getByText('The microphone hears something.')).toBeVisible();
    await expectAccessible(page);

    await button(page, 'Run').click();
    await expect(state(page, 'Running')).toBeVisible();
    await expect(button(page, 'Test the microphone')).toHaveAttribute('aria-pressed', 'false');
    // The session's own.
    await expect(page.getByRole('meter')).toHaveCount(1);
    await expect(choice).toBeDisabled();
    await expect.poll(() => tracks(page)).toEqual(['ended', 'live']);
    const devices = await page.evaluate(() => window.heldAudio.tracks.map((track) => track.getSettings().deviceId));
    expect(devices).toEqual([wanted, wanted]);
    await expectSound();
    await expect(finals(page).nth(2)).toBeVisible({ timeout: 90_000 });
    const cost = page.getByTitle('Cost so far');
    await expect(cost).toHaveText(/^Cost so far: \$0\.00\d\d$/);
    const sofar = Number(/\$(.*)/.exec(await cost.innerText())?.[1]);
    expect(sofar).toBeGreaterThan(0);

    await button(page, 'Stop').click();
    await expect(facts).toHaveText(/^00:\d\d · \d+ words · \$0\.\d+ · first word \d+\.\d\ss$/);
    await expect(level.or(cost)).toHaveCount(0);
    const [, words, charged] = (/(\d+) words · \$([\d.]+)/.exec(await facts.innerText()) ?? []).map(Number);
    // Rounded to four places.
    expect(charged).toBeGreaterThanOrEqual(sofar - 0.00005);
    // What was said in the second before the button was pressed, and as it was.
    expect((charged ?? 0) - sofar).toBeLessThan(0.0002);
    expect(words).toBeGreaterThanOrEqual(3);
    expect(words).toBeLessThanOrEqual(await finals(page).count());
    await expect.poll(() => tracks(page)).toEqual(['ended', 'ended']);
    await expectAccessible(page);
    await button(page, 'Reset').click();
    await expect(facts).toBeEmpty();
  });
});

test('LIV-10 LIV-11 LIV-14: only a playable file plays; it is transcribed to its end, and again with a new key', async ({
  page,
}) => {
  const keys: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/temporary-api-key')) keys.push(request.method());
  });
  await openTab(page, 'real-time');
  await page.getByRole('radio', { name: 'File' }).check({ force: true });
  await expect(button(page, 'Run')).toBeDisabled();
  await expect(page.getByText('Choose a file first.')).toBeVisible();
  await page
    .getByLabel('Choose file')
    .setInputFiles({ name: 'notes.wav', mimeType: 'audio/wav', buffer: Buffer.from('no sound at all') });
  const failure = page.getByRole('main').getByRole('alert');
  await expect(failure).toBeVisible();
  await expect(button(page, 'Run')).toBeDisabled();
  await expect(button(page, 'Run')).toHaveAccessibleDescription('Choose a file that can be played.');
  await expectAccessible(page);
  await page.getByLabel('Choose another').setInputFiles(clip('short.wav'));
  await expect(failure).toBeHidden();
  await expect(page.getByText('notes.wav')).toBeHidden();

  await button(page, 'Run').click();
  await expect(button(page, 'Stop')).toBeVisible();
  await expect(page.getByRole('progressbar', { name: 'Playback' })).toBeVisible();
  await expect(button(page, 'Rerun')).toBeVisible({ timeout: 90_000 });
  await expectSpoken(transcript(page), spoken('short.wav'));

  const playback = page.getByRole('progressbar', { name: 'Playback' });
  const end = await playback.getAttribute('aria-valuemax');
  if (!end) throw new Error('The file has no end.');
  await expect(playback).toHaveAttribute('aria-valuenow', end);
  await button(page, 'Rerun').click();
  await expect(state(page, 'Running')).toBeVisible();
  expect(keys).toEqual(['POST', 'POST']);
  // It plays from the beginning again; stopped on its way, it is no longer at its end.
  await expect(playback).not.toHaveAttribute('aria-valuenow', end);
  await button(page, 'Stop').click();
  await expect(state(page, 'Stopped')).toBeVisible();
  // Neither lets go of the focus as there is nothing left for it to do.
  await expect(button(page, 'Run')).toBeFocused();
  await button(page, 'Reset').click();
  await expect(page.getByRole('region', { name: 'WebSocket API' })).toBeVisible();
  await expect(button(page, 'Reset')).toBeFocused();
});
