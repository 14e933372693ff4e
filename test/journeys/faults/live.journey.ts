import { expect, signOut } from '../fixtures.ts';
import { clip } from '../playground.ts';
import {
  rootState,
  expectMicrophoneHeld,
  expectMicrophoneReleased,
  openPlayground,
  patiently,
  prepare,
  stateOf,
  test,
} from './faults.ts';
import {
  alertOf,
  button,
  expectKept,
  expectStates,
  expectStopped,
  KEY,
  recordStates,
  runUntilFinal,
  status,
  transcript,
} from './live.ts';

test.describe('with a microphone', () => {
  test.use({ permissions: ['microphone'] });

  test('LIV-02 LIV-04: stop while running waits for the last words, then lets the microphone go', async ({
    console: page,
    account,
  }) => {
    await openPlayground(page, account, 'real-time');
    await recordStates(page);
    const heard = await runUntilFinal(page);
    await expectMicrophoneHeld(page);
    await button(page, 'Stop').click();
    await expectStopped(page);
    await expectStates(page, 'capturing:running', 'capturing:finishingRecording', 'finishingProcessing', 'finished');
    await expectMicrophoneReleased(page, 1);
    await expectKept(page, heard);
    await expect(transcript(page).locator('[data-pending]')).toHaveCount(0);
    await expect(alertOf(page)).toBeHidden();
  });

  test('LIV-04 LIV-06: stop while starting finishes early, and the next session starts as if nothing had been', async ({
    console: page,
    account,
  }) => {
    let answer: () => void = () => {};
    const asked = new Promise<void>((resolve) => (answer = resolve));
    await page.route(
      KEY,
      async (route) => {
        await asked;
        await route.continue();
      },
      { times: 1 },
    );
    await openPlayground(page, account, 'real-time');
    await recordStates(page);
    await button(page, 'Run').click();
    await expectMicrophoneHeld(page);
    await expect(status(page, 'Starting')).toBeVisible();
    await patiently.poll(() => stateOf(page, 'stream')).toEqual({ capturing: { openingWebSocket: 'connecting' } });
    await button(page, 'Run...').click();
    await expectStopped(page);
    await expectStates(page, 'capturing:openingWebSocket:connecting', 'finishingEarly', 'finished');
    await expectMicrophoneReleased(page, 1);
    answer();
    await runUntilFinal(page);
    await button(page, 'Stop').click();
    await expectStopped(page);
    await expectMicrophoneReleased(page, 2);
  });

  test('LIV-07: a reload ends the session on the server too, and leaves a console that can run again', async ({
    console: page,
    account,
    server,
  }) => {
    await openPlayground(page, account, 'real-time');
    await runUntilFinal(page);
    const before = ended(server.output);
    await page.reload();
    await patiently(status(page, 'Stopped')).toBeVisible();
    await expect(page.getByRole('region', { name: 'WebSocket API' })).toBeVisible();
    await expectMicrophoneReleased(page, 0);
    await patiently.poll(() => ended(server.output)).toBe(before + 1);
    await runUntilFinal(page);
    await button(page, 'Stop').click();
    await patiently(status(page, 'Stopped')).toBeVisible();
    await expectMicrophoneReleased(page, 1);
  });

  test('SES-08: signing out in the middle of a session ends it', async ({ console: page, account, server }) => {
    await openPlayground(page, account, 'real-time');
    await runUntilFinal(page);
    const before = ended(server.output);
    await signOut(page, { isAsked: true });
    await patiently(page).toHaveURL(/\/signin\/$/);
    await patiently(button(page, 'Sign in')).toBeVisible();
    expect(await rootState(page)).toContain('"account":"signedOut"');
    await expectMicrophoneReleased(page, 1);
    await patiently.poll(() => ended(server.output)).toBe(before + 1);
  });

  test('SES-09: signing out in another tab ends the session of this one', async ({
    console: page,
    account,
    context,
  }) => {
    await openPlayground(page, account, 'real-time');
    await runUntilFinal(page);
    const other = await context.newPage();
    await other.goto(account.playground);
    await signOut(other);
    await patiently(button(page, 'Sign in')).toBeVisible();
    expect(await rootState(page)).toContain('"account":"signedOut"');
    await expectMicrophoneReleased(page, 1);
  });

  test('LIV-07: the other tab of the playground stops a session in order and keeps its words', async ({
    console: page,
    account,
  }) => {
    await openPlayground(page, account, 'real-time');
    await recordStates(page);
    const heard = await runUntilFinal(page);
    await page.getByRole('tab', { name: 'REST API' }).click();
    // It asks first (CON-01).
    await page
      .getByRole('alertdialog', { name: 'Leave the WebSocket API tab?' })
      .getByRole('button', { name: 'Leave' })
      .click();
    await expectMicrophoneReleased(page, 1);
    await patiently.poll(() => stateOf(page, 'live')).toMatchObject({ session: 'stopped' });
    await expectStates(page, 'capturing:finishingRecording', 'finishingProcessing', 'finished');
    await page.getByRole('tab', { name: 'WebSocket API' }).click();
    await expectStopped(page);
    await expectKept(page, heard);
  });

  test('LIV-07: another screen and Back end a session, and let the microphone go', async ({
    console: page,
    account,
    server,
  }) => {
    await openPlayground(page, account, 'real-time');
    await button(page, 'Run').click();
    await patiently(status(page, 'Running')).toBeVisible();
    const before = ended(server.output);
    const leave = () =>
      page.getByRole('alertdialog', { name: 'Leave this page?' }).getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await leave();
    await patiently(page).toHaveURL(/\/org\/[\w-]+\/$/);
    await expectMicrophoneReleased(page, 1);
    await patiently.poll(() => ended(server.output)).toBe(before + 1);

    await page.getByRole('link', { name: 'Speech-to-Text' }).click();
    await button(page, 'Run').click();
    await patiently(status(page, 'Running')).toBeVisible();
    await page.evaluate(() => history.back());
    await leave();
    await patiently(page).toHaveURL(/\/org\/[\w-]+\/$/);
    await expectMicrophoneReleased(page, 2);
    await patiently.poll(() => ended(server.output)).toBe(before + 2);
  });

  test('LIV-11: a file that plays is silent again after signing out', async ({ console: page, account }) => {
    await openPlayground(page, account, 'real-time');
    await page.getByRole('radio', { name: 'File' }).check({ force: true });
    await page.getByLabel('Choose file').setInputFiles(clip('two-sentences.wav'));
    await button(page, 'Run').click();
    await patiently(status(page, 'Running')).toBeVisible();
    await patiently
      .poll(() => page.evaluate(() => window.heldAudio.contexts.filter(({ state }) => state === 'running').length))
      .toBe(1);
    await signOut(page, { isAsked: true });
    await patiently(button(page, 'Sign in')).toBeVisible();
    await expectMicrophoneReleased(page, 0);
  });
});

