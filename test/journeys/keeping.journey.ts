import type { Route } from '@playwright/test';
import { expect, expectAccessible, type Page, test } from './fixtures.ts';
import { clip, finalText } from './playground.ts';
import type { Account } from './account.ts';
import { arriveAnew } from './people.ts';
import { speechOf } from './requests.ts';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const live = (page: Page) => page.getByRole('region', { name: 'Live transcript' });
const kept = (page: Page) => page.getByRole('status', { name: 'History' });
const always = (page: Page) => page.getByRole('checkbox', { name: 'Keep every session' });
const rows = (page: Page) => page.getByRole('list', { name: 'Transcriptions' }).getByRole('listitem');

/** A person of their own, at the live tab of a project in which nothing was transcribed. */
async function arrive(page: Page, url: string, email: string): Promise<Account> {
  const account = await arriveAnew(page, url, email);
  await page.goto('/playground/transcribe-live/');
  return account;
}

/** Plays a recording to a session, to its end. */
async function play(page: Page): Promise<string> {
  await page.getByRole('radiogroup', { name: 'Audio input' }).getByText('File').click();
  await page.locator('#live-file').setInputFiles(clip('short.wav'));
  await page.getByRole('button', { name: /^(Run|Rerun)$/ }).click();
  await expect(page.getByRole('status', { name: 'Session' })).toHaveText(/words?/, { timeout: 60_000 });
  return finalText(live(page));
}

test.describe('sessions that cannot be kept at once', () => {
  test.use({ allowed: [/status of 500/] });

  const failure = (page: Page) => page.getByRole('alert').filter({ hasText: 'The session could not be kept.' });

  test('LVP-06 LVP-08: a session is kept once on request, even if an answer is lost; the history opens and deletes it', async ({
    page,
    server,
  }) => {
    await arrive(page, server.url, 'keeper@example.org');
    const text = await play(page);
    await expect(button(page, 'Keep this session')).toBeEnabled();
    await expectAccessible(page);
    const lose = async (route: Route) => {
      expect((await route.fetch()).status()).toBe(201);
      await route.fulfill({ status: 500, json: {} });
    };
    await page.route('**/v1/transcriptions/live', lose, { times: 1 });
    await button(page, 'Keep this session').click();
    await expect(failure(page)).toBeVisible();
    await expectAccessible(page);
    // It is still there after a look elsewhere.
    await page.getByRole('link', { name: 'API keys' }).first().click();
    await expect(page.getByRole('heading', { level: 1, name: 'API keys' })).toBeVisible();
    await page.goBack();
    await button(page, 'Keep this session').click();
    await expect(kept(page)).toContainText('Kept.');
    const link = kept(page).getByRole('link', { name: 'Open in History' });
    await expect(link).toBeFocused();
    await link.click();
    const transcript = page.getByRole('region', { name: 'Transcript', exact: true });
    await expect.poll(() => finalText(transcript)).toBe(text);
    await expect(rows(page)).toHaveCount(1);
    await expect(rows(page)).toContainText(/short\.wav.*Completed/s);
    await expect(rows(page)).toContainText(/00:0\d · \$0\.\d+/);
    // Its times are the session's.
    await expect(transcript.locator('[data-details]').first()).toHaveAttribute('data-details', /^00:0\d\.\d{3} – 00:0/);
    await page.getByRole('tab', { name: 'SRT' }).click();
    await expect(page.getByRole('region', { name: 'SRT' })).toContainText('00:00:0');

    await page.getByRole('button', { name: 'Delete short.wav' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await expect(rows(page)).toHaveCount(0);
  });

  test('LVP-06 LVP-07: a session is stored only if somebody keeps it; always keeping lasts over a reload', async ({
    page,
    server,
  }) => {
    const account = await arrive(page, server.url, 'collector@example.org');
    await play(page);
    await expect(button(page, 'Keep this session')).toBeEnabled();
    const [, project = ''] = /projects\/([^/]+)/.exec(page.url()) ?? [];
    const stored = await page.request.get('/v1/transcriptions', speechOf(account, project));
    expect(await stored.json()).toMatchObject({ transcriptions: [] });

    await page.route('**/v1/transcriptions/live', (route) => route.fulfill({ status: 500, json: {} }), { times: 1 });
    await page.getByText('Keep every session').click();
    await expect(failure(page)).toBeVisible();
    await page.reload();
    await expect(always(page)).toBeChecked();
    await play(page);
    await expect(kept(page)).toContainText('Kept.');
    await page.getByText('Keep every session').click();
    await expect(always(page)).not.toBeChecked();
    await page.reload();
    await expect(always(page)).not.toBeChecked();
  });
});
