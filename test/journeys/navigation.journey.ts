import type { Memberships } from '#contract/organizations.ts';
import type { Role } from '#contract/roles.ts';
import { type NavEntry, offered, ORGANIZATION_ENTRIES, PROJECT_ENTRIES } from '#src/screens/navigation.ts';
import { enter, expect, expectAccessible, signIn, test, type Page } from './fixtures.ts';

const side = (page: Page) => page.getByRole('navigation', { name: 'Console' });
const heading = (page: Page) => page.getByRole('heading', { level: 1 });

/** Within the page, as a link or the Back button would. */
async function visit(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
  }, path);
}

/** Lets the console believe that it belongs to other organizations, or in another role. */
async function belong(page: Page, change: (memberships: Memberships) => Memberships): Promise<void> {
  // One that is on its way finds its page gone.
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.route('**/api/v2/user/organizations/', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ json: change(await answer.json()) });
  });
}

const as =
  (role: Role) =>
  ({ organizations }: Memberships): Memberships => ({
    organizations: organizations.map((membership) => ({ ...membership, role })),
  });

async function firstPlace(page: Page): Promise<{ org: string; project: string }> {
  const { playground } = await signIn(page);
  const project = playground?.split('playground/')[0] ?? '';
  return { org: project.split('projects/')[0] ?? '', project };
}

test('NAV-03 NAV-05 NAV-07: every short address leads into the first organization and project, and keeps its query', async ({
  page,
}) => {
  const { org, project } = await firstPlace(page);
  const playground = (mode: string) => `${project}playground/speech-to-text/?ref=mail&mode=${mode}`;
  const helpers: Record<string, [address: string, heading: string]> = {
    '/playground/': [playground('real-time'), 'Speech-to-Text'],
    '/playground/transcribe-live/': [playground('real-time'), 'Speech-to-Text'],
    '/playground/transcribe-async/': [playground('async'), 'Speech-to-Text'],
    '/playground/speech-to-text/': [playground('real-time'), 'Speech-to-Text'],
    '/api-keys/': [`${project}api/keys/?ref=mail`, 'API keys'],
    '/org/members/': [`${org}members/?ref=mail`, 'Members'],
    '/org/limits/': [`${org}limits/?ref=mail`, 'Organization limits'],
    '/org/settings/': [`${org}settings/?ref=mail`, 'Organization settings'],
    '/org/billing/': [`${org}billing/overview/?ref=mail`, 'Billing overview'],
    '/org/billing/overview/': [`${org}billing/overview/?ref=mail`, 'Billing overview'],
    '/org/billing/reports/': [`${org}billing/reports/?ref=mail`, 'Billing reports'],
    '/org/billing/costs/': [`${org}billing/costs/?ref=mail`, 'Cost table'],
    '/org/billing/payment-setup/': [`${org}billing/payment-setup/?ref=mail`, 'Payment setup'],
    '/org/billing/transactions/': [`${org}billing/transactions/?ref=mail`, 'Transactions'],
    '/org/projects/playground/speech-to-text/': [playground('real-time'), 'Speech-to-Text'],
    '/org/projects/api/keys/': [`${project}api/keys/?ref=mail`, 'API keys'],
    '/org/projects/usage/cost/': [`${project}usage/cost/?ref=mail`, 'Usage cost'],
    '/org/projects/usage/activity/': [`${project}usage/activity/?ref=mail`, 'Usage activity'],
    '/org/projects/limits/': [`${project}limits/?ref=mail`, 'Project limits'],
    '/org/projects/settings/': [`${project}settings/?ref=mail`, 'Project settings'],
  };
  for (const [index, [short, [address, title]]] of Object.entries(helpers).entries()) {
    await visit(page, `${index % 2 === 0 ? short : short.slice(0, -1)}?ref=mail`);
    await expect(page, short).toHaveURL(address);
    await expect(heading(page)).toHaveText(title);
  }
  // NAV-05: billing as a whole opens its overview.
  await visit(page, `${org}billing?ref=mail`);
  await expect(page).toHaveURL(`${org}billing/overview/?ref=mail`);
  await page.goto('/org/projects/settings?ref=mail');
  await expect(page).toHaveURL(`${project}settings/?ref=mail`);
  await page.goto('/playground?mode=async&show=original');
  await expect(page).toHaveURL(`${project}playground/speech-to-text/?mode=async&show=original`);
  await page.goBack();
  await expect(page).toHaveURL(`${project}settings/?ref=mail`);
  for (const [path, title] of [
    [org, 'Demo organization'],
    ['/user/settings/', 'Your account'],
  ] as const) {
    await page.goto(path.slice(0, -1));
    await expect(heading(page)).toHaveText(title);
    await visit(page, path);
    await page.reload();
    await expect(heading(page)).toHaveText(title);
    await expect(page).toHaveURL(path);
  }
});

test.describe('where there is nothing to lead into', () => {
  test.use({ allowed: [/status of 500/] });

  test('NAV-04: a short address says so and points to the dashboard, and leads on as soon as it can', async ({
    page,
  }) => {
    await enter(page);
    await belong(page, () => ({ organizations: [] }));
    await page.goto('/api-keys');
    await expect(heading(page)).toHaveText('Failed to redirect into API Keys...');
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Go to the organization dashboard' }).click();
    await expect(heading(page)).toHaveText('No organization');

    await belong(page, ({ organizations }) => ({
      organizations: organizations.map((membership) => ({ ...membership, projects: [] })),
    }));
    await page.goto('/org/projects/limits/');
    await page.getByRole('link', { name: 'Go to the organization dashboard' }).click();
    await expect(page).toHaveURL(/\/org\/[0-9a-f-]{36}\/$/);

    // One that is on its way finds its page gone.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.route('**/api/v2/user/', (route) => route.fulfill({ status: 500, json: {} }));
    await page.goto('/api-keys/?ref=mail');
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    await page.unroute('**/api/v2/user/');
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect(page).toHaveURL(/\/org\/[0-9a-f-]{36}\/projects\/[0-9a-f-]{36}\/api\/keys\/\?ref=mail$/);
  });
});

