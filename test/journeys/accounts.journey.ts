import { DEMO_EMAIL, DEMO_PASSWORD, expect, expectAccessible, signIn, signOut, test, type Page } from './fixtures.ts';
import { PASSWORD } from './people.ts';
import { readOutbox } from './server.ts';

/** The link of the newest mail to an address, from the outbox page. */
async function activationPath(page: Page, email: string): Promise<string> {
  let path: string | undefined;
  await expect
    .poll(async () => {
      const outbox = await readOutbox(new URL((await page.request.get('/readyz')).url()).origin);
      const mail = outbox.split('<article').find((part) => part.includes(`To ${email},`));
      path = mail?.match(/https?:\/\/[^/"]+(\/signup\/[^"<]+)/)?.[1];
      return path;
    })
    .toBeDefined();
  return path ?? '';
}

async function askForAccount(page: Page, email: string): Promise<void> {
  await page.goto('/signup/');
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Sign up' }).click();
  await expect(page.getByRole('heading', { name: 'Ask your administrator for the link' })).toBeVisible();
}

test.describe('signing in', () => {
  test.describe('with a wrong password', () => {
    // The browser itself reports an answer outside 200–299.
    test.use({ allowed: [/status of 40[01]/] });
    test('ACC-01, SES-07: a wrong password is told in a red alert with the server’s text; the right one leads where the person was going @gate', async ({
      page,
    }) => {
      await page.goto('/user/settings/?poi=x');
      await expect(page).toHaveURL(/\/signin\/\?from=%2Fuser%2Fsettings%2F%3Fpoi%3Dx$/);
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

  test('ORG-02, SES-07, ONB-03: what is missing is said on submit, at the field, and goes when the field changes; a way back to elsewhere is refused', async ({
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

  test('ACC-02, ACC-03, ORG-01, PRJ-01, ONB-02: from the e-mail to the first project; the link works once @gate', async ({
    page,
  }) => {
    const email = 'ada@example.org';
    await askForAccount(page, email);
    const path = await activationPath(page, email);

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
    await page.goto('/user/');
    await page.getByRole('main').getByRole('button', { name: 'Create organization' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create organization' });
    await expect(dialog.getByLabel('Contact e-mail')).toHaveValue(email);
    await dialog.getByLabel('Contact e-mail').fill('nobody');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await expect(dialog.getByText("Name can't be empty.")).toBeVisible();
    await expect(dialog.getByText('Please enter a email address.')).toBeVisible();
    await dialog.getByLabel('Name').fill('Analytical Engines');
    await dialog.getByLabel('Contact e-mail').fill(email);
    await expect(dialog.getByText("Name can't be empty.")).toBeHidden();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await expect(page).toHaveURL(/\/org\/[0-9a-f-]{36}\/$/);
    await expect(page.getByRole('heading', { level: 1, name: 'Analytical Engines' })).toBeVisible();

    await page.getByRole('main').getByRole('button', { name: 'Create project' }).click();
    const project = page.getByRole('dialog', { name: 'Create project' });
    await project.getByRole('button', { name: 'Create', exact: true }).click();
    await expect(project.getByText("Name can't be empty.")).toBeVisible();
    await project.getByLabel('Name').fill('Note G');
    await project.getByLabel('Description').fill('x'.repeat(1025));
    await project.getByRole('button', { name: 'Create', exact: true }).click();
    await expect(project.getByText('Description must be at most 1024 characters.')).toBeVisible();
    await project.getByLabel('Description').fill('');
    await project.getByRole('button', { name: 'Create', exact: true }).click();
    await expect(page).toHaveURL(/\/projects\/[0-9a-f-]{36}\/$/);
    await expect(page.getByRole('heading', { level: 1, name: 'Note G' })).toBeVisible();

    await signOut(page);
    await expect(page).toHaveURL(/\/signin\/$/);
    await page.goto(path);
    await expect(page.getByRole('heading', { name: 'This link has been used' })).toBeVisible();
    await expect(page.getByRole('main').getByRole('link', { name: 'Sign in' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Recover your password' })).toBeVisible();
    await expectAccessible(page);
  });

  test('ACC-03, ACC-04: an unknown link says so and offers a new e-mail, of which the answer is the same for an account that exists and for none', async ({
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