test(
  'ERR-05: without permission the headline says so, and the line below says why',
  { tag: '@refused' },
  async ({ console: page, account }) => {
    await openPlayground(page, account, 'real-time');
    await recordStates(page);
    await button(page, 'Run').click();
    const alert = alertOf(page);
    await patiently(alert).toContainText("You did not grant permission to use your device's microphone.");
    await expect(alert).toContainText('Allow the microphone in your browser, then run again.');
    await expectStopped(page);
    await expectStates(page, 'capturing:requestingMedia', 'error');
    await expectMicrophoneReleased(page, 0);
  },
);

test.describe('while the browser asks', () => {
  test.use({ permissions: ['microphone'] });

  test('LIV-04: a grant that comes after Stop is given back at once', async ({ page, account }) => {
    // Below the watch on tracks, which therefore sees the late one.
    await page.addInitScript(() => {
      const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
      navigator.mediaDevices.getUserMedia = async (constraints) => {
        await new Promise<void>((resolve) => window.addEventListener('granted', () => resolve(), { once: true }));
        return ask(constraints);
      };
    });
    await prepare(page, account.tokens);
    await openPlayground(page, account, 'real-time');
    await recordStates(page);
    await button(page, 'Run').click();
    await expect(status(page, 'Starting')).toBeVisible();
    await button(page, 'Run...').click();
    await expectStopped(page);
    await expectStates(page, 'capturing:requestingMedia', 'finishingEarly', 'finished');
    await page.evaluate(() => window.dispatchEvent(new Event('granted')));
    await expectMicrophoneReleased(page, 1);
    await expectStopped(page);
    await expect(alertOf(page)).toBeHidden();
  });
});

/** How many live sessions the server has seen the end of. */
function ended(output: string): number {
  return output.split('"msg":"live session"').length - 1;
}