test('NAV-05 NAV-06 NAV-08: every screen has its address, its heading and its title @gate', async ({ page }) => {
  const { org, project } = await firstPlace(page);
  const screens: Record<string, string> = {
    [org]: 'Demo organization',
    [`${org}members/`]: 'Members',
    [`${org}members/invite/`]: 'Invite a member',
    [`${org}limits/`]: 'Organization limits',
    [`${org}settings/`]: 'Organization settings',
    [`${org}audit/`]: 'Audit log',
    [`${org}billing/overview/`]: 'Billing overview',
    [`${org}billing/reports/`]: 'Billing reports',
    [`${org}billing/costs/`]: 'Cost table',
    [`${org}billing/payment-setup/`]: 'Payment setup',
    [`${org}billing/transactions/`]: 'Transactions',
    [project]: 'First project',
    [`${project}playground/speech-to-text/`]: 'Speech-to-Text',
    [`${project}metrics/`]: 'Metrics',
    [`${project}usage/cost/`]: 'Usage cost',
    [`${project}usage/activity/`]: 'Usage activity',
    [`${project}api/logs/`]: 'Logs',
    [`${project}api/keys/`]: 'API keys',
    [`${project}api/webhooks/`]: 'Webhooks',
    [`${project}limits/`]: 'Project limits',
    [`${project}settings/`]: 'Project settings',
    '/user/': 'Your account',
  };
  const titles = new Set<string>();
  for (const [address, text] of Object.entries(screens)) {
    await visit(page, address);
    await expect(heading(page), address).toHaveText(text);
    await expect(page.getByRole('navigation', { name: 'Breadcrumb' })).toHaveText(
      address === '/user/'
        ? /^demo@parlance\.local.*Your account$/
        : address.includes('projects')
          ? /^Demo organization.*First project/
          : /^Demo organization/,
    );
    titles.add(await page.title());
  }
  expect(titles.size).toBe(Object.keys(screens).length);
  await page.goto(`${org}members`);
  await expect(page).toHaveTitle(/^Members · Demo organization · /);
  for (const [path, mode] of [
    ['playground/', 'real-time'],
    ['playground/transcribe-live/', 'real-time'],
    ['playground/transcribe-file/', 'async'],
  ] as const) {
    await visit(page, `${project}${path}?show=original`);
    await expect(page).toHaveURL(`${project}playground/speech-to-text/?show=original&mode=${mode}`);
  }
});

/** The links of a section, as the sidebar shows them to a role. */
const linksFor = (role: Role, entries: readonly NavEntry[]): string[] =>
  offered(entries, role).flatMap((entry) => ('links' in entry ? entry.links : [entry]).map(({ label }) => label));

test('SHL-04 SHL-05 ORG-08: the sidebar offers what the role opens, and the rest says so at its address', async ({
  page,
}) => {
  const { org, project } = await firstPlace(page);
  const entries = async (section: string) =>
    side(page).getByRole('region', { name: section }).getByRole('listitem').getByRole('link').allTextContents();
  await expect(side(page).getByRole('button', { expanded: true })).toHaveText(['Playground', 'Usage']);
  await side(page).getByRole('button', { name: 'Billing' }).click();
  await expect(side(page).getByRole('button', { expanded: true })).toHaveText(['Billing', 'Playground', 'Usage']);
  expect(await entries('Organization')).toEqual(linksFor('owner', ORGANIZATION_ENTRIES));
  expect(await entries('Project')).toEqual(linksFor('owner', PROJECT_ENTRIES));
  await visit(page, `${project}metrics/`);
  await expect(side(page).getByRole('link', { name: 'Metrics' })).toBeInViewport({ ratio: 1 });
  await visit(page, org);
  await expect(side(page).getByRole('link', { name: 'Dashboard' })).toBeInViewport({ ratio: 1 });

  await belong(page, as('member'));
  await page.goto(`${org}audit/`);
  await expect(heading(page)).toHaveText('Audit log');
  await expect(page).toHaveTitle(/^Audit log · Demo organization/);
  await expect(page.getByText("Your role can't open this screen.")).toBeVisible();
  await expect(page.getByText('Your role in Demo organization: Member.')).toBeVisible();
  expect(await entries('Organization')).toEqual(linksFor('member', ORGANIZATION_ENTRIES));
  expect(await entries('Organization')).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(Overview|Settings|Audit log)$/)]),
  );
  expect(await entries('Project')).toEqual(linksFor('member', PROJECT_ENTRIES));
  expect(await entries('Project')).not.toContain('Settings');

  await belong(page, as('billing'));
  await page.goto(`${project}playground/speech-to-text/`);
  await expect(page.getByText("Your role can't open this screen.")).toBeVisible();
  await side(page)
    .getByRole('button', { name: /^Projects/ })
    .click();
  await expect(page.getByRole('dialog', { name: 'Projects' })).toBeVisible();
  await expect(
    page.getByRole('dialog', { name: 'Projects' }).getByRole('button', { name: 'Create project' }),
  ).toBeHidden();
});
