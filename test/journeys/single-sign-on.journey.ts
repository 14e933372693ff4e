import { type Idp, startIdp } from '../idp.ts';
import { DEMO_EMAIL, expect, expectAccessible, type Page, signOut, test as base, showIn } from './fixtures.ts';
import { ConsoleServer } from './server.ts';

const NEWCOMER = 'nia@example.org';
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const signOn = (page: Page) => press(page, 'Continue with single sign-on');

const test = base.extend<object, { idp: Idp }>({
  idp: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads a fixture's dependencies from this pattern
    async ({}, use) => {
      const idp = await startIdp({
        accounts: [
          { sub: 'demo', email: DEMO_EMAIL, email_verified: true, name: 'Demo' },
          { sub: 'nia', email: NEWCOMER, email_verified: true, name: 'Nia New' },
        ],
      });
      await use(idp);
      await idp.close();
    },
    { scope: 'worker' },
  ],
  server: [
    async ({ idp }, use) => {
      const server = await ConsoleServer.launch({ settings: idp.settings });
      await use(server);
      await server.dispose();
    },
    { scope: 'worker' },
  ],
});

// The browser itself reports an answer outside 200–299; 401 gets what the dashboard still asks as the session ends.
test.use({ allowed: [/status of 40[014]/] });

test('ACC-07, CON-08, ONB-02: by an identity provider: somebody known, somebody new, and one who thinks better of it @gate', async ({
  page,
  context,
  server,
}) => {
  await page.goto('/user/settings/?poi=x');
  await expect(page).toHaveURL(/\/signin\/\?from=/);
  await expectAccessible(page);
  await signOn(page);
  await expect(heading(page, 'Who are you?')).toBeVisible();
  await press(page, DEMO_EMAIL);
  await press(page, 'Allow');
  await expect(heading(page, 'Your account')).toBeVisible();
  await expect(page).toHaveURL(/\/user\/settings\/\?poi=x/);
  await page.goto('/');
  await signOut(page);
  await expect(heading(page, 'Sign in')).toBeVisible();

  // The provider knows them still, and asks nothing.
  await context.clearCookies();
  await showIn(page, { width: 360, height: 740, colorScheme: 'dark' });
  await page.goto('/signup/');
  await signOn(page);
  await press(page, NEWCOMER);
  await press(page, 'Allow');
  await expect(heading(page, 'Create your account?')).toBeFocused();
  await expect(page).toHaveURL(`${server.url}/sso/callback/`);
  await expect(page.getByRole('main')).toContainText(`There is no account yet for Nia New (${NEWCOMER}).`);
  await expectAccessible(page);
  // Neither the answer in the address nor what was read from it is lost with the page.
  await page.reload();
  await expect(heading(page, 'Create your account?')).toBeFocused();
  await expect(page.getByRole('main')).toContainText(`There is no account yet for Nia New (${NEWCOMER}).`);
  await press(page, 'Create account');
  await expect(page).toHaveURL(/\/playground\/speech-to-text\/\?mode=async$/);
  await expect(page.getByRole('navigation', { name: 'Breadcrumb' })).toHaveText(/My first project.*Speech-to-Text$/);

  expect(await page.evaluate(() => Object.keys(sessionStorage))).toEqual([]);
  await context.clearCookies();
  await page.evaluate(() => localStorage.removeItem('jwt'));
  await page.goto('/signin/');
  await signOn(page);
  await press(page, 'Cancel');
  await expect(heading(page, 'Sign-in failed')).toBeFocused();
  await expect(page.getByRole('alert')).toBeVisible();
  await expect(page).toHaveURL(`${server.url}/sso/callback/`);
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Back to sign in' }).click();
  await expect(heading(page, 'Sign in')).toBeVisible();
  await page.goto('/sso/callback/');
  await expect(heading(page, 'This sign-in link is incomplete')).toBeFocused();
  await expectAccessible(page);
});
