import type { Route } from '@playwright/test';
import { expect, expectAccessible, type Page, test } from './fixtures.ts';
import { clip, finalText } from './playground.ts';
import { arriveAnew } from './people.ts';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const live = (page: Page) => page.getByRole('region', { name: 'Live transcript' });
const kept = (page: Page) => page.getByRole('status', { name: 'History' });
const always = (page: Page) => page.getByRole('checkbox', { name: 'Keep every session' });
const rows = (page: Page) => page.getByRole('list', { name: 'Transcriptions' }).getByRole('listitem');

/** A person of their own, at the live tab of a project in which nothing was transcribed. */
async function arrive(page: Page, url: string, email: string): Promise<void> {
  await arriveAnew(page, url, email);
  await page.goto('/playground/transcribe-live/');
}

/** Plays a recording to a session, to its end. */
async function play(page: Page): Promise<string> {
  await page.getByRole('radiogroup', { name: 'Audio input' }).getByText('File').click();
  await page.locator('#live-file').setInputFiles(clip('short.wav'));
  await page.getByRole('button', { name: /^(Run|Rerun)$/ }).click();
  await expect(page.getByRole('status', { name: 'Session' })).toHaveText(/words?/, { timeout: 60_000 });
  return finalText(live(page));
}

test('LVP-06: a session that is kept is opened from the history, read and deleted; what nobody keeps is stored nowhere', async ({
  page,
  server,
}) => {
  await arrive(page, server.url, 'keeper@example.org');
  const text = await play(page);
  await expect(button(page, 'Keep this session')).toBeEnabled();
  await expectAccessible(page);
  await button(page, 'Run').or(button(page, 'Rerun')).click();
  await expect(button(page, 'Keep this session')).toBeHidden();
  await expect(page.getByRole('status', { name: 'Session' })).toHaveText(/words?/, { timeout: 60_000 });

  await button(page, 'Keep this session').click();
  await expect(kept(page)).toContainText('Kept.');
  await expectAccessible(page);
  await kept(page).getByRole('link', { name: 'Open in History' }).click();
  const transcript = page.getByRole('region', { name: 'Transcript', exact: true });
  await expect.poll(() => finalText(transcript)).toBe(text);
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page)).toContainText(/short\.wav.*Completed/s);
  // As loudly as it was heard: its times are the session's.
  await expect(transcript.locator('[data-details]').first()).toHaveAttribute('data-details', /^00:0\d\.\d{3} – 00:0/);
  await page.getByRole('tab', { name: 'SRT' }).click();
  await expect(page.getByRole('region', { name: 'SRT' })).toContainText('00:00:0');

  await page.getByRole('button', { name: 'Delete short.wav' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(rows(page)).toHaveCount(0);
});

test('LVP-07: who always keeps sessions has each one kept, also after the page is opened anew', async ({
  page,
  server,
}) => {
  await arrive(page, server.url, 'collector@example.org');
  await page.getByText('Keep every session').click();
  await page.reload();
  await expect(always(page)).toBeChecked();
  await play(page);
  await expect(kept(page)).toContainText('Kept.');
  await page.getByText('Keep every session').click();
  await expect(always(page)).not.toBeChecked();
  await page.reload();
  await expect(always(page)).not.toBeChecked();
});

test.describe('a session that cannot be kept at once', () => {
  test.use({ allowed: [/status of 500/] });

  test('LVP-06: is kept at the second try, or by always keeping, and is still there after a look elsewhere', async ({
    page,
    server,
  }) => {
    await arrive(page, server.url, 'patient@example.org');
    await play(page);
    await page.route('**/v1/transcriptions/live', (route) => route.fulfill({ status: 500, json: {} }), { times: 1 });
    await button(page, 'Keep this session').click();
    await expect(page.getByRole('alert').filter({ hasText: 'The session could not be kept.' })).toBeVisible();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'API keys' }).first().click();
    await expect(page.getByRole('heading', { level: 1, name: 'API keys' })).toBeVisible();
    await page.goBack();
    await expect(button(page, 'Keep this session')).toBeVisible();
    await page.route('**/v1/transcriptions/live', (route) => route.fulfill({ status: 500, json: {} }), { times: 1 });
    await page.getByText('Keep every session').click();
    const failure = page.getByRole('alert').filter({ hasText: 'The session could not be kept.' });
    await expect(failure).toBeVisible();
    await button(page, 'Keep this session').click();
    await expect(kept(page)).toContainText('Kept.');
    await expect(failure).toBeHidden();
  });

  test('LVP-08: is in the history once, with its cost, also where the first answer was lost', async ({
    page,
    server,
  }) => {
    await arrive(page, server.url, 'twice@example.org');
    await play(page);
    const lose = async (route: Route) => {
      expect((await route.fetch()).status()).toBe(201);
      await route.fulfill({ status: 500, json: {} });
    };
    await page.route('**/v1/transcriptions/live', lose, { times: 1 });
    await button(page, 'Keep this session').click();
    await expect(page.getByRole('alert').filter({ hasText: 'The session could not be kept.' })).toBeVisible();
    await button(page, 'Keep this session').click();
    await kept(page).getByRole('link', { name: 'Open in History' }).click();
    await expect(rows(page)).toHaveCount(1);
    await expect(rows(page)).toContainText(/00:0\d · \$0\.\d+/);
  });
});
