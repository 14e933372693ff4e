import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { StoredFile } from '#contract/files.ts';
import { Members } from '#contract/members.ts';
import { Transcription, TranscriptionPage } from '#contract/transcriptions.ts';
import { type Account, demoAccount, storeTokens } from './account.ts';
import { expect, expectAccessible, type Page, test } from './fixtures.ts';
import { clip } from './playground.ts';
import { call, createAccount, createOrganization, createProject, join } from './people.ts';

const notices = (page: Page) => page.getByRole('status').filter({ hasText: /\S/ });
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });

/** An organization of a boss with a project, and somebody who works there. */
async function company(url: string, name: string, domain: string) {
  const [boss, worker] = [await createAccount(url, `boss@${domain}`), await createAccount(url, `worker@${domain}`)];
  const orgUuid = await createOrganization(url, boss, name, `boss@${domain}`);
  const org = `organizations/${orgUuid}/`;
  const projectUuid = await createProject(url, boss, orgUuid, 'Talks');
  await join(url, { owner: boss, orgUuid, account: worker, email: `worker@${domain}` }, { role: 'admin' });
  const { users } = v.parse(Members, await (await call(url, boss, 'GET', `${org}users/`)).json());
  const uuid = users.find(({ email }) => email === `worker@${domain}`)?.uuid ?? '';
  return {
    boss,
    worker,
    org,
    projectUuid,
    member: `${org}users/${uuid}/`,
    home: `/org/${orgUuid}/`,
  };
}

async function open(page: Page, { tokens }: Account, path: string): Promise<void> {
  await storeTokens(page, tokens);
  const stream = page.waitForResponse('**/api/v2/events/');
  await page.goto(path);
  expect((await stream).request().headers()['authorization']).toBe(`Bearer ${tokens.access}`);
  expect((await stream).url()).not.toContain('?');
}

test('CON-04 CON-05: what others change is said at once, and leads to the next sensible place; what is typed stays @gate', async ({
  page,
  server,
}) => {
  const { boss, worker, org, projectUuid, member, home } = await company(server.url, 'ACME', 'acme.example');
  await open(page, worker, `${home}projects/${projectUuid}/`);
  await expect(heading(page, 'Talks')).toBeVisible();

  expect(
    (await call(server.url, boss, 'PUT', `projects/${projectUuid}/`, { name: 'Lectures', description: '' })).status,
  ).toBe(200);
  await expect(notices(page).getByText('Project Talks is now called Lectures.')).toBeVisible();
  expect((await call(server.url, boss, 'PUT', member, { role: 'billing' })).status).toBe(200);
  await expect(notices(page).getByText('Your role in ACME is now Billing.')).toBeVisible();
  await expectAccessible(page);
  expect((await call(server.url, boss, 'DELETE', `projects/${projectUuid}/`)).status).toBe(204);
  await expect(notices(page).getByText('Project Lectures was deleted.')).toBeVisible();
  await expect(page).toHaveURL(home);
  // An open list of organizations closes as the screen changes.
  await expect(heading(page, 'ACME')).toBeVisible();

  await page.getByRole('button', { name: /^Organization/ }).click();
  await page
    .getByRole('button', { name: 'Create organization' })
    .or(page.getByRole('menuitem', { name: 'Create organization' }))
    .first()
    .click();
  await page.getByRole('dialog', { name: 'Create organization' }).getByLabel('Name').fill('My own');
  expect((await call(server.url, boss, 'DELETE', member)).status).toBe(204);
  await expect(page.getByText('You were removed from ACME.')).toBeVisible();
  await expect(page.getByRole('dialog', { name: 'Create organization' }).getByLabel('Name')).toHaveValue('My own');
  expect((await call(server.url, boss, 'GET', org)).status).toBe(200);
});

