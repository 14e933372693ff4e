import { DEMO_EMAIL, DEMO_PASSWORD, expect, expectAccessible, signIn, signOut, test } from './fixtures.ts';
import { linkTo, PASSWORD } from './people.ts';

test.describe('signing in', () => {
  test.describe('with a wrong password', () => {
    // The browser itself reports an answer outside 200–299.
    test.use({ allowed: [/status of 40[01]/] });
    test('ACC-01, SES-07: a wrong password shows the server’s text in an alert; the right one leads to the target page @gate', async ({
      page,
    }) => {
      await page.goto('/user/settings/?poi=x');
      await expect(page).toHaveURL(/\/signin\/\?from=%2Fuser%2Fsettings%2F%3Fpoi%3Dx$/);
      await expect(page.getByRole('main').getByRole('link', { name: 'Create an account' })).toHaveAttribute(
        'href',
        '/signup/?from=%2Fuser%2Fsettings%2F%3Fpoi%3Dx',
      );
      await page.getByLabel('E-mail').fill(DEMO_EMAIL);
      await page.getByLabel('Password', { exact: true }).fill('not this one');
      const answer = page.waitForResponse('**/api/v2/token/');
      await page.getByRole('button', { name: 'Sign in' }).click();
      const { message } = (await (await answer).json()) as { message: string };
      await expect(page.getByRole('alert')).toContainText(message);
      await expect(page.getByLabel('E-mail')).toHaveValue(DEMO_EMAIL);
      await page.getByLabel('Password', { exact: true }).fill(DEMO_PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect(page).toHaveURL(/\/user\/settings\/\?poi=x$/);
      await expect(page.getByRole('heading', { level: 1, name: 'Your account' })).toBeVisible();
    });
  });

  test('ORG-02, SES-07, ONB-03: errors appear at their fields on submit, and go with a change; a target elsewhere is refused', async ({
    page,
    server,
  }) => {
    await page.goto(`/signin/?from=${encodeURIComponent('//elsewhere.example/')}`);
    await expect(page.getByLabel('E-mail')).toBeFocused();
    await page.getByRole('button', { name: 'Sign in' }).click();
    const email = page.getByLabel('E-mail');
    await expect(email).toHaveAccessibleDescription('Please enter your e-mail address.');
    await expect(email).toBeFocused();
    // The same error again leads there again.
    await page.getByRole('button', { name: 'Sign in' }).focus();
    await page.keyboard.press('Enter');
    await expect(email).toBeFocused();
    await email.fill('a');
    await expect(page.getByText('Please enter your e-mail address.')).toBeHidden();
    await expect(page.getByText('Please enter your password.')).toBeVisible();
    await email.fill(DEMO_EMAIL);
    await page.getByLabel('Password', { exact: true }).fill(DEMO_PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page).toHaveURL(new RegExp(`^${server.url}/org/[0-9a-f-]{36}/$`));
  });
});

test.describe('signing up', () => {
  test.use({ allowed: [/status of 40[04]/] });

  test('ACC-02, ACC-03, ONB-02: from the e-mail to the first project; the link works once @gate', async ({
    page,
    server,
  }) => {
    const email = 'ada@example.org';
    await page.goto('/signup/');
    await page.getByLabel('E-mail').fill(email);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await expect(page.getByRole('heading', { name: 'Ask your administrator for the link' })).toBeVisible();
    const path = (await linkTo(server.url, email, 'signup')) ?? '';

    await page.goto(path);
    await expect(page.getByText(email)).toBeVisible();
    await page.getByLabel('Password', { exact: true }).fill('short');
    await page.getByRole('button', { name: 'Activate account' }).click();
    await expect(page.getByLabel('Password', { exact: true })).toHaveAccessibleDescription(/must be at least 12/);
    await expectAccessible(page);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Activate account' }).click();

    await expect(page).toHaveURL(/\/playground\/speech-to-text\/\?mode=async$/);
    await expect(page.getByRole('navigation', { name: 'Breadcrumb' })).toHaveText(
      /^Personal.*My first project.*Speech-to-Text$/,
    );

    await signOut(page);
    await expect(page).toHaveURL(/\/signin\/$/);
    await page.goto(path);
    await expect(page.getByRole('heading', { name: 'This link has been used' })).toBeVisible();
    await expect(page.getByRole('main').getByRole('link', { name: 'Sign in' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Recover your password' })).toBeVisible();
    await expectAccessible(page);
  });

  test('ACC-03, ACC-04: an unknown link offers a new e-mail, with the same answer whether or not the account exists', async ({
    page,
  }) => {
    await page.goto('/signup/0123456789abcdef/');
    await expect(page.getByRole('heading', { name: 'This link is not valid' })).toBeVisible();
    await page.getByRole('link', { name: 'Resend activation e-mail' }).click();
    await expect(page).toHaveURL(/\/signup\/resend-activation-email\/$/);
    for (const email of [DEMO_EMAIL, 'nobody@example.org']) {
      await page.getByLabel('E-mail').fill(email);
      await page.getByRole('button', { name: 'Get a link' }).click();
      await expect(page.getByRole('heading', { name: 'Ask your administrator for the link' })).toBeVisible();
      await expect(page.getByRole('main')).toContainText(`If ${email} can sign up`);
      await page.getByRole('button', { name: 'Use another address' }).click();
    }
  });
});

test('SES-08: signing out goes to sign-in and ends the session on the server, and Back does not undo it @gate', async ({
  page,
}) => {
  await signIn(page);
  const kept = await page.evaluate(() => localStorage.getItem('jwt'));
  const { refresh } = JSON.parse(kept ?? '{}') as { refresh: string };
  const call = page.waitForResponse('**/api/v2/token/invalidate/');
  await signOut(page);
  expect((await call).status()).toBe(200);
  await expect(page).toHaveURL(/\/signin\//);
  const csrf = await page.locator('[name=csrfmiddlewaretoken]').inputValue();
  const renewal = await page.request.post('/api/v2/token/refresh/', {
    data: { refresh },
    headers: { 'x-csrftoken': csrf },
  });
  expect(renewal.status()).toBe(401);
  expect(await page.evaluate(() => localStorage.getItem('jwt'))).toBeNull();
  await page.goBack();
  await expect(page).toHaveURL(/\/signin\//);
});
