import { readFile } from 'node:fs/promises';
import { strFromU8, unzipSync } from 'fflate';
import * as v from 'valibot';
import { EXPORT_FILES } from '#contract/account-export.ts';
import { User } from '#contract/accounts.ts';
import { type Account, signInByApi } from './account.ts';
import { accountRow, expect, expectAccessible, signIn, test, showIn } from './fixtures.ts';
import { call, createAccount, createOrganization, join, NEXT_PASSWORD as NEXT, PASSWORD } from './people.ts';

const ADA = 'lovelace@example.com';

// The browser itself reports an answer outside 200–299.
test.use({ allowed: [/status of 400|ERR_CONNECTION_RESET/] });

test('ACC-09 ERR-04 SHL-02: a person gives their name, changes their password, and keeps the organization they came from @gate', async ({
  page,
  server,
}) => {
  const ada = await createAccount(server.url, ADA);
  await signIn(page, { email: ADA, password: PASSWORD, path: '/' });
  await expect(
    page.getByText(
      'Failed to load organization data. Make sure you have a valid project id. If the problem persists contact support.',
    ),
  ).toBeVisible();
  const [first, second] = [
    await createOrganization(server.url, ada, 'First', ADA),
    await createOrganization(server.url, ada, 'Second', ADA),
  ];
  await page.goto(`/org/${second}/`);

  await accountRow(page).click();
  await page.getByRole('menuitem', { name: 'Manage your account' }).click();
  await expect(page).toHaveURL(new RegExp(`\\?poi=${second}$`));
  const logo = page.getByRole('link', { name: /Parlance\s*Console/ });
  await expect(logo).toHaveAttribute('href', `/org/${second}/`);
  await page.reload();
  await expect(logo).toHaveAttribute('href', `/org/${second}/`);
  await page.goto(`/user/settings/?poi=${first}`);
  await expect(logo).toHaveAttribute('href', `/org/${first}/`);
  await page.goto('/user/settings/?poi=00000000-0000-4000-8000-000000000000');
  await expect(logo).toHaveAttribute('href', `/org/${first}/`);
  await page.goto(`/user/settings/?poi=${second}`);

  await page.getByLabel('Your name').fill(' Ada Lovelace ');
  await page.getByRole('button', { name: 'Save name' }).click();
  await expect(page.getByText('Success! Your name was saved.')).toBeVisible();
  await expect(page.getByLabel('Your name')).toHaveValue('Ada Lovelace');
  await page.reload();
  await expect(page.getByLabel('Your name')).toHaveValue('Ada Lovelace');
  await expect(page.getByRole('main')).toContainText(ADA);

  const elsewhere = await signInByApi(server.url, { email: ADA, password: PASSWORD });
  const [current, wanted, again] = [
    page.getByLabel('Current password'),
    page.getByLabel('New password', { exact: true }),
    page.getByLabel('New password again'),
  ];
  const change = page.getByRole('button', { name: 'Change password' });
  await change.click();
  await expect(current).toHaveAccessibleDescription('Please enter your current password.');
  await expect(current).toBeFocused();
  await current.fill('not this one');
  await wanted.fill(NEXT);
  await again.fill(`${NEXT}!`);
  await change.click();
  await expect(again).toHaveAccessibleDescription('The passwords are not the same.');
  await again.fill(NEXT);
  const refused = page.waitForResponse((answer) => answer.url().endsWith('/user/password/') && answer.status() === 400);
  await change.click();
  const { message } = v.parse(v.object({ message: v.string() }), await (await refused).json());
  await expect(current).toHaveAccessibleDescription(message);
  await expect(current).toBeFocused();
  await expect(wanted).toHaveValue(NEXT);
  await showIn(page, { width: 360, height: 740, colorScheme: 'dark' });
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  await current.fill(PASSWORD);
  await change.click();
  await expect(page.getByText('Success! Your password was changed. You are signed out everywhere else.')).toBeVisible();
  await expect(current).toHaveValue('');

  // The other session has ended, this one has not.
  expect((await call(server.url, elsewhere, 'GET', 'user/')).status).toBe(401);
  await page.reload();
  await expect(page.getByLabel('Your name')).toHaveValue('Ada Lovelace');
  await expect(signInByApi(server.url, { email: ADA, password: PASSWORD })).rejects.toThrow('cannot sign in');
  await signInByApi(server.url, { email: ADA, password: NEXT });
});