test('CON-30: settings that somebody else changes meanwhile follow where nothing is typed, and saving undoes nothing unseen', async ({
  page,
  server,
}) => {
  const { boss, worker, projectUuid, home } = await company(server.url, 'Settings', 'settings.example');
  const change = async (path: string, values: object) =>
    expect((await call(server.url, boss, 'PUT', path, values)).status).toBe(200);
  const main = page.getByRole('main');
  const save = async (told: string) => {
    await main.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(notices(page).getByText(told)).toBeVisible();
  };

  await open(page, worker, `${home}projects/${projectUuid}/settings/`);
  await main.getByLabel('Description').fill('Recorded in spring.');
  await change(`projects/${projectUuid}/`, { name: 'Lectures', description: '' });
  await expect(main.getByLabel('Name')).toHaveValue('Lectures');
  await expect(main.getByLabel('Description')).toHaveValue('Recorded in spring.');
  await save('Success! Project was saved.');
  const project = () => call(server.url, boss, 'GET', `projects/${projectUuid}/`);
  expect(await (await project()).json()).toMatchObject({ name: 'Lectures', description: 'Recorded in spring.' });

  // Both type in the same field: what is replaced is told, to those who only listen as well.
  await main.getByLabel('Name').fill('Talks of spring');
  await change(`projects/${projectUuid}/`, { name: 'Spring', description: 'Recorded in spring.' });
  const told = 'Someone else changed this to “Spring” meanwhile. Saving replaces that.';
  await expect(main.getByLabel('Name')).toHaveAccessibleDescription(told);
  await expect(main.getByLabel('Name')).toHaveValue('Talks of spring');
  await expectAccessible(page);
  await main.getByLabel('Name').fill('Spring');
  await expect(main.getByText(told)).toHaveCount(0);
});

test.describe('settings that cannot be read again', () => {
  test.use({ allowed: [/503/] });

  test('CON-30: say so, keep what is typed, and follow once they can', async ({ page, server }) => {
    const { boss, worker, org, home } = await company(server.url, 'Settings', 'unread.example');
    const main = page.getByRole('main');
    await open(page, worker, `${home}settings/`);
    await expect(main.getByLabel('Name')).toHaveValue('Settings');
    await main.getByLabel('Contact e-mail').fill('office@unread.example');
    await page.route('**/api/v2/organizations/*/', (route) => route.fulfill({ status: 503, body: '' }), { times: 3 });
    await call(server.url, boss, 'PUT', org, { name: 'Set', contact_email: 'boss@unread.example' });
    const alert = main.getByRole('alert').filter({ hasText: "couldn't be loaded again" });
    await expect(alert).toBeVisible();
    await expect(main.getByLabel('Contact e-mail')).toHaveValue('office@unread.example');
    await page.unroute('**/api/v2/organizations/*/');
    await alert.getByRole('button', { name: 'Retry' }).click();
    await expect(main.getByLabel('Name')).toHaveValue('Set');
    await expect(alert).toHaveCount(0);
    await main.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(notices(page).getByText('Success! Organization was saved.')).toBeVisible();
    expect(await (await call(server.url, boss, 'GET', org)).json()).toMatchObject({
      name: 'Set',
      contact_email: 'office@unread.example',
    });
  });
});

test('CON-04 SHL-06: a project that is deleted under an unsaved form is named, holds its form, and the others can be chosen', async ({
  page,
  server,
}) => {
  const { boss, worker, org, projectUuid, home } = await company(server.url, 'Forms', 'forms.example');
  expect((await call(server.url, boss, 'POST', `${org}projects/`, { name: 'Songs', description: '' })).status).toBe(
    201,
  );
  await open(page, worker, `${home}projects/${projectUuid}/settings/`);
  const name = page.getByRole('main').getByLabel('Name');
  await name.fill('Half a name');
  expect((await call(server.url, boss, 'DELETE', `projects/${projectUuid}/`)).status).toBe(204);
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('Project Talks was deleted.');
  await expect(question).toContainText('What you typed can no longer be saved. Stay to copy it first.');
  await question.getByRole('button', { name: 'Stay' }).click();
  await expect(question).toBeHidden();
  await expect(
    page.getByRole('main').getByRole('status').filter({ hasText: 'Project Talks was deleted.' }),
  ).toContainText('You can still copy it.');
  await expect(name).toHaveValue('Half a name');
  await expect(name).toHaveAttribute('readonly', '');
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeDisabled();
  await expectAccessible(page);
  await expect(page.getByRole('button', { name: 'Create a project' })).toHaveCount(0);
  await page.getByRole('button', { name: /^Projects: / }).click();
  await page.getByRole('dialog', { name: 'Projects' }).getByRole('link', { name: 'Songs' }).click();
  await expect(question).toContainText('Project Talks was deleted.');
  await question.getByRole('button', { name: 'Leave' }).click();
  await expect(name).toHaveValue('Songs');
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeEnabled();
});

