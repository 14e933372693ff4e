import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { wordErrorRate } from '#test/audio/wer.ts';
import { TranscriptToken } from '#contract/transcriptions.ts';
import { enter, expect, expectAccessible, type Page, stopClock, test } from './fixtures.ts';
import { clip, expectSpoken, openTab, slowDown, spoken } from './playground.ts';

const transcript = (page: Page) => page.getByRole('region', { name: 'Transcript text' });
const upload = (page: Page) => page.getByRole('dialog', { name: 'Uploading file' });
const history = (page: Page) => page.getByRole('list', { name: 'Transcriptions' });
const library = (page: Page) => page.getByRole('list', { name: 'Files' });

test('UPL-03 ASY-03 ASY-14: a picked file is uploaded, transcribed and read; reload and Back keep their place @gate', async ({
  page,
}) => {
  await openTab(page, 'async');
  await expect(page.getByRole('button', { name: 'Transcribe file' })).toBeDisabled();
  await expect(page.getByText('Choose a file first.')).toBeVisible();

  const restore = await slowDown(page, 60_000);
  await page.getByLabel('Choose file').setInputFiles(clip('two-sentences.wav'));
  await expect(upload(page)).toBeVisible();
  await expect(upload(page).getByRole('progressbar')).toHaveAttribute('aria-valuenow', /^[1-9]\d?$/);
  await restore();
  await expect(page).toHaveURL(/\/speech-to-text\/new\/[\w-]+\/\?mode=async$/);
  await expect(upload(page)).toBeHidden();
  await expect(page.getByRole('group', { name: 'Recording two-sentences.wav' })).toBeVisible();
  const newFile = page.url();

  await page.getByRole('button', { name: 'Transcribe file' }).click();
  await expect(page.getByText(/^Transcription two-sentences\.wav is \w+\.$/)).toBeVisible();
  await expect(page).toHaveURL(/\/speech-to-text\/[\w-]{36}\/\?mode=async$/);
  await expect(page.getByRole('link', { name: 'Speech-to-Text' })).toHaveAttribute('aria-current', 'page');
  await expect(page.getByRole('button', { name: 'History' })).toHaveAttribute('aria-expanded', 'true');
  await expect(history(page).getByRole('listitem').first()).toContainText('two-sentences.wav');
  await expectSpoken(transcript(page), spoken('two-sentences.wav'));
  await expect(history(page).getByRole('listitem').first()).toContainText('Completed');

  await page.reload();
  await expectSpoken(transcript(page), spoken('two-sentences.wav'));
  await expect(page.getByRole('button', { name: 'History' })).toHaveAttribute('aria-expanded', 'true');
  await page.goBack();
  await expect(page).toHaveURL(newFile);
  await expect(page.getByRole('button', { name: 'Settings', exact: true })).toHaveAttribute('aria-expanded', 'true');
  await expect(transcript(page)).toBeHidden();
});

test('ASY-19: the end of a transcription that the history hears of is shown beside it at once, without another look @gate', async ({
  page,
}) => {
  await page.clock.install();
  await openTab(page, 'async');
  await page.getByLabel('Choose file').setInputFiles(clip('two-sentences.wav'));
  await expect(page.getByRole('button', { name: 'Transcribe file' })).toBeEnabled();
  // From here on nothing is looked at again by the page's own clock.
  await stopClock(page);
  await page.getByRole('button', { name: 'Transcribe file' }).click();
  await expect(history(page).getByRole('listitem').first()).toContainText('Completed', { timeout: 90_000 });
  await expectSpoken(transcript(page), spoken('two-sentences.wav'));
});

