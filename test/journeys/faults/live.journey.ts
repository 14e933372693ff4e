import { expect, signOut } from '../fixtures.ts';
import { clip } from '../playground.ts';
import {
  rootState,
  expectMicrophoneHeld,
  expectMicrophoneReleased,
  openPlayground,
  patiently,
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

test.use({ permissions: ['microphone'] });

test('LIV-02 LIV-04 LIV-06 LIV-07: stop while starting finishes early; the next session, which the other tab ends, waits for the last words and keeps them', async ({
  console: page,
  account,
}) => {
  let answer: () => void = () => {};
  const asked = new Promise<void>((resolve) => (answer = resolve));
  await page.route(KEY, (route) => asked.then(() => route.continue()), { times: 1 });
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

  const heard = await runUntilFinal(page);
  await page.getByRole('tab', { name: 'REST API' }).click();
  // It asks first (CON-01).
  await page
    .getByRole('alertdialog', { name: 'Leave the WebSocket API tab?' })
    .getByRole('button', { name: 'Leave' })
    .click();
  await expectMicrophoneReleased(page, 2);
  await patiently.poll(() => stateOf(page, 'live')).toMatchObject({ session: 'stopped' });
  await expectStates(page, 'capturing:running', 'capturing:finishingRecording', 'finishingProcessing', 'finished');
  await page.getByRole('tab', { name: 'WebSocket API' }).click();
  await expectStopped(page);
  await expectKept(page, heard);
  await expect(transcript(page).locator('[data-pending]')).toHaveCount(0);
  await expect(alertOf(page)).toBeHidden();
});

test('LIV-07 SES-09: another screen, Back, a reload, and signing out in another tab end a session on the server too, and let the microphone go', async ({
  console: page,
  account,
  context,
  server,
}) => {
  /** How many live sessions the server has seen the end of. */
  const ended = () => server.output.split('"msg":"live session"').length - 1;
  const run = async () => {
    await button(page, 'Run').click();
    await patiently(status(page, 'Running')).toBeVisible();
    return ended();
  };
  const leave = () =>
    page.getByRole('alertdialog', { name: 'Leave this page?' }).getByRole('button', { name: 'Leave' }).click();
  await openPlayground(page, account, 'real-time');
  let before = await run();
  await page.getByRole('link', { name: 'Dashboard' }).click();
  await leave();
  await patiently(page).toHaveURL(/\/org\/[\w-]+\/$/);
  await expectMicrophoneReleased(page, 1);
  await patiently.poll(ended).toBe(before + 1);

  await page.getByRole('link', { name: 'Speech-to-Text' }).click();
  before = await run();
  await page.evaluate(() => history.back());
  await leave();
  await patiently(page).toHaveURL(/\/org\/[\w-]+\/$/);
  await expectMicrophoneReleased(page, 2);
  await patiently.poll(ended).toBe(before + 1);

  await page.getByRole('link', { name: 'Speech-to-Text' }).click();
  before = await run();
  await page.reload();
  await patiently(status(page, 'Stopped')).toBeVisible();
  await expect(page.getByRole('region', { name: 'WebSocket API' })).toBeVisible();
  await expectMicrophoneReleased(page, 0);
  await patiently.poll(ended).toBe(before + 1);

  before = await run();
  const other = await context.newPage();
  await other.goto('/user/');
  await signOut(other);
  await patiently(button(page, 'Sign in')).toBeVisible();
  await expectMicrophoneReleased(page, 1);
  await patiently.poll(ended).toBe(before + 1);
});

test('SES-08 LIV-11: a file that plays is silent again after signing out', async ({ console: page, account }) => {
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
  expect(await rootState(page)).toContain('"account":"signedOut"');
  await expectMicrophoneReleased(page, 0);
});
