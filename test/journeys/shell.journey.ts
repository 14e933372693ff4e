import { hold } from './failures.ts';
import {
  accountRow,
  DEMO_EMAIL,
  enter,
  expect,
  expectAccessible,
  isGate,
  signIn,
  test,
  type Page,
  pressEscape,
  showIn,
} from './fixtures.ts';
import { call, createAccount, PASSWORD } from './people.ts';

const ORGANIZATION = 'Demo organization';
const PROJECT = 'First project';
const side = (page: Page) => page.getByRole('navigation', { name: 'Console' });

async function createOrganization(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /^Organizations/ }).click();
  await page.getByRole('button', { name: 'Create organization' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
}

async function openAccount(page: Page): Promise<void> {
  await accountRow(page).click();
  await page.getByRole('menuitem', { name: 'Manage your account' }).click();
}

/** Of the organization that a playground belongs to. */
const homeOf = (playground = '') => playground.replace(/projects\/.*/, '');

test('NAV-01, NAV-08, UXP-42: home is the first organization; title, breadcrumb and logo follow the screen @gate', async ({
  page,
}) => {
  await enter(page);
  await test.step('SHL-12: a loader while the console loads', async () => {
    const release = await hold(page, '**/api/v2/user/');
    await page.goto('/');
    await expect(page.getByRole('heading', { name: 'Loading…' })).toBeAttached();
    await expect(accountRow(page)).toBeHidden();
    await expectAccessible(page);
    release();
  });
  await expect(page).toHaveURL(/\/org\/[0-9a-f-]{36}\/$/);
  const breadcrumb = page.getByRole('navigation', { name: 'Breadcrumb' });
  const steps = breadcrumb.getByRole('listitem');
  await expect(steps).toHaveText([ORGANIZATION]);
  await expect(page).toHaveTitle(/^Dashboard · Demo organization/);
  const home = new URL(page.url()).pathname;
  const logo = page.getByRole('link', { name: /Parlance\s*Console/ });
  await expect(logo).toHaveAttribute('href', home);

  await side(page).getByRole('link', { name: 'Project home' }).click();
  await expect(page.getByRole('heading', { level: 1, name: PROJECT })).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await expect(steps).toHaveText([ORGANIZATION, PROJECT]);
  await expect(breadcrumb.locator('[aria-current=page]')).toHaveText(PROJECT);
  await expect(page).toHaveTitle(/^Project · First project/);

  await test.step('SHL-02 SHL-03 SHL-09: the page of an account is of a person, and leads back to the organization', async () => {
    await openAccount(page);
    await expect(page).toHaveURL(/\/user\/\?poi=[0-9a-f-]{36}$/);
    await expect(steps).toHaveText([DEMO_EMAIL, 'Your account']);
    await expect(page).toHaveTitle(/^Your account/);
    await expect(logo).toHaveAttribute('href', home);
    await expect(page.getByText('D', { exact: true })).toBeVisible();
  });
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1, name: PROJECT })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1, name: ORGANIZATION })).toBeVisible();
  await page.goForward();
  await expect(page.getByRole('heading', { level: 1, name: PROJECT })).toBeVisible();
  await breadcrumb.getByRole('link', { name: ORGANIZATION }).click();
  await expect(page.getByRole('heading', { level: 1, name: ORGANIZATION })).toBeVisible();
});

