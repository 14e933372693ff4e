import type { Account } from './account.ts';
import {
  accountRow,
  enter,
  expect,
  expectAccessible,
  type Page,
  signIn,
  signOut,
  test,
  pressEscape,
} from './fixtures.ts';
import { createAccount, createOrganization, createProject, PASSWORD } from './people.ts';

const side = (page: Page) => page.getByRole('navigation', { name: 'Console' });
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });

/** Whether all of an element is inside of the window, and inside of another element. */
async function isWithin(
  page: Page,
  inner: ReturnType<Page['locator']>,
  outer: ReturnType<Page['locator']>,
): Promise<boolean> {
  const [box, around] = await Promise.all([inner.boundingBox(), outer.boundingBox()]);
  const size = page.viewportSize();
  if (!box || !around || !size) return false;
  const fits = (left: number, top: number, right: number, bottom: number) =>
    box.x >= left - 0.5 && box.y >= top - 0.5 && box.x + box.width <= right + 0.5 && box.y + box.height <= bottom + 0.5;
  return (
    fits(0, 0, size.width, size.height) && fits(around.x, around.y, around.x + around.width, around.y + around.height)
  );
}

const nameOf = (index: number) =>
  index === 40 ? 'Oral history of the valley' : `Project ${String(index).padStart(2, '0')}`;

/** An organization with so many projects, by its UUID. */
async function createProjects(url: string, owner: Account, count: number): Promise<string> {
  const uuid = await createOrganization(url, owner, 'Many projects');
  for (let index = 0; index < count; index += 1) await createProject(url, owner, uuid, nameOf(index));
  return uuid;
}

test('SHL-07, CON-06: a long list of projects scrolls above Create project; Enter opens the marked result', async ({
  page,
  server,
}) => {
  const owner = await enter(page);
  const orgUuid = await createProjects(server.url, owner, 50);
  const list = page.getByRole('dialog', { name: 'Projects' });
  const create = list.getByRole('button', { name: 'Create project' });
  const search = list.getByRole('combobox', { name: 'Search' });
  await page.goto(`/org/${orgUuid}/`);
  await expect(heading(page, 'Many projects')).toBeVisible();
  for (const size of [
    { width: 1280, height: 720 },
    { width: 1280, height: 420 },
    { width: 320, height: 568 },
  ]) {
    await page.setViewportSize(size);
    if (size.width < 900) await page.getByRole('button', { name: 'Open navigation' }).click();
    await page.getByRole('button', { name: /^Projects: / }).click();
    await expect(list.getByRole('option')).toHaveCount(50);
    await expect(search).toBeFocused();
    await expect.poll(() => isWithin(page, create, list)).toBe(true);
    await expect.poll(() => isWithin(page, search, list)).toBe(true);
    const rows = list.getByRole('listbox', { name: 'Projects' });
    expect(
      await rows.evaluate((element) => element.scrollHeight > element.clientHeight && element.clientHeight >= 40),
    ).toBe(true);
    // The last one can be scrolled to, with the action still in sight.
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => isWithin(page, list.getByRole('option', { name: nameOf(49) }), rows)).toBe(true);
    expect(await isWithin(page, create, list)).toBe(true);
    if (size.width < 900) continue;
    await pressEscape(page);
    await expect(list).toBeHidden();
  }
  await expectAccessible(page);

  await search.fill('oral');
  await expect(list.getByRole('option')).toHaveText(['Oral history of the valley']);
  await page.keyboard.press('Enter');
  await expect(heading(page, 'Oral history of the valley')).toBeVisible();
  await expect(list).toBeHidden();

  // The drawer went with the navigation; while it fades out, it has a switcher too.
  await expect(page.getByRole('dialog', { name: 'Navigation' })).toHaveCount(0);
  // Chromium may miss that the window is wide where a screen adds its styles in the same moment: the screen is there first.
  await expect(page.getByRole('link', { name: 'Make your first request' })).toBeVisible();
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.getByRole('button', { name: /^Projects: / }).click();
  await expect(list.getByRole('option', { selected: true })).toHaveText('Oral history of the valley');
  await search.fill('project 1');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await expect(list.getByRole('option', { selected: true })).toHaveText('Project 11');
  await page.keyboard.press('Enter');
  await expect(heading(page, 'Project 11')).toBeVisible();

  await page.getByRole('button', { name: /^Projects: / }).click();
  await search.fill('no such project');
  await expect(list.getByText('Nothing found')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(list).toBeVisible();
  await expect(heading(page, 'Project 11')).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(create).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Create project' })).toBeVisible();
});

