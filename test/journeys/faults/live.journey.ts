import { expect, signOut } from '../fixtures.ts';
import { clip } from '../playground.ts';
import { rootState, expectMicrophoneReleased, openPlayground, patiently, test } from './faults.ts';
import { button, status } from './live.ts';

test.use({ permissions: ['microphone'] });

test('LIV-07 SES-09: another screen, a reload, and a sign-out in another tab end the session and free the microphone', async ({
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
  await openPlayground(page, account, 'real-time');
  let before = await run();
  await page.getByRole('link', { name: 'Dashboard' }).click();
  await page.getByRole('alertdialog', { name: 'Leave this page?' }).getByRole('button', { name: 'Leave' }).click();
  await patiently(page).toHaveURL(/\/org\/[\w-]+\/$/);
  await expectMicrophoneReleased(page, 1);
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
