import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { StoredFile } from '#contract/files.ts';
import { Transcription } from '#contract/transcriptions.ts';
import { call, createAccount, PASSWORD } from './people.ts';
import { clip } from './playground.ts';
import { refuse } from './failures.ts';
import { DEMO_EMAIL, expect, type Page, signIn, test } from './fixtures.ts';

const openKeys = async (page: Page, who: { email?: string; password?: string } = {}) => {
  await signIn(page, who);
  await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'API keys' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'API keys' })).toBeVisible();
};
const rows = (page: Page) => page.getByRole('region', { name: 'API keys' }).getByRole('row');
const statusFor = async (page: Page, key: string) =>
  (await page.request.get('/v1/models', { headers: { authorization: `Bearer ${key}` } })).status();

test('PRJ-03 ORG-02 NAV-08: a key is made, shown once, used by a program, listed masked, and revoked @gate', async ({
  page,
  context,
  server,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openKeys(page);
  await expect(page).toHaveURL(/\/projects\/[\w-]{36}\/api\/keys\/$/);
  await expect(page).toHaveTitle(/^API keys · First project/);
  await expect(page.getByText('No API keys yet')).toBeVisible();

  await page.getByRole('button', { name: 'Create API key' }).click();
  const form = page.getByRole('dialog', { name: 'Create API key' });
  await expect(form.getByLabel('Name')).toBeFocused();
  await form.getByRole('button', { name: 'Create' }).click();
  await expect(form.getByText("Name can't be empty.")).toBeVisible();
  await form.getByLabel('Name').fill('Build server');
  await expect(form.getByText("Name can't be empty.")).toBeHidden();
  await form.getByLabel('Expires').selectOption('30');
  await form.getByRole('button', { name: 'Create' }).click();

  const secret = page.getByRole('dialog', { name: 'Your new API key' });
  const shown = secret.getByLabel('API key', { exact: true });
  await expect(shown).toHaveText(/^•+$/);
  await secret.getByRole('button', { name: 'Show' }).click();
  await expect(shown).toHaveText(/^prl_[\w-]{20,}$/);
  const key = await shown.innerText();
  expect(await statusFor(page, key)).toBe(200);

  // Back would take the key away as well.
  await page.evaluate(() => history.back());
  const leaving = page.getByRole('alertdialog', { name: 'Leave this page?' });
  await expect(leaving).toContainText("You haven't copied the new API key, and you won't see it again.");
  await leaving.getByRole('button', { name: 'Stay' }).click();
  await expect(page).toHaveURL(/\/api\/keys\/$/);
  await expect(shown).toHaveText(key);
  await secret.getByRole('button', { name: 'Done' }).click();
  const asking = page.getByRole('alertdialog', { name: "You won't see this key again" });
  await asking.getByRole('button', { name: 'Back to the key' }).click();
  await secret.getByRole('button', { name: 'Copy', exact: true }).click();
  await expect(secret.getByText('API key copied.')).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
  await secret.getByRole('button', { name: 'Done' }).click();
  await expect(secret).toBeHidden();
  await expect(page.getByRole('main').getByRole('button', { name: 'Create API key' })).toBeFocused();

  const row = rows(page).filter({ hasText: 'Build server' });
  await expect(row).toContainText(DEMO_EMAIL);
  await expect(row).toContainText(key.slice(0, 6));
  await expect(page.getByText(key)).toHaveCount(0);
  expect(await page.content()).not.toContain(key);
  expect(server.output).not.toContain(key);
  await page.reload();
  await expect(row).not.toContainText(/Never.*Never/);

  const revoke = row.getByRole('button', { name: 'Revoke Build server' });
  await revoke.click();
  const revoking = page.getByRole('alertdialog', { name: 'Revoke this API key?' });
  await revoking.getByRole('button', { name: 'Cancel' }).click();
  await expect(revoke).toBeFocused();
  await revoke.click();
  await expect(revoking).toContainText('Programs that use this key stop working immediately.');
  await revoking.getByRole('button', { name: 'Revoke' }).click();
  await expect(page.getByText('Success! API key was revoked.')).toBeVisible();
  await expect(page.getByText('No API keys yet')).toBeVisible();
  expect(await statusFor(page, key)).toBe(401);
});

test('ONB-22: the shown command runs as it stands, and its request turns the wait green @gate', async ({
  page,
  context,
  server,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const owner = await createAccount(server.url, 'caller@example.org');
  await call(server.url, owner, 'POST', 'user/welcome/');
  await openKeys(page, { email: 'caller@example.org', password: PASSWORD });
  await page.getByRole('button', { name: 'Create API key' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('First');
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  const secret = page.getByRole('dialog', { name: 'Your new API key' });
  const first = secret.getByRole('status', { name: 'First request' });
  await expect(first).toHaveText('Waiting for your first request…');
  await expect(secret.getByRole('region', { name: 'First call' })).toContainText(
    /^export PARLANCE_API_KEY='•+'.*\/v1\/samples\/dictation.*file=@.*\/v1\/transcriptions/s,
  );
  await secret.getByRole('button', { name: 'Copy command' }).click();
  await expect(secret.getByText('Command copied, with the API key in it.')).toBeVisible();
  const command = await page.evaluate(() => navigator.clipboard.readText());
  const { stdout } = await promisify(execFile)('sh', ['-c', command], {
    cwd: mkdtempSync(join(tmpdir(), 'first-call-')),
  });
  expect(stdout.trim().split(' ').length).toBeGreaterThan(3);
  await expect(first).toHaveText('First request received. Your key works.');
  // Copied with the command, so nothing is asked.
  await secret.getByRole('button', { name: 'Done' }).click();
  await expect(secret).toBeHidden();
  expect(await page.content()).not.toContain(/prl_[\w-]+/.exec(command)?.[0]);
});

test('ONB-20 ONB-21 ORG-03: the home of a project says what is done, what it used, and what was transcribed last @gate', async ({
  page,
  context,
  server,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const owner = await createAccount(server.url, 'beginner@example.org');
  await call(server.url, owner, 'POST', 'user/welcome/');
  await signIn(page, { email: 'beginner@example.org', password: PASSWORD });
  await page.getByRole('link', { name: 'Project home' }).click();
  const steps = page.getByRole('region', { name: 'First steps' }).getByRole('listitem');
  await expect(steps).toHaveCount(3);
  await expect(steps.getByLabel('To do')).toHaveCount(3);
  await expect(page.getByText('Nothing yet. What you transcribe appears here.')).toBeVisible();
  await steps.getByRole('link', { name: 'Create an API key' }).click();
  await expect(page.getByRole('dialog', { name: 'Create API key' })).toBeVisible();
  await page.getByRole('dialog').getByLabel('Name').fill('First');
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  await page.getByRole('button', { name: 'Show' }).click();
  const key = await page.getByLabel('API key', { exact: true }).innerText();
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('link', { name: 'Project home' }).click();
  await expect(steps.filter({ hasText: 'Create an API key' }).getByLabel('Done')).toBeVisible();
  await expect(steps.getByLabel('To do')).toHaveCount(2);

  const authorization = `Bearer ${key}`;
  const sent = await page.request.post('/v1/files', {
    headers: { authorization },
    multipart: { file: { name: 'short.wav', mimeType: 'audio/wav', buffer: readFileSync(clip('short.wav')) } },
  });
  const begun = await page.request.post('/v1/transcriptions', {
    headers: { authorization },
    data: { model: 'parlance-async-1', file_id: v.parse(StoredFile, await sent.json()).id },
  });
  const { id } = v.parse(Transcription, await begun.json());
  await expect
    .poll(async () => {
      const answer = await page.request.get(`/v1/transcriptions/${id}`, { headers: { authorization } });
      return v.parse(Transcription, await answer.json()).status;
    })
    .toBe('completed');
  // The page hears of it.
  await expect(page.getByRole('region', { name: 'Recent transcriptions' }).getByRole('listitem')).toHaveText([
    /short\.wav.*Completed · \d+ s/,
  ]);
  await expect(page.getByRole('region', { name: 'This month' })).toContainText(/Requests\s*1/);
  await expect(page.getByRole('region', { name: 'First steps' })).toHaveCount(0);
  await page.getByRole('link', { name: /short\.wav/ }).click();
  await expect(page).toHaveURL(new RegExp(`/speech-to-text/${id}/\\?mode=async`));
});

test.describe('when the server fails', () => {
  test.use({ allowed: [/^Failed to load resource: the server responded with a status of 500/] });

  test('PRJ-03 ORG-03: a list that cannot be read can be read again, a refused key says why, a refused revocation keeps the row', async ({
    page,
  }) => {
    const failing = new Set(['GET']);
    await page.route('**/api-keys/**', async (route) => {
      if (!failing.has(route.request().method())) return route.continue();
      return refuse(route);
    });
    await openKeys(page);
    await expect(page.getByRole('alert').filter({ hasText: 'API keys could not be loaded.' })).toContainText(
      'The disk is full.',
    );
    failing.delete('GET');
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect(page.getByText('No API keys yet')).toBeVisible();

    failing.add('POST');
    await page.getByRole('button', { name: 'Create API key' }).click();
    const form = page.getByRole('dialog', { name: 'Create API key' });
    await form.getByLabel('Name').fill('Kept');
    await form.getByRole('button', { name: 'Create' }).click();
    await expect(form.getByRole('alert')).toContainText('The disk is full.');
    await expect(form.getByLabel('Name')).toHaveValue('Kept');
    failing.delete('POST');
    await form.getByRole('button', { name: 'Create' }).click();
    const secret = page.getByRole('dialog', { name: 'Your new API key' });
    await secret.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Close anyway' }).click();

    failing.add('DELETE');
    await page.getByRole('button', { name: 'Revoke Kept' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await expect(page.getByText('Error! Failed to revoke API key. The disk is full.')).toBeVisible();
    await expect(rows(page).filter({ hasText: 'Kept' })).toContainText(/Never.*Never/);
    failing.clear();
    await page.getByRole('button', { name: 'Revoke Kept' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await expect(page.getByText('No API keys yet')).toBeVisible();
  });
});
