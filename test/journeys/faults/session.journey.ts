import { TOKEN_STORAGE_KEY } from '#contract/session.ts';
import { DEMO_EMAIL, DEMO_PASSWORD, expect, type Page, setClockOff } from '../fixtures.ts';
import { type DemoAccount } from '../account.ts';
import { rootState, openPlayground, patiently, test } from './faults.ts';

const library = (page: Page) => page.getByRole('list', { name: 'Files' });
/** Longer than any access token lives, shorter than any refresh token. */
const HOURS_MS = 3 * 3_600_000;

const kept = (page: Page) => page.evaluate((key) => localStorage.getItem(key), TOKEN_STORAGE_KEY);

/** Ends the session on the server alone, as another device would. */
async function revoke(url: string, { tokens }: DemoAccount): Promise<void> {
  const answer = await fetch(`${url}/api/v2/token/invalidate/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${tokens.access}` },
    body: JSON.stringify({ refresh: tokens.refresh }),
  });
  expect(answer.ok).toBe(true);
}

test.describe('with a session that was ended elsewhere', () => {
  // The browser reports the refusals; a renewal that fails is logged (SES-05).
  test.use({
    allowed: [
      /^(Failed to load resource: the server responded with a status of 401|The session could not be renewed: )/,
    ],
  });

  test('SES-05 SES-06 SES-07: a renewal that is refused leads to sign-in, and signing in leads back', async ({
    console: page,
    account,
    server,
  }) => {
    // Without pushes: the call itself is to meet the refusal.
    await page.route('**/api/v2/events/', (route) => route.fulfill({ status: 204 }));
    await openPlayground(page, account, 'async');
    const raised = page.evaluate(
      () =>
        new Promise((resolve) =>
          window.addEventListener(
            'unauthenticated_api_call',
            (event) => resolve(event instanceof CustomEvent ? event.detail : null),
            { once: true },
          ),
        ),
    );
    // Just before the renewal for the click's own call: nothing that the page asks by itself is to meet the refusal before.
    await page.route(
      '**/api/v2/token/refresh/',
      async (route) => {
        await revoke(server.url, account);
        await route.fallback();
      },
      { times: 1 },
    );
    await setClockOff(page, HOURS_MS);
    await library(page)
      .getByRole('link', { name: /weather-report/ })
      .click();
    await patiently(page).toHaveURL(/\/signin\/\?from=/);
    const from = new URL(page.url()).searchParams.get('from') ?? '';
    expect(from).toMatch(/\/new\/[\w-]+\/\?mode=async/);
    expect(await raised).toEqual({ path: from });
    expect(await kept(page)).toBeNull();
    expect(await rootState(page)).toContain('"account":"signedOut"');

    await setClockOff(page, 0);
    await page.getByLabel('E-mail').fill(DEMO_EMAIL);
    await page.getByLabel('Password', { exact: true }).fill(DEMO_PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await patiently(page.getByRole('group', { name: 'Recording weather-report.wav' })).toBeVisible();
    const { pathname, search } = new URL(page.url());
    expect(pathname + search).toBe(from);
  });
});
