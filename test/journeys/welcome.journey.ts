import * as v from 'valibot';
import { OrganizationDeletion, Welcome } from '#contract/organizations.ts';
import { expect, expectAccessible, test } from './fixtures.ts';
import { call, createAccount, PASSWORD } from './people.ts';
import { storeTokens } from './account.ts';

test('ONB-03, NAV-01, LED-05: after the last organization, sign-in offers to make one and names the starting credit @gate', async ({
  page,
  server,
}) => {
  const email = 'alone@example.com';
  const account = await createAccount(server.url, email);
  const { organization_uuid } = v.parse(
    Welcome,
    await (await call(server.url, account, 'POST', 'user/welcome/', {})).json(),
  );
  const path = `organizations/${organization_uuid}/`;
  const { balance_micros } = v.parse(
    OrganizationDeletion,
    await (await call(server.url, account, 'GET', `${path}deletion/`)).json(),
  );
  expect((await call(server.url, account, 'DELETE', `${path}?lost_micros=${balance_micros}`)).status).toBe(204);

  await page.goto('/signin/');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(/\/welcome\/$/);
  await expect(page.getByRole('heading', { level: 1, name: 'Welcome to Parlance' })).toBeVisible();
  const create = page.getByRole('main').getByRole('button', { name: 'Create organization' });
  await expect(create).toBeVisible();
  await expectAccessible(page);
  await page.goto('/');
  await expect(page.getByRole('main').getByRole('alert')).toContainText('Failed to load organization data.');
  await expect(page.getByRole('link', { name: /Parlance\s*Console/ })).toHaveAttribute('href', '/welcome/');
  await expect(create).toBeVisible();

  await page.goto('/welcome/');
  await create.click();
  const dialog = page.getByRole('dialog', { name: 'Create organization' });
  await expect(dialog).toContainText('You get the starting credit once');
  await dialog.getByLabel('Name').fill('Archive');
  await dialog.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Archive' })).toBeVisible();
  await page.goto('/welcome/');
  await expect(page).toHaveURL(/\/org\/[0-9a-f-]{36}\/$/);
});

test.describe('where the first project cannot be made', () => {
  test.use({ allowed: [/net::ERR_FAILED/] });
  test('ONB-02: it is said, and Retry makes it', async ({ page, server }) => {
    const account = await createAccount(server.url, 'unlucky@example.com');
    await storeTokens(page, account.tokens);
    await page.route('**/api/v2/user/welcome/', (route) => route.abort(), { times: 1 });
    await page.goto('/welcome/');
    await expect(page.getByRole('main').getByRole('alert')).toBeVisible();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect(page).toHaveURL(/\/playground\/speech-to-text\/\?mode=async$/);
    await expect(page.getByRole('navigation', { name: 'Breadcrumb' })).toHaveText(
      /^Personal.*My first project.*Speech-to-Text$/,
    );
  });
});