test('PPL-10: a person reads what is known of them, takes it home as an archive, and is told where that fails', async ({
  page,
  server,
}) => {
  const email = 'hopper@example.com';
  await createAccount(server.url, email);
  await signIn(page, { email, password: PASSWORD, path: '/user/' });
  const data = page.getByRole('region', { name: 'Your data' });
  for (const { what } of EXPORT_FILES) await expect(data.getByText(what)).toBeVisible();
  const button = data.getByRole('button', { name: 'Download ZIP' });

  await page.route('**/api/v2/user/export/', (route) => route.abort('connectionreset'));
  await button.click();
  await expect(data.getByText('Your data could not be downloaded.')).toBeVisible();
  await expectAccessible(page);
  await page.unroute('**/api/v2/user/export/');

  const coming = page.waitForEvent('download');
  await button.click();
  const file = await coming;
  expect(file.suggestedFilename()).toMatch(/^my-data-\d{4}-\d\d-\d\d\.zip$/);
  await expect(data.getByText('Your data could not be downloaded.')).toBeHidden();
  const archive = unzipSync(await readFile(await file.path()));
  expect(Object.keys(archive)).toEqual(['README.txt', ...EXPORT_FILES.map(({ name }) => name)]);
  expect(JSON.parse(strFromU8(archive['profile.json'] ?? new Uint8Array()))).toMatchObject({ email });
});

test('PPL-01 PPL-02 PPL-06: a person hands over their organization, deletes their account, and signs up anew', async ({
  page,
  context,
  server,
}) => {
  const email = 'grace@example.com';
  const [grace, heir] = [await createAccount(server.url, email), await createAccount(server.url, 'heir@example.com')];
  const orgUuid = await createOrganization(server.url, grace, 'Compilers', email);
  await join(server.url, { owner: grace, orgUuid, account: heir, email: 'heir@example.com' }, { role: 'admin' });

  await signIn(page, { email, password: PASSWORD, path: '/user/' });
  const other = await context.newPage();
  await other.goto('/user/');
  await expect(other.getByRole('heading', { name: 'Delete your account' })).toBeVisible();
  const open = page.getByRole('button', { name: 'Delete account' });
  await open.click();
  const dialog = page.getByRole('dialog', { name: 'Delete your account?' });
  await expect(dialog).toContainText('Compilers');
  await expect(dialog).toContainText('One more person belongs to it.');
  await dialog.getByRole('link', { name: 'Choose an owner' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Members' })).toBeVisible();
  await page.goBack();
  await open.click();
  await expect(dialog).toContainText('Compilers');
  await call(server.url, grace, 'PUT', `organizations/${orgUuid}/users/${await userIdOf(server.url, heir)}/`, {
    role: 'owner',
  });
  await dialog.getByRole('button', { name: 'Check again' }).click();

  const typed = dialog.getByLabel('Type your e-mail address to confirm');
  await expect(typed).toBeVisible();
  await typed.fill('somebody@example.com');
  const confirm = dialog.getByRole('button', { name: 'Delete account' });
  await confirm.click();
  await expect(typed).toHaveAccessibleDescription(/Type the e-mail address/);
  await typed.fill(email);
  const password = dialog.getByLabel('Your password');
  await password.fill('not this one');
  await confirm.click();
  await expect(password).toHaveAccessibleDescription('The password is wrong.');
  await password.fill(PASSWORD);
  await confirm.click();

  const signOutReason = 'Your account was deleted.';
  await expect(page.getByText(signOutReason)).toBeVisible();
  await expect(page).toHaveURL(/\/signin\/$/);
  await expect(other).toHaveURL(/\/signin\//);
  await expect(signInByApi(server.url, { email, password: PASSWORD })).rejects.toThrow('cannot sign in');
  const anew = await createAccount(server.url, email);
  expect(await (await call(server.url, anew, 'GET', 'user/organizations/')).json()).toEqual({ organizations: [] });
});

const userIdOf = async (url: string, account: Account): Promise<string> =>
  v.parse(User, await (await call(url, account, 'GET', 'user/')).json()).uuid;
