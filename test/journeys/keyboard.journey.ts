import { fileURLToPath } from 'node:url';
import type { Locator } from '@playwright/test';
import { accountRow, expect, type Page, test, pressEscape } from './fixtures.ts';
import { arriveAnew, PASSWORD } from './people.ts';
import { clip, finalText } from './playground.ts';
import { outboxLink } from './server.ts';

/** More stops than any page here has. */
const STOPS_MAX = 120;
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  for (let stop = 0; stop < STOPS_MAX; stop++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  await expect(target).toBeFocused();
}

async function press(page: Page, target: Locator): Promise<void> {
  // What a list is loaded for can be reached before, and does nothing then.
  await expect(target).toBeEnabled();
  await tabTo(page, target);
  await page.keyboard.press('Enter');
}

async function type(page: Page, target: Locator, text: string): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.type(text);
}

test('ORG-01 PRJ-01 PRJ-03: the keyboard alone leads from signing up to an organization, a project and its key @gate', async ({
  page,
  context,
  server,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const email = 'keys@example.com';
  await page.goto('/signup/');
  await type(page, page.getByLabel('E-mail'), email);
  await page.keyboard.press('Enter');
  await expect(heading(page, 'Ask your administrator for the link')).toBeVisible();

  await page.goto(outboxLink(server.url));
  const mail = page.getByRole('article').filter({ hasText: email });
  await press(page, mail.getByRole('link').first());
  await expect(heading(page, 'Activate your account')).toBeVisible();
  await type(page, page.getByLabel('Password', { exact: true }), PASSWORD);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/playground\/speech-to-text\/\?mode=async$/);

  await press(page, accountRow(page));
  await expect(page.getByRole('menu')).toBeFocused();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await expect(heading(page, 'Your account')).toBeVisible();
  await press(page, page.getByRole('main').getByRole('button', { name: 'Create organization' }));
  const organization = page.getByRole('dialog', { name: 'Create organization' });
  await type(page, organization.getByLabel('Name'), 'Archive');
  await page.keyboard.press('Enter');
  await expect(heading(page, 'Archive')).toBeVisible();

  await press(page, page.getByRole('main').getByRole('button', { name: 'Create project' }).first());
  const project = page.getByRole('dialog', { name: 'Create project' });
  await type(page, project.getByLabel('Name'), 'Interviews');
  await press(page, project.getByRole('button', { name: 'Create', exact: true }));
  await expect(heading(page, 'Interviews')).toBeVisible();

  await press(page, page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'API keys' }));
  await expect(heading(page, 'API keys')).toBeVisible();
  await press(page, page.getByRole('button', { name: 'Create API key' }));
  const form = page.getByRole('dialog', { name: 'Create API key' });
  await type(page, form.getByLabel('Name'), 'Build server');
  await tabTo(page, form.getByLabel('Expires'));
  await page.keyboard.press('ArrowDown');
  await expect(form.getByLabel('Expires')).toHaveValue('30');
  await press(page, form.getByRole('button', { name: 'Create', exact: true }));

  const secret = page.getByRole('dialog', { name: 'Your new API key' });
  await press(page, secret.getByRole('button', { name: 'Show' }));
  await expect(secret.getByLabel('API key', { exact: true })).toHaveText(/^prl_[\w-]{20,}$/);
  const key = await secret.getByLabel('API key', { exact: true }).innerText();
  // Esc asks first as long as it was not copied.
  await pressEscape(page);
  await press(page, page.getByRole('alertdialog').getByRole('button', { name: 'Back to the key' }));
  await press(page, secret.getByRole('button', { name: 'Copy', exact: true }));
  await expect(secret.getByText('API key copied.')).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
  await pressEscape(page);
  await expect(secret).toBeHidden();
  await expect(
    page.getByRole('region', { name: 'API keys' }).getByRole('row').filter({ hasText: 'Build server' }),
  ).toBeVisible();
  await expect(page.getByRole('button', { name: 'Create API key' })).toBeFocused();
});