test('SHL-01: 260 px wide; on a small screen a drawer that Esc and a navigation close, and which goes as the window widens', async ({
  page,
}) => {
  await signIn(page);
  expect(await page.getByRole('complementary').evaluate((element) => element.getBoundingClientRect().width)).toBe(260);
  await page.setViewportSize({ width: 360, height: 740 });
  await expect(side(page)).toBeHidden();
  const burger = page.getByRole('button', { name: 'Open navigation' });
  await burger.click();
  await expect(side(page)).toBeVisible();
  await pressEscape(page);
  await expect(side(page)).toBeHidden();
  await expect(burger).toBeFocused();
  await burger.click();
  await side(page).getByRole('link', { name: 'Project home' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'First project' })).toBeVisible();
  await expect(side(page)).toBeHidden();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);

  await page.setViewportSize({ width: 800, height: 700 });
  await page.getByRole('button', { name: 'Open navigation' }).click();
  await expect(page.getByRole('dialog', { name: 'Navigation' })).toBeVisible();
  await page.setViewportSize({ width: 1000, height: 700 });
  await expect(page.getByRole('dialog', { name: 'Navigation' })).toBeHidden();
  await expect(page.getByRole('complementary').getByRole('navigation', { name: 'Console' })).toBeVisible();
  await expect(page.locator('[data-scope=dialog]')).toHaveCount(0);
  await expect(page.locator('[inert], [aria-hidden=true]:has(main)')).toHaveCount(0);
  expect(
    await page.evaluate(() => [
      getComputedStyle(document.body).overflow,
      getComputedStyle(document.body).pointerEvents,
      document.body.hasAttribute('data-scroll-lock'),
    ]),
  ).toEqual(['visible', 'auto', false]);
  // The focus is not caught either: Tab goes on into the page.
  await side(page).getByRole('link', { name: 'Members' }).focus();
  await page.keyboard.press('Tab');
  await expect(side(page).getByRole('link', { name: 'Limits' }).first()).toBeFocused();
  await page.setViewportSize({ width: 800, height: 700 });
  await expect(page.getByRole('dialog', { name: 'Navigation' })).toBeHidden();
});

test('SHL-09, CON-20: the account is one row with the e-mail address in it; its menu leads to the account and out', async ({
  page,
  server,
}) => {
  const email = `${'a-rather-long-name'.repeat(3)}@${'example'.repeat(6)}.com`;
  await createAccount(server.url, email);
  for (const size of [
    { width: 1280, height: 500 },
    { width: 320, height: 568 },
  ]) {
    await page.setViewportSize(size);
    await enter(page, { email, password: PASSWORD });
    await page.goto('/user/');
    await expect(heading(page, 'Your account')).toBeVisible();
    if (size.width < 900) await page.getByRole('button', { name: 'Open navigation' }).click();
    const row = accountRow(page);
    await expect(row).toHaveAccessibleName(`Account: ${email}`);
    await expect(row).toHaveAttribute('title', email);
    await expect(row).toContainText(email);
    const box = await row.boundingBox();
    expect(box?.height).toBeLessThanOrEqual(48);
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(size.height);
    // What the sidebar scrolls ends above the row, not beneath it.
    const nav = await side(page).boundingBox();
    expect((nav?.y ?? 0) + (nav?.height ?? 0)).toBeLessThanOrEqual(box?.y ?? 0);
    await row.click();
    await expect(page.getByRole('menuitem')).toHaveText(['Manage your account', 'Sign out']);
    await expect(page.getByRole('menu')).toContainText(email);
    await expectAccessible(page);
    await pressEscape(page);
    await expect(page.getByRole('menu')).toBeHidden();
    await expect(row).toBeFocused();
  }
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menu')).toBeVisible();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/user\//);
  await page.setViewportSize({ width: 1280, height: 720 });
  await signOut(page);
  await expect(page).toHaveURL(/\/signin\/$/);
});

test('CON-21: the entry of the current screen is in sight in the sidebar, and the sidebar is left alone otherwise', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 420 });
  const { playground } = await signIn(page);
  const project = (playground ?? '').replace(/playground\/.*/, '');
  const nav = side(page);
  const current = nav.locator('[aria-current=page]');
  await page.goto(`${project}settings/`);
  await expect(heading(page, 'Project settings')).toBeVisible();
  await expect(current).toHaveText('Settings');
  await expect.poll(() => isWithin(page, current, nav)).toBe(true);

  // By the palette, up again.
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search screens and commands' }).fill('members');
  await page.keyboard.press('Enter');
  await expect(heading(page, 'Members')).toBeVisible();
  await expect(current).toHaveText('Members');
  await expect.poll(() => isWithin(page, current, nav)).toBe(true);

  // Into a folder that was closed.
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search screens and commands' }).fill('transactions');
  await page.keyboard.press('Enter');
  await expect(current).toHaveText('Transactions');
  await expect.poll(() => isWithin(page, current, nav)).toBe(true);

  // What the person scrolls to stays: neither a folder that is opened nor a menu brings the current screen back.
  const bottom = await nav.evaluate((element) => {
    element.scrollTop = element.scrollHeight - element.clientHeight - 120;
    return element.scrollTop;
  });
  expect(bottom).toBeGreaterThan(0);
  // A click would scroll to the row first.
  for (const isOpen of ['false', 'true']) {
    await nav.getByRole('button', { name: 'Usage' }).dispatchEvent('click');
    await expect(nav.getByRole('button', { name: 'Usage' })).toHaveAttribute('aria-expanded', isOpen);
  }
  await accountRow(page).click();
  await pressEscape(page);
  expect(await nav.evaluate((element) => element.scrollTop)).toBe(bottom);
});

test('UXP-99: all entries are in sight at 1440 × 900 px while Billing is closed', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  const { playground } = await signIn(page);
  await page.goto((playground ?? '').replace(/playground\/.*/, 'metrics/'));
  await expect(heading(page, 'Metrics')).toBeVisible();
  const nav = side(page);
  await expect(nav.getByRole('button', { name: 'Billing' })).toHaveAttribute('aria-expanded', 'false');
  expect(await isWithin(page, nav.getByRole('link', { name: 'Dashboard' }), nav)).toBe(true);
  expect(await isWithin(page, nav.getByRole('link', { name: 'Settings' }).last(), nav)).toBe(true);
});
