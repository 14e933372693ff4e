import { readFile } from 'node:fs/promises';
import { layoutFaults } from '../gallery/layout.ts';
import { settle } from '../gallery/scene.ts';
import { LONG } from '../gallery/world.ts';
import { hold } from './failures.ts';
import { accountRow, enter, expect, type Page, test, pressEscape } from './fixtures.ts';
import { call, createAccount, createOrganization, createProject, PASSWORD } from './people.ts';

// What the browser itself says of links that are known by nobody.
test.use({ allowed: [/status of 40[04]/] });

const { HEBREW, ARABIC, WIDE } = LONG;

async function expectFit(page: Page, what: string): Promise<void> {
  await expect.soft.poll(() => layoutFaults(page), { message: what, timeout: 20_000 }).toEqual([]);
}

test('CON-23, CON-24: what opens over a screen fits 320 px: drawer, switchers, dialogs; what is typed has its own direction', async ({
  page,
  server,
}) => {
  test.setTimeout(180_000);
  await page.setViewportSize({ width: 320, height: 740 });
  const email = 'narrow@example.org';
  const owner = await createAccount(server.url, email);
  const orgUuid = await createOrganization(server.url, owner, HEBREW, email);
  const projectUuid = await createProject(server.url, owner, orgUuid, WIDE);
  await enter(page, { email, password: PASSWORD });
  const project = `/org/${orgUuid}/projects/${projectUuid}/`;

  await page.goto(project);
  await settle(page);
  for (const name of [/^Organizations: /, /^Projects: /]) {
    await page.getByRole('button', { name: 'Open navigation' }).click();
    await page.getByRole('button', { name }).click();
    await expectFit(page, `the switcher ${name.source}`);
    await pressEscape(page);
    await page.getByRole('button', { name: 'Close navigation' }).click();
  }
  await page.getByRole('button', { name: 'Open navigation' }).click();
  await expectFit(page, 'the drawer');
  await accountRow(page).click();
  await expectFit(page, 'the account menu');
  await page.goto(`/org/${orgUuid}/`);
  await page.getByRole('main').getByRole('button', { name: 'Create project' }).click();
  const name = page.getByLabel('Name');
  await name.fill(ARABIC);
  expect(await name.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl');
  await name.fill('Archive');
  expect(await name.evaluate((element) => getComputedStyle(element).direction)).toBe('ltr');
  await expectFit(page, 'Create project');
  await pressEscape(page);
  await expectFit(page, 'Discard');
  await page.getByRole('button', { name: 'Discard' }).click();

  await page.goto(`${project}api/keys/`);
  await page.getByRole('button', { name: 'Create API key' }).click();
  await page.getByLabel('Name').fill(HEBREW);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'Your new API key' })).toBeVisible();
  await page.getByRole('button', { name: 'Show' }).click();
  await expectFit(page, 'a new key');
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Close anyway' }).click();
  const row = page.getByRole('table').getByRole('row').filter({ hasText: HEBREW });
  await expect(row.getByRole('cell')).toHaveCount(5);
  await row.getByRole('button', { name: /^Revoke/ }).click();
  await expect(page.getByRole('alertdialog', { name: 'Revoke this API key?' })).toBeVisible();
  await expectFit(page, 'Revoke');
  await pressEscape(page);

  await page.goto(`${project}settings/`);
  await page.getByRole('button', { name: 'Delete project' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await expectFit(page, 'Delete project');
  await pressEscape(page);
  expect(
    (await call(server.url, owner, 'PUT', `organizations/${orgUuid}/`, { name: ARABIC, contact_email: email })).status,
  ).toBe(200);
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await expect(page.getByRole('status').filter({ hasText: `is now called ${ARABIC}.` })).toBeVisible();
  await expectFit(page, 'a notice');

  await page.goto(`${project}playground/speech-to-text/?mode=async`);
  const release = await hold(page, '**/v1/files', { method: 'POST' });
  const buffer = await readFile(new URL('../../server/samples/weather-report.wav', import.meta.url));
  await page.getByLabel('Choose file').setInputFiles({ name: `${HEBREW}.wav`, mimeType: 'audio/wav', buffer });
  const uploading = page.getByRole('dialog', { name: 'Uploading file' });
  await expect(uploading).toContainText(`${HEBREW}.wav`);
  await expectFit(page, 'an upload');
  await uploading.getByRole('button', { name: 'Cancel' }).click();
  await expect(uploading).toHaveCount(0);
  release();

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search screens and commands' }).fill('switch');
  await expectFit(page, 'the palette');
});

test('UXP-05: large text has the layout of narrow windows, and nothing is cut', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  const browser = await page.context().newCDPSession(page);
  await browser.send('Page.enable');
  const { playground = '' } = await enter(page);
  const project = playground.replace(/playground\/.*/, '');
  for (const standard of [24, 32]) {
    await browser.send('Page.setFontSizes', { fontSizes: { standard, fixed: standard } });
    for (const address of [
      `${playground}?mode=real-time`,
      `${playground}?mode=async`,
      project,
      `${project}api/logs/`,
    ]) {
      await page.goto(address);
      await settle(page);
      await expectFit(page, `${address} with text of ${standard} px`);
    }
    const open = page.getByRole('button', { name: 'Open navigation' });
    // The bar is as high as its buttons.
    const bar = await page.getByRole('banner').boundingBox();
    const search = await page.getByRole('button', { name: 'Search screens and commands' }).boundingBox();
    expect(search?.height).toBeLessThan(bar?.height ?? 0);
    await open.click();
    const drawer = page.getByRole('dialog', { name: 'Navigation' });
    await expect(drawer.getByRole('link', { name: 'Dashboard' })).toBeVisible();
    await expectFit(page, `the drawer with text of ${standard} px`);
  }
});

test('UXP-06: in a window of 320 × 256 px, what has the focus in a dialog is in sight', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 256 });
  const { playground = '' } = await enter(page);
  const focused = page.locator(':focus');
  const expectInSight = async () => {
    await expect(focused).toBeVisible();
    await expect(focused).toBeInViewport({ ratio: 1 });
  };
  for (const [address, name] of [
    [playground.replace(/playground\/.*/, 'api/keys/'), 'Create API key'],
    [playground.replace(/projects\/.*/, 'billing/overview/'), 'Add to balance'],
  ] as const) {
    await page.goto(address);
    await page.getByRole('button', { name, exact: true }).press('Enter');
    const dialog = page.getByRole('dialog', { name });
    await expect(dialog.locator(':focus')).toBeVisible();
    await expectInSight();
    const close = dialog.getByRole('button', { name: 'Close' });
    for (let stops = 0; stops < 12 && !(await close.evaluate((element) => element.matches(':focus'))); stops += 1) {
      await page.keyboard.press('Tab');
      await expectInSight();
    }
    await expect(close).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(close).not.toBeFocused();
    await expectInSight();
  }
});
