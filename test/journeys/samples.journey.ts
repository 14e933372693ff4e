import { expect, expectAccessible, isGate, type Page, test } from './fixtures.ts';
import { arriveAnew, linkTo, PASSWORD } from './people.ts';
import { expectSpoken, spoken } from './playground.ts';

const transcript = (page: Page) => page.getByRole('region', { name: 'Transcript' });
const sample = (page: Page, title: string) =>
  page.getByRole('button', { name: `Transcribe the sample: ${title}`, exact: true });
/** Clicks and fields from the activation link to a transcript. */
const ACTIONS_MAX = 6;

test('ONB-06 ONB-05 ONB-04: who signs up by mail reads the transcript of a sample within six clicks and fields @gate', async ({
  page,
  server,
}) => {
  const email = 'curious@example.org';
  await page.goto('/signup/');
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Sign up' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Ask your administrator for the link' })).toBeVisible();
  await page.goto((await linkTo(server.url, email, 'signup')) ?? '');

  const actions = [
    () => page.getByLabel('Password', { exact: true }).fill(PASSWORD),
    () => page.getByRole('button', { name: 'Activate account' }).click(),
    () => sample(page, 'Two speakers').click(),
  ];
  expect(actions.length).toBeLessThanOrEqual(ACTIONS_MAX);
  for (const act of actions) await act();
  await expectSpoken(transcript(page), spoken('meeting-notes.wav'));
  await expect(transcript(page).getByText('Speaker 2').first()).toBeVisible();
  await expect(page.getByRole('group', { name: 'File' })).toContainText('meeting-notes.wav');

  if (isGate) return;

  // What suits the sample was set, and stays.
  await page.getByRole('button', { name: 'Settings', exact: true }).click();
  await expect(page.getByRole('checkbox', { name: 'Speaker diarization' })).toBeChecked();
  await page.getByRole('button', { name: 'Remove' }).click();
  const files = page.getByRole('region', { name: 'Library' }).getByRole('listitem');
  await expect(files).toHaveCount(1);
  await sample(page, 'Two speakers').click();
  await expect(transcript(page)).toBeVisible();
  await page.getByRole('button', { name: 'Remove' }).click();
  await expect(files).toHaveCount(1);
});

test.describe('a sample that is not to be had', () => {
  test.use({ allowed: [/status of 500/] });

  test('ONB-05: says so, and Retry transcribes it, noise and all', async ({ page, server }) => {
    await arriveAnew(page, server.url, 'noise@example.org');
    await page.goto('/playground/transcribe-async/');
    await page.route('**/v1/samples/**', (route) => route.fulfill({ status: 500, json: {} }), { times: 1 });
    await sample(page, 'Noisy call').click();
    const failure = page.getByRole('alert').filter({ hasText: 'The sample could not be added.' });
    await expect(failure).toBeVisible();
    await expectAccessible(page);
    await failure.getByRole('button', { name: 'Retry' }).click();
    await expectSpoken(transcript(page), spoken('noisy-call.wav'));
  });
});
