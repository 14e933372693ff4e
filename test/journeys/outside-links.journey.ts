import { expect, signIn, test, type Page } from './fixtures.ts';

const outside = (page: Page) => page.getByRole('region', { name: 'Resources' }).getByRole('link');

// A server whose operator has set no links.
test('UXP-31: without settings it links only to its own reference, also in the palette, and to no policies', async ({
  page,
  server,
}) => {
  for (const path of ['/signin/', '/signup/']) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.getByRole('link', { name: /Terms of Use|Privacy Policy/ })).toBeHidden();
  }
  await signIn(page);
  await expect(outside(page)).toHaveText(['Docs', 'API reference']);
  await expect(outside(page).first()).toHaveAttribute('href', `${server.url}/api/docs#quickstart`);
  await expect(outside(page).last()).toHaveAttribute('href', `${server.url}/api/docs`);
  const [docs] = await Promise.all([page.waitForEvent('popup'), outside(page).first().click()]);
  await expect(docs.getByRole('heading', { name: 'Quickstart' })).toBeInViewport();

  await page.keyboard.press('Control+k');
  await page.keyboard.type('open');
  const rows = page.getByRole('listbox', { name: 'Commands' }).getByRole('option');
  await expect(rows.filter({ hasText: 'New tab' })).toHaveText([/^Open API reference/, /^Open Docs/]);
  await page.keyboard.type(' api');
  await expect(rows).toHaveText([/^Open API reference/]);
  const [reference] = await Promise.all([page.waitForEvent('popup'), page.keyboard.press('Enter')]);
  await expect(reference).toHaveURL(`${server.url}/api/docs`);
  await expect(page.getByRole('listbox', { name: 'Commands' })).toBeHidden();
});
