import * as v from 'valibot';
import { Memberships } from '#contract/organizations.ts';
import { signInByApi } from './account.ts';
import { DEMO_EMAIL, expect, expectAccessible, isGate, type Page, showIn, test } from './fixtures.ts';
import { call, createAccount, linkTo, NEXT_PASSWORD, PASSWORD } from './people.ts';

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const password = (page: Page) => page.getByLabel('Password', { exact: true });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const follow = (page: Page, name: string) => page.getByRole('main').getByRole('link', { name, exact: true }).click();

/** Has the next of these calls refused. */
const refuseNext = (page: Page, calls: string, status: number, error_type: string) =>
  page.route(
    calls,
    (route) =>
      route.fulfill({
        status,
        json: { status_code: status, error_type, message: 'Not now.', validation_errors: [], request_id: 'r-1' },
      }),
    { times: 1 },
  );

// The browser itself reports an answer outside 200–299.
test.use({ allowed: [/status of 4(0[04]|29)|net::ERR_FAILED/] });

test('ACC-05, ACC-06: a lost password is replaced by a link, which works once; and nobody learns who has an account @gate', async ({
  page,
  server,
}) => {
  const email = 'rita@example.org';
  await createAccount(server.url, email);
  await showIn(page, { width: 360, height: 740, colorScheme: 'dark' });
  await page.goto('/signin/');
  await expect(page.getByRole('button', { name: 'Continue with single sign-on' })).toHaveCount(0);
  // What comes late may not come.
  const late = '**/assets/{visitor,VisitorScreens}-*.js';
  await page.route(late, (route) => route.abort());
  await follow(page, 'Forgot your password?');
  await expect(page.getByRole('alert').filter({ hasText: 'Part of the console couldn’t be loaded.' })).toBeVisible();
  await expectAccessible(page);
  await page.unroute(late);
  await press(page, 'Retry');
  await expect(heading(page, 'Recover your password')).toBeVisible();
  await expect(page.getByLabel('E-mail')).toBeFocused();

  await page.getByLabel('E-mail').fill('nobody@example.org');
  await press(page, 'Get a link');
  await expect(heading(page, 'Ask your administrator for the link')).toBeFocused();
  await expect(page.getByRole('main')).toContainText('If nobody@example.org has an account');
  await press(page, 'Use another address');
  await page.getByLabel('E-mail').fill(email);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toContainText(`If ${email} has an account`);

  await expect.poll(() => linkTo(server.url, email, 'password')).toBeDefined();
  const link = (await linkTo(server.url, email, 'password')) ?? '';
  await page.goto(link);
  await expect(page.getByText(`Choose a new password for ${email}.`)).toBeVisible();
  await expectAccessible(page);
  await password(page).fill('short');
  await press(page, 'Set password');
  await expect(password(page)).toHaveAccessibleDescription(/must be at least 12/);
  await password(page).fill(NEXT_PASSWORD);
  await press(page, 'Set password');
  // The first time in: what a new account begins with is made now.
  await expect(page).toHaveURL(/\/playground\/speech-to-text\/\?mode=async$/);

  await page.goto(link);
  await expect(heading(page, 'This link has been used')).toBeFocused();
  await expectAccessible(page);
  await follow(page, 'Sign in');
  // Still signed in by the first use.
  await expect(heading(page, 'Personal')).toBeVisible();
  await page.goto('/password/0123456789/');
  await expect(heading(page, 'This link is not valid')).toBeVisible();
  await follow(page, 'Recover your password');
  await expect(page).toHaveURL(/\/password\/recover\/$/);
  await expect(signInByApi(server.url, { email, password: PASSWORD })).rejects.toThrow('cannot sign in');
  await signInByApi(server.url, { email, password: NEXT_PASSWORD });
});