test('CON-04: the page that comes with another role, in place of what was shown, has the focus', async ({
  page,
  server,
}) => {
  const { boss, worker, member, home } = await company(server.url, 'Roles', 'roles.example');
  await open(page, worker, `${home}members/invite/`);
  await expect(page.getByLabel('E-mail')).toBeFocused();
  expect((await call(server.url, boss, 'PUT', member, { role: 'billing' })).status).toBe(200);
  await expect(page.getByText("Your role can't open this screen.")).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
});

test.describe('whose session is ended elsewhere', () => {
  test.use({ allowed: [/status of 401/] });

  test('CON-04 CON-05: a person is told so at sign-in, and led back', async ({ page, server }) => {
    const account = await demoAccount(server.url);
    await storeTokens(page, account.tokens);
    const stream = page.waitForResponse('**/api/v2/events/');
    await page.goto('/user/');
    await stream;
    expect(
      (
        await fetch(`${server.url}/api/v2/token/invalidate/`, {
          method: 'POST',
          headers: { authorization: `Bearer ${account.tokens.access}`, 'content-type': 'application/json' },
          body: JSON.stringify({ refresh: account.tokens.refresh }),
        })
      ).status,
    ).toBe(200);
    await expect(heading(page, 'Sign in')).toBeVisible();
    await expect(page).toHaveURL(/\/signin\/\?from=%2Fuser%2F/);
    await expect(
      page.getByText(
        'Your session has ended: it expired, or it was ended from another device or by a new password. Sign in again to go on where you were.',
      ),
    ).toBeVisible();
    await expect(page.getByLabel('E-mail')).toHaveAccessibleDescription(
      'Your session has ended: it expired, or it was ended from another device or by a new password. Sign in again to go on where you were.',
    );
    await expectAccessible(page);
  });
});

/** Those that earlier journeys on the same server made. */
async function forgetTranscriptions(url: string, headers: Record<string, string>): Promise<void> {
  const listed = await fetch(`${url}/v1/transcriptions?limit=1000`, { headers });
  for (const { id } of v.parse(TranscriptionPage, await listed.json()).transcriptions)
    expect((await fetch(`${url}/v1/transcriptions/${id}`, { method: 'DELETE', headers })).status).toBe(204);
}

test('CON-16: files and transcriptions of other clients come, follow their status and go @gate', async ({
  page,
  server,
}) => {
  const { tokens, playground, credential } = await demoAccount(server.url);
  const headers = { authorization: credential };
  await forgetTranscriptions(server.url, headers);
  await storeTokens(page, tokens);
  const stream = page.waitForResponse('**/api/v2/events/');
  await page.goto(`${playground}?mode=async&panel=history`);
  await stream;
  await expect(page.getByText('You have no transcriptions.')).toBeVisible();
  const form = new FormData();
  form.append('file', new Blob([readFileSync(clip('short.wav'))]), 'from-elsewhere.wav');
  const file = v.parse(
    StoredFile,
    await (await fetch(`${server.url}/v1/files`, { method: 'POST', headers, body: form })).json(),
  );
  await expect(page.getByRole('list', { name: 'Files' }).getByText('from-elsewhere.wav')).toBeVisible();
  const made = await fetch(`${server.url}/v1/transcriptions`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'stt-async-v5', file_id: file.id }),
  });
  const { id } = v.parse(Transcription, await made.json());
  const row = page
    .getByRole('list', { name: 'Transcriptions' })
    .getByRole('listitem')
    .filter({ hasText: 'from-elsewhere.wav' });
  await expect(row).toBeVisible();
  await row.getByRole('link').focus();
  await expect(row.getByText('Completed')).toBeVisible({ timeout: 60_000 });
  await expect(row.getByRole('link')).toBeFocused();
  expect((await fetch(`${server.url}/v1/transcriptions/${id}`, { method: 'DELETE', headers })).status).toBe(204);
  await expect(row).toBeHidden();
  // It had the focus, and no other row is there to take it.
  await expect(page.getByRole('group', { name: 'Transcriptions' })).toBeFocused();
  expect((await fetch(`${server.url}/v1/files/${file.id}`, { method: 'DELETE', headers })).status).toBe(204);
  await expect(page.getByRole('list', { name: 'Files' }).getByText('from-elsewhere.wav')).toBeHidden();
});