test('UXP-61: the keyboard alone chooses a recording, transcribes it, reads, exports and deletes what was said', async ({
  page,
  context,
  server,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await arriveAnew(page, server.url, 'typist@example.com');
  await page.goto('/playground/transcribe-async/');
  await expect(heading(page, 'Speech-to-Text')).toBeVisible();
  const chooser = page.waitForEvent('filechooser');
  await press(page, page.getByLabel('Choose file'));
  await (await chooser).setFiles(clip('short.wav'));
  await expect(page.getByRole('button', { name: 'Transcribe file' })).toBeEnabled();
  await press(page, page.getByRole('button', { name: 'Transcribe file' }));

  const transcript = page.getByRole('region', { name: 'Transcript text' });
  await expect(transcript).toBeVisible({ timeout: 60_000 });
  await tabTo(page, transcript);
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('tooltip')).toContainText('00:00');
  await page.keyboard.press('ArrowRight');
  await expect(transcript.locator('[data-details]').nth(1)).toBeFocused();
  await pressEscape(page);
  await expect(page.getByRole('tooltip')).toBeHidden();
  await press(page, page.getByRole('button', { name: 'Copy transcript' }));
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(await finalText(transcript));
  await tabTo(page, page.getByRole('tab', { name: 'Transcript' }));
  for (const format of ['JSON', 'SRT']) {
    await page.keyboard.press('ArrowRight');
    await expect(page.getByRole('tab', { name: format })).toHaveAttribute('aria-selected', 'true');
  }
  await expect(page.getByRole('region', { name: 'SRT' })).toContainText('-->');
  await press(page, page.getByRole('button', { name: 'Play', exact: true }));
  await expect(page.getByRole('button', { name: 'Pause' })).toBeFocused();

  await press(page, page.getByRole('button', { name: 'Delete short.wav' }));
  await press(page, page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }));
  await expect(transcript).toBeHidden();
});

test('UXP-61: the keyboard alone sets up, runs, finalizes, ends and keeps a live session', async ({ page, server }) => {
  await arriveAnew(page, server.url, 'speaker@example.com');
  await page.goto('/playground/transcribe-async/');
  await tabTo(page, page.getByRole('tab', { name: 'REST API' }));
  await page.keyboard.press('ArrowRight');
  await expect(page).toHaveURL(/mode=real-time/);
  await tabTo(page, page.getByRole('checkbox', { name: 'Speaker diarization' }));
  await page.keyboard.press('Space');
  await tabTo(page, page.getByRole('radio', { name: 'Mic' }));
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('radio', { name: 'File' })).toBeChecked();
  const chooser = page.waitForEvent('filechooser');
  await press(page, page.getByLabel('Choose file'));
  await (await chooser).setFiles(fileURLToPath(new URL('../../server/samples/weather-report.wav', import.meta.url)));
  await expect(page.getByRole('button', { name: 'Run', exact: true })).toBeEnabled();
  await press(page, page.getByRole('button', { name: 'Run', exact: true }));
  const words = () => finalText(page.getByRole('region', { name: 'Live transcript' }));
  await expect(page.getByRole('status').filter({ hasText: 'Running' })).toBeVisible();
  await press(page, page.getByRole('button', { name: 'Finalize' }));
  await expect.poll(words, { timeout: 60_000 }).not.toBe('');
  await press(page, page.getByRole('button', { name: 'Stop', exact: true }));
  await expect(page.getByRole('status', { name: 'Session' })).toHaveText(/words?/, { timeout: 60_000 });
  await press(page, page.getByRole('button', { name: 'Keep this session' }));
  await expect(page.getByRole('status', { name: 'History' })).toContainText('Kept.');
});

test('UXP-72: the keyboard alone pays into the balance, changes a limit, and opens a request of the logs', async ({
  page,
  server,
}) => {
  await arriveAnew(page, server.url, 'payer@example.com');
  await page.goto('/org/billing/');
  await press(page, page.getByRole('button', { name: 'Add to balance' }));
  const paying = page.getByRole('dialog');
  await press(page, paying.getByRole('button', { name: '$25', exact: true }));
  await press(page, paying.getByRole('button', { name: 'Continue' }));
  await press(page, paying.getByRole('button', { name: 'Pay $25.00' }));
  await expect(heading(page, 'Pay $25.00')).toBeVisible();
  await press(page, page.getByRole('button', { name: 'Pay $25.00' }));
  await expect(page.getByRole('status', { name: 'Payment', exact: true })).toContainText('succeeded');

  await press(page, page.getByRole('link', { name: 'Limits' }).first());
  await expect(heading(page, 'Organization limits')).toBeVisible();
  await press(page, page.getByRole('button', { name: 'Change the limit of concurrent streams' }));
  await page.keyboard.type('8');
  await page.keyboard.press('Enter');
  await expect(page.getByText('8 streams', { exact: true })).toBeVisible();

  await press(page, page.getByRole('link', { name: 'Project home' }));
  await press(page, page.getByRole('link', { name: 'Transcribe a recording' }));
  await press(page, page.getByRole('button', { name: 'Transcribe the sample: Dictation' }));
  await expect(page.getByRole('region', { name: 'Transcript text' })).toBeVisible({ timeout: 60_000 });
  await press(page, page.getByRole('link', { name: 'Logs' }));
  await press(page, page.getByRole('table', { name: 'Requests' }).getByRole('link').first());
  await expect(page.getByRole('dialog', { name: 'Request' })).toContainText('Completed');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog', { name: 'Request' })).toBeHidden();
  await expect(page.getByRole('table', { name: 'Requests' }).getByRole('link').first()).toBeFocused();
});
