/** What comes late may not come: the network is gone, the server fails, or another version has taken the place of this one. */
import {
  accountRow,
  DEMO_EMAIL,
  DEMO_PASSWORD,
  enter,
  expect,
  expectAccessible,
  type Page,
  signIn,
  test,
} from '../fixtures.ts';
import { openTab } from '../playground.ts';

// The browser itself reports every file that it can't have.
test.use({ allowed: [/status of (404|503)|net::ERR_(FAILED|INTERNET_DISCONNECTED)/] });

const heading = (page: Page) => page.getByRole('heading', { level: 1 });
const side = (page: Page) => page.getByRole('complementary');
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const said = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text });
const MISSING = 'Part of the console couldn’t be loaded. Retrying…';
const OUTDATED = 'A new version of the console is available.';

/** Tells whether the page is still the one that this was called on. */
async function mark(page: Page): Promise<() => Promise<boolean>> {
  await page.evaluate(() => Object.assign(window, { isMarked: true }));
  return () => page.evaluate(() => 'isMarked' in window);
}

test('ERR-09: a screen whose file can’t be had is fetched again, and the one before it stays meanwhile @gate', async ({
  page,
}) => {
  await signIn(page);
  const before = await heading(page).innerText();
  const isSame = await mark(page);
  let answer: 'none' | 503 = 'none';
  let asked = 0;
  await page.route('**/assets/MembersPage-*.js', (route) => {
    asked += 1;
    return answer === 'none' ? route.abort() : route.fulfill({ status: answer, body: '' });
  });
  await side(page).getByRole('link', { name: 'Members' }).click();
  await expect(said(page, MISSING)).toBeVisible();
  await expect(heading(page)).toHaveText(before);
  await expectAccessible(page);
  answer = 503;
  const sofar = asked;
  await button(page, 'Retry').click();
  await expect.poll(() => asked).toBeGreaterThan(sofar);
  await expect(said(page, MISSING)).toBeVisible();
  // By itself.
  await page.unroute('**/assets/MembersPage-*.js');
  await expect(heading(page)).toHaveText('Members');
  await expect(said(page, MISSING)).toHaveCount(0);
  expect(await isSame()).toBe(true);
});

test('ERR-10: that another version has come is said, and loading it asks first and keeps what is typed @gate', async ({
  page,
}) => {
  await signIn(page, { path: '/user/settings/' });
  const name = page.getByLabel('Your name');
  await expect(name).toBeVisible();
  const isSame = await mark(page);
  await page.route('**/assets/*.js', (route) => route.fulfill({ status: 404, body: '' }));
  await side(page).getByRole('link', { name: 'Members' }).click();
  await expect(said(page, OUTDATED)).toBeVisible();
  await expectAccessible(page);
  await name.fill('Ada of the new version');
  await button(page, 'Load it').click();
  const question = page.getByRole('alertdialog', { name: 'Load the new version now?' });
  await expect(question).toContainText('Most of what you typed is kept.');
  await question.getByRole('button', { name: 'Stay' }).click();
  // While it fades out, its own button has the name of the one below.
  await expect(question).toHaveCount(0);
  await expect(name).toHaveValue('Ada of the new version');
  expect(await isSame()).toBe(true);
  await page.unroute('**/assets/*.js');
  await button(page, 'Load it').click();
  await question.getByRole('button', { name: 'Load it' }).click();
  await expect.poll(isSame).toBe(false);
  await expect(name).toHaveValue('Ada of the new version');
  await expect(said(page, OUTDATED)).toHaveCount(0);
  // Once only.
  await page.reload();
  await expect(name).toBeVisible();
  await expect(name).not.toHaveValue('Ada of the new version');
});

test('ERR-11: what a screen opens without its late code can be seen, and is whole when that has come @gate', async ({
  page,
}) => {
  await page.route('**/assets/{motion,code}-*.js', (route) => route.abort());
  await openTab(page, 'async');
  await expect(said(page, MISSING)).toBeVisible();
  const isSame = await mark(page);
  await button(page, 'Settings').click();
  await expect(page.getByRole('region', { name: 'Settings' }).getByRole('combobox').first()).toBeInViewport();
  await button(page, 'View code').click();
  const code = page.getByRole('dialog', { name: 'Use in code' });
  await expect(code.getByRole('status', { name: 'Loading the code' })).toBeVisible();
  const opened = await code.elementHandle();
  await page.unroute('**/assets/{motion,code}-*.js');
  // Sooner than by itself.
  await expect(async () => {
    await page.evaluate(() => window.dispatchEvent(new Event('online')));
    await expect(code.getByRole('tab', { name: 'Python' })).toBeVisible({ timeout: 1000 });
  }).toPass();
  // Another dialog in its place could take the focus, and with it close this one.
  expect(await code.evaluate((dialog, before) => dialog === before, opened)).toBe(true);
  expect(await isSame()).toBe(true);
});

test('ERR-09: a page that begins without the code of the console says so, and goes on when it comes', async ({
  page,
}) => {
  const inside = '**/assets/{console,ConsoleLayout}-*.js';
  await page.route(inside, (route) => route.abort());
  await enter(page);
  await page.goto('/');
  await expect(said(page, MISSING)).toBeVisible();
  await expect(heading(page)).toHaveText('Loading…');
  const isSame = await mark(page);
  await page.unroute(inside);
  await button(page, 'Retry').click();
  await expect(accountRow(page)).toBeVisible();
  await expect(said(page, MISSING)).toHaveCount(0);
  expect(await isSame()).toBe(true);
});

test('ERR-10: who signs in when another version has come is told, and is inside after loading it', async ({ page }) => {
  await page.goto('/signin/');
  await page.getByLabel('E-mail').fill(DEMO_EMAIL);
  await page.getByLabel('Password', { exact: true }).fill(DEMO_PASSWORD);
  await page.route('**/assets/{console,ConsoleLayout}-*.js', (route) => route.fulfill({ status: 404, body: '' }));
  await button(page, 'Sign in').click();
  await expect(said(page, OUTDATED)).toBeVisible();
  await page.unroute('**/assets/{console,ConsoleLayout}-*.js');
  await button(page, 'Load it').click();
  await expect(accountRow(page)).toBeVisible();
});
