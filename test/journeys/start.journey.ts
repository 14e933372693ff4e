/** What leaves when a page starts with a session, and in which order; how long it takes is measured by `npm run bench start`. */
import type { Page } from '@playwright/test';
import { type DemoAccount, demoAccount, storeTokens } from './account.ts';
import { accountRow, expect, test } from './fixtures.ts';

/** The calls of the console, as they leave; those that it makes by streams are not among them. */
function listen(page: Page): { calls: string[] } {
  const calls: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (/^\/(api|v1)\//.test(pathname) && pathname !== '/api/v2/events/')
      calls.push(`${request.method()} ${pathname}${search}`);
  });
  return { calls };
}

const VERIFY = '/api/v2/token/verify/';
const REFRESH = '/api/v2/token/refresh/';
const FIRST = [
  'GET /api/v2/user/',
  'GET /api/v2/user/organizations/',
  'GET /v1/models',
  'GET /v1/files?limit=50',
  'GET /v1/transcriptions?limit=50',
];

/** Holds the calls of one path until they are let go. */
async function hold(page: Page, path: string): Promise<{ asked: Promise<void>; letGo: () => void }> {
  let [letGo, ask] = [() => {}, () => {}];
  const released = new Promise<void>((resolve) => (letGo = resolve));
  const asked = new Promise<void>((resolve) => (ask = resolve));
  await page.route(`**${path}`, async (route) => {
    ask();
    await released;
    await route.fallback();
  });
  return { asked, letGo };
}

const library = (page: Page) => page.getByRole('list', { name: 'Files' });

let demo: DemoAccount;
test.beforeEach(async ({ server }) => {
  demo = await demoAccount(server.url);
});

test("PRF-01 SES-10: the playground's first calls leave beside the verification, which decides; each is made once @gate", async ({
  page,
}) => {
  const heard = listen(page);
  const verification = await hold(page, VERIFY);
  // It reads the organizations once more when it opens.
  await page.route('**/api/v2/events/', (route) => route.fulfill({ status: 204 }));
  await storeTokens(page, demo.tokens);
  await page.goto(`${demo.playground}?mode=async`);
  await verification.asked;
  await expect.poll(() => heard.calls.toSorted()).toEqual([...FIRST, `POST ${VERIFY}`].toSorted());
  await expect(accountRow(page)).toHaveCount(0);
  await expect(page.getByRole('heading')).toHaveText('Loading…');
  verification.letGo();
  await expect(library(page).getByRole('listitem').first()).toBeVisible();
  await expect(accountRow(page)).toBeVisible();
  for (const call of FIRST)
    expect(
      heard.calls.filter((made) => made === call),
      call,
    ).toHaveLength(1);
});

test('PRF-01 SES-04: an expired pair is renewed first; the calls leave with the new one', async ({ page }) => {
  const heard = listen(page);
  const renewal = await hold(page, REFRESH);
  // The lists are read once more when it opens.
  await page.route('**/api/v2/events/', (route) => route.fulfill({ status: 204 }));
  await storeTokens(page, { ...demo.tokens, access_expires_at: Math.floor(Date.now() / 1000) - 1 });
  await page.goto(`${demo.playground}?mode=async`);
  await renewal.asked;
  expect(heard.calls).toEqual([`POST ${REFRESH}`]);
  renewal.letGo();
  await expect(library(page).getByRole('listitem').first()).toBeVisible();
  // Those that the console asks for later have left with the first.
  expect(heard.calls.slice(1, 1 + FIRST.length).toSorted()).toEqual(FIRST.toSorted());
  expect(heard.calls.filter((made) => made === 'GET /v1/files?limit=50')).toHaveLength(1);
});