test('ACC-10, CON-10: an invitation is accepted by somebody new, and by one who must sign in instead of somebody else @gate', async ({
  page,
  server,
}) => {
  const owner = await signInByApi(server.url);
  const listed = v.parse(Memberships, await (await call(server.url, owner, 'GET', 'user/organizations/')).json());
  const organization = listed.organizations[0]?.organization ?? { uuid: '', name: '' };
  const invite = async (email: string) => {
    expect(
      (await call(server.url, owner, 'POST', `organizations/${organization.uuid}/invite/`, { email, role: 'member' }))
        .status,
    ).toBe(201);
    return (await linkTo(server.url, email, 'invite')) ?? '';
  };

  // Somebody who has no account.
  const forNora = await invite('nora@example.org');
  await page.goto(forNora);
  await expect(heading(page, `Join ${organization.name}`)).toBeFocused();
  await expect(page.getByRole('main')).toContainText(
    `${DEMO_EMAIL} invites you to join ${organization.name} as a member. The invitation is for nora@example.org.`,
  );
  await follow(page, 'Create account');
  await expect(page).toHaveURL(/\/signup\/\?from=%2Finvite%2F/);
  // CON-10: as the invitation has it.
  await expect(page.getByLabel('E-mail')).toHaveValue('nora@example.org');
  await page.reload();
  await expect(page.getByLabel('E-mail')).toHaveValue('nora@example.org');
  await press(page, 'Sign up');
  await expect(heading(page, 'Ask your administrator for the link')).toBeVisible();
  await page.goto((await linkTo(server.url, 'nora@example.org', 'signup')) ?? '');
  await password(page).fill(PASSWORD);
  await press(page, 'Activate account');
  await expect(heading(page, `Join ${organization.name}`)).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`${forNora}$`));
  await expectAccessible(page);
  await refuseNext(page, '**/organizations/invite/*/', 429, 'limit_exceeded');
  await press(page, 'Accept invitation');
  await expect(page.getByRole('main').getByRole('alert')).toContainText('Not now.');
  await press(page, 'Accept invitation');
  await expect(page).toHaveURL(new RegExp(`/org/${organization.uuid}/$`));
  await expect(heading(page, organization.name)).toBeVisible();

  // Somebody else's, for one who has an account.
  await createAccount(server.url, 'omar@example.org');
  const forOmar = await invite('omar@example.org');
  await showIn(page, { width: 360, height: 740, colorScheme: 'dark' });
  await page.goto(forOmar);
  await expect(heading(page, 'This invitation is for someone else')).toBeFocused();
  await expect(page.getByRole('main')).toContainText(
    'It is for omar@example.org, and you are signed in as nora@example.org.',
  );
  await expect(page.getByRole('link', { name: 'Stay signed in' })).toHaveAttribute('href', '/');
  await expectAccessible(page);
  await press(page, 'Sign out and continue');
  await expect(heading(page, `Join ${organization.name}`)).toBeFocused();
  await follow(page, 'Sign in');
  await expect(page).toHaveURL(/\/signin\/\?from=%2Finvite%2F/);
  await expect(page.getByLabel('E-mail')).toHaveValue('omar@example.org');
  await password(page).fill(PASSWORD);
  await press(page, 'Sign in');
  await press(page, 'Accept invitation');
  await expect(page).toHaveURL(new RegExp(`/org/${organization.uuid}/$`));
  await expect(heading(page, organization.name)).toBeVisible();

  if (isGate) return;

  await page.goto(forOmar);
  await expect(heading(page, 'This invitation has been accepted')).toBeFocused();
  await expectAccessible(page);
  await follow(page, 'Open the console');
  await expect(heading(page, organization.name)).toBeVisible();
  await page.goto('/invite/0123456789/');
  await expect(heading(page, 'This invitation is not valid')).toBeVisible();
});

test('ACC-02, ACC-03, ACC-10: what fails on the way to an account is said where one stands, and can be tried again', async ({
  page,
}) => {
  const alert = page.getByRole('main').getByRole('alert');
  await refuseNext(page, '**/api/v2/signup/verify-email/', 429, 'limit_exceeded');
  await page.goto('/signup/?from=%2Fuser%2F');
  await expect(page.getByRole('link', { name: 'Sign in' })).toHaveAttribute('href', '/signin/?from=%2Fuser%2F');
  await page.getByLabel('E-mail').fill('late@example.org');
  await press(page, 'Sign up');
  await expect(alert).toContainText('Not now.');
  await press(page, 'Sign up');
  await expect(heading(page, 'Ask your administrator for the link')).toBeVisible();
  await refuseNext(page, '**/api/v2/signup/verify-email/', 429, 'limit_exceeded');
  await press(page, 'Get another link');
  await expect(alert).toContainText('Not now.');
  await press(page, 'Get another link');
  await expect(alert).toHaveCount(0);

  // Links that cannot be read, and then turn out to have expired.
  for (const [address, calls, name] of [
    ['/signup/a-token/', '**/api/v2/signup/a-token/', 'This link has expired'],
    ['/invite/a-token/', '**/api/v2/organizations/invite/a-token/', 'This invitation has expired'],
  ] as const) {
    await page.route(calls, (route) => route.abort(), { times: 1 });
    await page.goto(address);
    await expect(alert).toContainText('Something went wrong.');
    await refuseNext(page, calls, 400, 'token_expired');
    await press(page, 'Try again');
    await expect(heading(page, name)).toBeFocused();
  }
});