test.describe('without a network', () => {
  test.use({ allowed: [/ERR_INTERNET_DISCONNECTED/] });

  test('UXP-41: a banner says so, the page stays, and what was asked for comes when it is back @gate', async ({
    page,
    context,
  }) => {
    await signIn(page);
    const banner = page.getByRole('status', { name: 'Connection' });
    await expect(banner).toBeEmpty();
    await side(page).getByRole('link', { name: 'API keys' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('API keys');
    await side(page).getByRole('link', { name: 'Dashboard' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(ORGANIZATION);

    await context.setOffline(true);
    await expect(banner).toContainText('You’re offline.');
    await expectAccessible(page);
    // A screen whose code is not here yet: the one before it stays.
    await side(page).getByRole('link', { name: 'Members' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(ORGANIZATION);
    await context.setOffline(false);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Members');
    await expect(page.getByRole('main').getByText(DEMO_EMAIL).first()).toBeVisible();
    await expect(banner).toBeEmpty();

    // One that is here, and cannot be read: it is, by itself.
    await context.setOffline(true);
    await side(page).getByRole('link', { name: 'API keys' }).click();
    await expect(page.getByRole('button', { name: 'Retry' })).toBeVisible();
    await context.setOffline(false);
    await expect(page.getByRole('button', { name: 'Retry' })).toBeHidden();
    await expect(page.getByRole('button', { name: 'Create API key' })).toBeVisible();
  });
});

test('UXP-42 UXP-43 UXP-69: on a phone the breadcrumb keeps its steps in one line, and the theme is in the account menu', async ({
  page,
}) => {
  await showIn(page, { width: 320, height: 740, colorScheme: 'light' });
  const { playground = '' } = await enter(page);
  await page.goto(`${playground.replace(/playground.*/, '')}api/keys/`);
  const steps = page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('listitem');
  await expect(steps).toHaveCount(3);
  await expect(steps.last().locator('[aria-current=page]')).toHaveText('API keys');
  for (const step of await steps.all()) expect((await step.boundingBox())?.width).toBeGreaterThanOrEqual(24);
  for (const name of [ORGANIZATION, PROJECT]) {
    const place = steps.getByRole('link', { name, exact: true });
    await expect(place.locator('svg')).toBeVisible();
    await expect(place.getByText(name)).toBeHidden();
  }
  expect((await steps.first().locator('..').boundingBox())?.height).toBeLessThan(30);
  await expect(page.getByRole('radiogroup', { name: 'Theme' })).toBeHidden();
  await page.getByRole('button', { name: 'Open navigation' }).click();
  await accountRow(page).click();
  const dark = page.getByRole('menuitemradio', { name: 'Dark' });
  await expect(page.getByRole('menuitemradio', { name: 'System' })).toBeChecked();
  await expectAccessible(page);
  await dark.click();
  await expect(page.locator('html')).toHaveClass(/dark/);
  await page.reload();
  await expect(page.locator('html')).toHaveClass(/dark/);
});

test('ERR-04 NAV-02 UXP-40: unknown organizations, projects and addresses say so inside the frame, with the way back @gate', async ({
  page,
}) => {
  const { playground = '' } = await enter(page);
  const home = homeOf(playground);
  const project = playground.replace(/playground.*/, '');
  await page.goto('/org/00000000-0000-4000-8000-000000000000/');
  await expect(
    page.getByText(
      'Failed to load organization data. Make sure you have a valid url or try again later. If the problem persists contact support.',
    ),
  ).toBeVisible();
  await expectAccessible(page);
  await page.goto(`${home}projects/00000000-0000-4000-8000-000000000000/`);
  await expect(
    page.getByText(
      /^Failed to load project data. Make sure you have a valid url or try again later. If the problem persists contact support\.$/,
    ),
  ).toBeVisible();
  await page.getByRole('link', { name: `Go to ${ORGANIZATION}` }).click();
  await expect(page.getByRole('heading', { level: 1, name: ORGANIZATION })).toBeVisible();
  if (isGate) return;

  for (const address of ['/no/such/page/', `${home}billing/elsewhere/`, `${project}playground/nothing/at/all/`]) {
    await page.goto(address);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Error 404');
    await expect(page.getByText('Requested page was not found.')).toBeVisible();
    await expect(page).toHaveTitle(/^Error 404/);
    if (address.startsWith(home)) await expect(side(page).getByRole('link', { name: 'Members' })).toBeVisible();
    await expect(page).toHaveURL(new RegExp(`${address}$`));
  }
  await page.getByRole('link', { name: 'Back to Console' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(ORGANIZATION);
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Error 404');
  await side(page).getByRole('link', { name: 'API keys' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('API keys');
  // A place that is not there is what is said of it, whatever follows.
  await page.goto('/org/00000000-0000-4000-8000-000000000000/nothing/');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Organization not found');
});

test('SHL-06 SHL-07 SEL-03: the switchers list all, and each organization remembers its project', async ({
  page,
  server,
}) => {
  // Somebody of their own: with the organizations of other journeys the switcher would have a search.
  const email = 'switcher@example.com';
  const account = await createAccount(server.url, email);
  expect((await call(server.url, account, 'POST', 'user/welcome/')).status).toBe(200);
  await signIn(page, { email, password: PASSWORD });
  await createOrganization(page, 'Second organization');
  const switcher = page.getByRole('button', { name: /^Projects/ });
  await expect(switcher).toBeHidden();
  for (const name of ['One', 'Two']) {
    if (name === 'One') await side(page).getByRole('button', { name: 'Create a project' }).click();
    else {
      await switcher.click();
      await page.getByRole('dialog', { name: 'Projects' }).getByRole('button', { name: 'Create project' }).click();
    }
    await page.getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
  }
  const uuidOfTwo = new URL(page.url()).pathname.split('/').at(-2);
  await expect(switcher).toHaveAttribute('title', uuidOfTwo ?? '');
  await switcher.click();
  const projects = page.getByRole('dialog', { name: 'Projects' });
  await expect(projects.getByRole('link')).toHaveText(['One', 'Two']);
  await expect(projects.getByRole('link', { name: 'Two' })).toHaveAttribute('aria-current', /page|true/);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await expect(projects.getByRole('link', { name: 'One' })).toBeFocused();
  await expect(projects.getByRole('button').last()).toHaveText('Create project');
  await expectAccessible(page);

  await pressEscape(page);
  await expect(projects).toBeHidden();
  await page.getByRole('button', { name: /^Organizations/ }).click();
  const organizations = page.getByRole('dialog', { name: 'Organizations' });
  await expect(organizations.getByRole('button').last()).toHaveText('Create organization');
  await organizations.getByRole('link', { name: 'Personal' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Personal' })).toBeFocused();
  await expect(switcher).toHaveText('My first project');
  const kept = await page.evaluate(() => Object.entries(localStorage).filter(([key]) => key.includes('_project_')));
  expect(kept).toHaveLength(2);
  expect(kept.map(([, value]) => value)).toContain(uuidOfTwo);
  await page.reload();
  await page.getByRole('button', { name: /^Organizations/ }).click();
  await organizations.getByRole('link', { name: 'Second organization' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Second organization' })).toBeVisible();
  await expect(switcher).toHaveText('Two');
});

test('SHL-08, SHL-13: the first Tab skips the navigation, ids are copied, and a closed group and the theme are kept', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const { playground } = await enter(page);
  await page.goto(homeOf(playground));
  await expect(page.getByRole('heading', { level: 1, name: ORGANIZATION })).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();

  const button = page.getByRole('button', { name: 'Copy Organization UUID' });
  await button.click();
  await expect(page.getByRole('status').filter({ hasText: 'Organization UUID copied' })).toBeAttached();
  await expect(button).toHaveAttribute('title', 'Copied');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(new URL(page.url()).pathname.split('/')[2]);
  const group = side(page).getByRole('button', { name: 'Playground' });
  await expect(side(page).getByRole('link', { name: 'Speech-to-Text' })).toBeVisible();
  await group.click();
  await expect(group).toHaveAttribute('aria-expanded', 'false');
  const theme = page.getByRole('banner').getByRole('radiogroup', { name: 'Theme' });
  await theme.getByRole('radio', { name: 'Dark' }).check({ force: true });
  await expect(page.locator('html')).toHaveClass(/dark/);
  await expect(button).toHaveAttribute('title', 'Copy Organization UUID');

  await page.reload();
  await expect(group).toHaveAttribute('aria-expanded', 'false');
  await expect(side(page).getByRole('link', { name: 'Speech-to-Text' })).toBeHidden();
  await expect(theme.getByRole('radio', { name: 'Dark' })).toBeChecked();
  await expect(page.locator('html')).toHaveClass(/dark/);
  await theme.getByRole('radio', { name: 'Light' }).check({ force: true });
  await expect(page.locator('html')).toHaveClass(/light/);
  await theme.getByRole('radio', { name: 'System' }).check({ force: true });
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect(page.locator('html')).toHaveClass(/dark/);
});

test.describe('when something fails', () => {
  test.use({
    allowed: [/status of (400|500)|A defect\./],
  });

  test('SHL-11 ERR-04: if user or organizations fail to load, an error screen offers Home and Retry', async ({
    page,
  }) => {
    await enter(page);
    for (const [address, sentence] of [
      ['**/api/v2/user/', 'Failed to load user data. Try again later. If the problem persists contact support.'],
      [
        '**/api/v2/user/organizations/',
        'Failed to load organization data. Make sure you have a valid url or try again later. If the problem persists contact support.',
      ],
    ] as const) {
      await page.route(address, (route) => route.fulfill({ status: 500, json: {} }));
      await page.goto('/');
      await expect(page.getByRole('heading', { level: 1, name: 'Console error' })).toBeVisible();
      await expect(page.getByText(sentence)).toBeVisible();
      await expect(page.getByRole('link', { name: 'Home' })).toHaveAttribute('href', '/user/');
      await page.getByRole('button', { name: 'Retry' }).click();
      await expect(page.getByText(sentence)).toBeVisible();
      await page.unroute(address);
      await page.getByRole('button', { name: 'Retry' }).click();
      await expect(page.getByRole('heading', { level: 1, name: ORGANIZATION })).toBeVisible();
    }
  });

  test('SHL-14: a screen whose code fails leaves what is around it, and the others @gate', async ({ page }) => {
    await signIn(page);
    await page.route('**/assets/ProjectPage-*.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: 'throw new Error("A defect.");' }),
    );
    await side(page).getByRole('link', { name: 'Project home' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Screen error' })).toBeVisible();
    await expectAccessible(page);
    await side(page).getByRole('link', { name: 'Dashboard' }).click();
    await expect(page.getByRole('heading', { level: 1, name: ORGANIZATION })).toBeVisible();
    await side(page).getByRole('link', { name: 'Project home' }).click();
    await page.unroute('**/assets/ProjectPage-*.js');
    await page.getByRole('button', { name: 'Load the page again' }).click();
    await expect(page.getByRole('heading', { level: 1, name: PROJECT })).toBeVisible();
  });
});
