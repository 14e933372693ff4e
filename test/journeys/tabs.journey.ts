import * as v from 'valibot';
import { TOKEN_STORAGE_KEY, TokenPair } from '#contract/session.ts';
import { storeTokens } from './account.ts';
import { expect, type Page, setClockOff, signOut, test, watch } from './fixtures.ts';
import { call, createAccount, createOrganization, createProject, PASSWORD } from './people.ts';

const EMAIL = 'two-tabs@example.com';

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const open = (page: Page, link: string) =>
  page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: link }).click();
/** Where the session's chart stands. */
const sessionOf = (page: Page) =>
  page.evaluate(() => {
    const value: unknown = window.parlance?.getSnapshot().children.session?.getSnapshot().value;
    return JSON.stringify(value);
  });
/** How long the stored pair says that it is good for. */
const GOOD_FOR_S = 120;

async function signInAgain(page: Page): Promise<void> {
  await page.getByLabel('E-mail').fill(EMAIL);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

// The browser itself reports an answer outside 200–299.
test.use({ allowed: [/status of 401/] });

test('SES-04 SES-06 SES-09: two tabs share one renewal, end and begin a session together, and keep what was being typed @gate', async ({
  page: first,
  context,
  server,
}) => {
  const account = await createAccount(server.url, EMAIL);
  await createProject(
    server.url,
    account,
    await createOrganization(server.url, account, 'Archive', EMAIL),
    'Interviews',
  );
  await context.addInitScript(() => {
    window.open = () => null;
  });
  // Without pushes: a call is to meet the refusal, and the other tab to hear of it from the first.
  await context.route('**/api/v2/events/', (route) => route.fulfill({ status: 204 }));
  await storeTokens(first, { ...account.tokens, access_expires_at: Math.floor(Date.now() / 1000) + GOOD_FOR_S });
  await first.goto('/?inspect');
  await expect(heading(first, 'Archive')).toBeVisible();
  const second = await context.newPage();
  const complaints = watch(second);
  await second.goto('/?inspect');
  await expect(heading(second, 'Archive')).toBeVisible();

  const renewals: string[] = [];
  let answer: () => void = () => undefined;
  const both = new Promise<void>((resolve) => (answer = resolve));
  await context.route('**/token/refresh/', async (route) => {
    renewals.push(route.request().postData() ?? '');
    await both;
    await route.continue();
  });
  const tabs = [first, second];
  for (const tab of tabs) await setClockOff(tab, (GOOD_FOR_S + 1) * 1000);
  for (const tab of tabs) {
    await open(tab, 'API keys');
    await expect.poll(() => sessionOf(tab)).toContain('refreshing');
  }
  answer();
  for (const tab of tabs) await expect(tab.getByText('No API keys yet')).toBeVisible();
  expect(renewals).toHaveLength(1);
  for (const tab of tabs) await setClockOff(tab, 0);

  // Half a key in one tab, half a description in the other.
  await first.getByRole('button', { name: 'Create API key' }).click();
  const form = first.getByRole('dialog', { name: 'Create API key' });
  await form.getByLabel('Name').fill('Build server');
  await form.getByLabel('Expires').selectOption('90');
  const project = new URL(second.url()).pathname.replace(/api\/keys\/$/, '');
  await second.goto(`${project}settings/?inspect`);
  await second.getByLabel('Description').fill('Recordings of the oral history group');
  // What is still on its way would meet the refusal before the call below does.
  for (const tab of tabs) await tab.waitForLoadState('networkidle');

  const kept = v.parse(
    TokenPair,
    JSON.parse((await first.evaluate((key) => localStorage.getItem(key), TOKEN_STORAGE_KEY)) ?? 'null'),
  );
  expect(
    (await call(server.url, { ...account, tokens: kept }, 'POST', 'token/invalidate/', { refresh: kept.refresh })).ok,
  ).toBe(true);
  const raised = first.evaluate(
    () =>
      new Promise<boolean>((resolve) =>
        window.addEventListener('unauthenticated_api_call', () => resolve(true), { once: true }),
      ),
  );
  await form.getByRole('button', { name: 'Create', exact: true }).click();
  expect(await raised).toBe(true);
  await expect(first).toHaveURL(/\/signin\/\?from=.*api%2Fkeys/);
  await expect(second).toHaveURL(/\/signin\/\?from=.*settings/);
  await expect(heading(second, 'Sign in')).toBeVisible();
  await signInAgain(first);
  await expect(form.getByLabel('Name')).toHaveValue('Build server');
  await expect(form.getByLabel('Expires')).toHaveValue('90');
  await form.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(first.getByRole('dialog', { name: 'Your new API key' })).toBeVisible();
  await expect(second).toHaveURL(/\/settings\//);
  await expect(second.getByLabel('Description')).toHaveValue('Recordings of the oral history group');
  await first.getByRole('button', { name: 'Done' }).click();
  await first.getByRole('button', { name: 'Close anyway' }).click();

  // Signing out is meant: it ends both, and nothing that was typed in this tab comes back.
  await signOut(second, { isAsked: true });
  await expect(second).toHaveURL(/\/signin\/$/);
  await expect(first).toHaveURL(/\/signin\/\?from=/);
  await signInAgain(first);
  await expect(heading(first, 'API keys')).toBeVisible();
  await expect(first.getByRole('region', { name: 'API keys' })).toContainText('Build server');
  await expect(first.getByRole('dialog')).toBeHidden();
  await expect(heading(second, 'Archive')).toBeVisible();
  await second.goto(`${project}settings/`);
  await expect(second.getByLabel('Name')).toHaveValue('Interviews');
  await expect(second.getByLabel('Description')).toHaveValue('');
  expect(complaints.filter((text) => !/status of 401/.test(text))).toEqual([]);
});
