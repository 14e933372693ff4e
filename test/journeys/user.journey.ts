import * as v from 'valibot';
import { OrganizationCreated } from '#contract/organizations.ts';
import { signInByApi } from './account.ts';
import { accountRow, expect, expectAccessible, signIn, test } from './fixtures.ts';
import { call, createAccount, NEXT_PASSWORD as NEXT, PASSWORD } from './people.ts';

const ADA = 'lovelace@example.com';

// The browser itself reports an answer outside 200–299.
test.use({ allowed: [/status of 400/] });

test('ACC-09 ERR-04 SHL-02 SHL-09 SEL-03: a person gives their name, changes their password, and keeps the organization they came from', async ({
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
  const made = async (name: string) =>
    v.parse(
      OrganizationCreated,
      await (await call(server.url, ada, 'POST', 'organizations/', { name, contact_email: ADA })).json(),
    ).organization.uuid;
  const [first, second] = [await made('First'), await made('Second')];
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
  await expectAccessible(page);

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
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: 'dark' });
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