test("ASY-09 ASY-18: a recording that only its beginning is one of fails, and the server's reason is shown @gate", async ({
  page,
}) => {
  await openTab(page, 'async');
  await page.getByLabel('Choose file').setInputFiles({
    name: 'torn.wav',
    mimeType: 'audio/wav',
    buffer: Buffer.from('RIFF....WAVE, and then no sound at all.'),
  });
  await expect(page).toHaveURL(/\/new\//);
  await expect(page.getByText("This browser can't play it. You can still transcribe it.")).toBeVisible();
  await expect(page.getByText('torn.wav').first()).toBeVisible();
  // EST-01: nobody knows how long it is.
  await expect(page.getByText(/About \$/)).toHaveCount(0);
  await page.getByRole('button', { name: 'Transcribe file' }).click();
  await expect(page.getByText(/^Transcription failed\. ./)).toBeVisible({ timeout: 90_000 });
  await expect(history(page).getByRole('listitem').first()).toContainText('Failed');
  await test.step('ASY-20 LOG-14: its code, what that means, and its log, from which it opens again', async () => {
    const alert = page.getByRole('alert').filter({ hasText: 'Transcription failed.' });
    await expect(alert).toContainText('invalid_audio');
    await expect(alert.getByRole('link', { name: 'What invalid_audio means' })).toHaveAttribute(
      'href',
      /\/api\/docs#invalid-audio$/,
    );
    await alert.getByRole('link', { name: 'Open in the logs' }).click();
    const drawer = page.getByRole('dialog', { name: 'Request' });
    await expect(drawer).toContainText('invalid_audio');
    await expect(drawer.getByRole('link', { name: 'What invalid_audio means' })).toBeVisible();
    await drawer.getByRole('link', { name: 'Open in the playground' }).click();
    // No settings would help this one.
    await expect(alert.getByLabel('Transcribe another file')).toBeAttached();
    await expect(alert.getByRole('button', { name: 'Correct the settings' })).toHaveCount(0);
  });
});

test('ASY-01 ASY-02 ASY-06: tabs and Remove replace the address; a narrow window folds the panel', async ({ page }) => {
  const { playground } = await enter(page);
  const settings = page.getByRole('button', { name: 'Settings', exact: true });
  await page.goto(`${playground}?mode=async&panel=settings`);
  await expect(page).toHaveURL(/\/speech-to-text\/\?mode=async$/);
  await expect(settings).toHaveAttribute('aria-expanded', 'true');
  await page.getByRole('button', { name: 'History' }).click();
  await expect(page).toHaveURL(/panel=history/);
  await settings.click();
  await expect(page).toHaveURL(/\/speech-to-text\/\?mode=async$/);

  await page.goto(`${playground}?mode=elsewhere`);
  await expect(page.getByRole('tab', { name: 'WebSocket API' })).toHaveAttribute('aria-selected', 'true');
  const length = await page.evaluate(() => history.length);
  await page.getByRole('tab', { name: 'REST API' }).click();
  await expect(page).toHaveURL(/\?mode=async$/);
  await page.getByRole('tab', { name: 'WebSocket API' }).click();
  await expect(page).toHaveURL(/\?mode=real-time$/);
  await page.getByRole('tab', { name: 'REST API' }).click();
  await expect(page).toHaveURL(/\?mode=async$/);
  expect(await page.evaluate(() => history.length)).toBe(length);

  const intro = page.getByRole('region', { name: 'REST API' });
  await library(page)
    .getByRole('link', { name: /meeting-notes/ })
    .click();
  await expect(page.getByRole('button', { name: 'Transcribe file' })).toBeEnabled();
  await expect(intro).toBeHidden();
  await page.getByRole('button', { name: 'Remove' }).click();
  await expect(page).toHaveURL(/\/speech-to-text\/\?mode=async$/);
  await expect(intro).toBeVisible();

  await expect(page.getByLabel('Model')).toBeVisible();
  await page.setViewportSize({ width: 1100, height: 800 });
  await expect(page.getByLabel('Model')).toBeHidden();
  await page.getByRole('button', { name: 'Show panel' }).click();
  await expect(page.getByLabel('Model')).toBeVisible();
  await page.setViewportSize({ width: 1101, height: 800 });
  await expect(page.getByLabel('Model')).toBeVisible();
  await page.getByRole('button', { name: 'Hide panel' }).click();
  await expect(page.getByLabel('Model')).toBeHidden();
});

test.describe('with files that cannot be heard', () => {
  test.use({ allowed: [/Failed to load resource/] });

  test('ASY-05 ASY-18 CON-19: a file that is no audio keeps its name and Remove; one that cannot be read can be tried again', async ({
    page,
  }) => {
    await openTab(page, 'async');
    await page.getByLabel('Choose file').setInputFiles({
      name: 'letter.wav',
      mimeType: 'audio/wav',
      buffer: Buffer.from('Dear reader, this is no sound at all.'),
    });
    await expect(page).toHaveURL(/\/new\//);
    const file = page.getByRole('group', { name: 'File', exact: true });
    await expect(file.getByRole('alert')).toHaveCount(1);
    await expect(file.getByRole('alert')).toContainText(
      "Failed to load audio file.This file isn't audio we can read. Choose another.",
    );
    await expect(page.getByRole('button', { name: 'Reload' })).toBeVisible();
    await expect(file.getByText('letter.wav')).toBeVisible();
    await expect(page.getByText('Ready to transcribe.')).toBeHidden();
    const transcribe = page.getByRole('button', { name: 'Transcribe file' });
    await expect(transcribe).toBeDisabled();
    await expect(transcribe).toHaveAccessibleDescription("This file can't be transcribed. Choose another.");
    // UXP-54 EST-01.
    await file.getByLabel('Choose another').setInputFiles(clip('short.wav'));
    await expect(file.getByText('short.wav')).toBeVisible();
    await expect(transcribe).toBeEnabled();
    await expect(transcribe).toHaveAccessibleDescription(/^About \$0\.000\d+ for \d+ s of audio\.$/);
    await file.getByRole('button', { name: 'Remove' }).click();
    await expect(page.getByText('Drop a recording here')).toBeVisible();

    await page.route('**/v1/files/*/url', (route) => route.fulfill({ status: 500, json: {} }));
    await library(page)
      .getByRole('link', { name: /meeting-notes/ })
      .click();
    const failure = page.getByRole('main').getByRole('alert');
    await expect(failure).toBeVisible();
    await expectAccessible(page);
    await page.unroute('**/v1/files/*/url');
    await failure.getByRole('button', { name: 'Reload' }).click();
    await expect(failure).toBeHidden();
    await expect(page.getByRole('group', { name: /^Recording meeting-notes/ })).toBeVisible();
    await page.route('**/v1/files/*/url', (route) => route.fulfill({ status: 500, json: {} }));
    await page.reload();
    await failure.getByRole('button', { name: 'Remove' }).click();
    await expect(page).toHaveURL(/\/speech-to-text\/\?mode=async$/);
    await expect(failure).toBeHidden();
    await expect(page.getByText('Drop a recording here')).toBeVisible();
  });
});

test('UXP-51 ASY-18: a transcript is copied and saved in every format, plays from a word, follows the sound, is searched', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openTab(page, 'async');
  await page.getByLabel('Choose file').setInputFiles(clip('two-sentences.wav'));
  await page.getByRole('button', { name: 'Transcribe file' }).click();
  await expectSpoken(transcript(page), spoken('two-sentences.wav'));
  const bar = page.getByRole('group', { name: 'Export' });
  await bar.getByRole('button', { name: 'Copy transcript' }).click();
  await expect(bar.getByText('Copied')).toBeVisible();
  expect(
    wordErrorRate(spoken('two-sentences.wav'), await page.evaluate(() => navigator.clipboard.readText())),
  ).toBeLessThan(0.1);

  const save = async (format: string) => {
    await page.getByRole('tab', { name: format, exact: true }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      bar.getByRole('button', { name: 'Download transcript' }).click(),
    ]);
    return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
  };
  const json = await save('JSON');
  await expect(page.getByRole('region', { name: 'Transcript as JSON' })).toHaveText(json.text.trim());
  expect(json.name).toBe('two-sentences.json');
  const { tokens } = v.parse(v.object({ text: v.string(), tokens: v.array(TranscriptToken) }), JSON.parse(json.text));
  expect(tokens.length).toBeGreaterThan(5);
  expect((await save('SRT')).text).toMatch(/^1\n00:00:0\d,\d{3} --> 00:00:\d\d,\d{3}\n\w/);
  expect((await save('WebVTT')).text).toMatch(/^WEBVTT\n\n00:00:0\d\.\d{3} --> /);
  await expect(page.getByRole('region', { name: 'Transcript as WebVTT' })).toContainText(/^WEBVTT/);
  await expectAccessible(page);
  await page.keyboard.press('ArrowLeft');
  const text = await save('Transcript');
  expect(text.name).toBe('two-sentences.txt');
  expect(wordErrorRate(spoken('two-sentences.wav'), text.text)).toBeLessThan(0.1);

  const player = page.getByRole('group', { name: 'Recording two-sentences.wav' });
  const position = player.getByLabel('Position');
  const said = transcript(page).locator('[data-said]');
  const words = transcript(page).locator('[data-start]');
  await expect(position).toBeEnabled();

  await words.nth(4).click();
  await expect(player.getByRole('button', { name: 'Pause' })).toBeVisible();
  await expect
    .poll(async () => Number(await position.inputValue()))
    .toBeGreaterThan(Number(await words.nth(5).getAttribute('data-start')));
  await expect(said).toHaveCount(1);
  await page.keyboard.press('Space');
  await expect(player.getByRole('button', { name: 'Play' })).toBeVisible();
  await page.keyboard.press('j');
  await expect(position).toHaveValue('0');
  await page.keyboard.press('>');
  await expect(player.getByLabel('Speed')).toHaveValue('1.25');
  await position.fill('3000');
  await expect(said).toHaveCount(1);
  expect(Number(await said.getAttribute('data-start'))).toBeLessThanOrEqual(3000);
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Search', exact: true }).click();
  const search = page.getByLabel('Search in the transcript');
  await expect(search).toBeFocused();
  await search.fill('THE');
  const count = page.getByRole('search').getByRole('status');
  await expect(count).toHaveText(/^1 of [2-9]$/);
  await search.press('Enter');
  await expect(count).toHaveText(/^2 of [2-9]$/);
  await expect(transcript(page).locator('[data-hit=current]')).toHaveCount(1);
  await search.fill('nowhere');
  await expect(count).toHaveText('Not found');
  await expectAccessible(page);
  await search.press('Escape');
  await expect(search).toBeHidden();
});
