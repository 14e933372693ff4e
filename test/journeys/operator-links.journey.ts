import { expect, expectAccessible, signIn, testWith, type Page } from './fixtures.ts';

/** Every link that an operator may set, as the settings name it. */
const LINKS = {
  DOCS_URL: 'https://docs.example.com/',
  REPOSITORY_URL: 'https://git.example.com/console',
  COMMUNITY_URL: 'https://chat.example.com/',
  TERMS_URL: 'https://example.com/policies',
  PRIVACY_URL: 'https://example.com/privacy',
};

const test = testWith({ ...LINKS, SUPPORT_EMAIL: 'help@example.com' });
test.use({ allowed: [/status of 404/] });

const outside = (page: Page) => page.getByRole('region', { name: 'Resources' }).getByRole('link');

test('SHL-10, UXP-31: signed-out pages link to the policies; docs, source and chat stay in sight below the navigation', async ({
  page,
}) => {
  await test.step('ACC-08: public pages link to the policies', async () => {
    for (const path of ['/signin/', '/signup/', '/signup/resend-activation-email/']) {
      await page.goto(path);
      await expect(page.getByRole('link', { name: 'Terms of Use' })).toHaveAttribute('href', LINKS.TERMS_URL);
      await expect(page.getByRole('link', { name: 'Privacy Policy' })).toHaveAttribute('href', LINKS.PRIVACY_URL);
    }
    await expectAccessible(page);
  });

  await signIn(page);
  await expect(outside(page)).toHaveText(['Docs', 'API reference', 'Source repository', 'Community chat']);
  for (const [name, href] of [
    ['Docs', LINKS.DOCS_URL],
    ['Source repository', LINKS.REPOSITORY_URL],
    ['Community chat', LINKS.COMMUNITY_URL],
  ] as const) {
    await expect(outside(page).filter({ hasText: name })).toHaveAttribute('href', href);
    await expect(outside(page).filter({ hasText: name })).toHaveAttribute('target', '_blank');
  }
  const home = new URL(page.url()).pathname;
  await test.step('UXP-70: the links stay in sight', async () => {
    for (const size of [
      { width: 1280, height: 500 },
      { width: 320, height: 568 },
    ]) {
      await page.setViewportSize(size);
      if (size.width < 900) await page.getByRole('button', { name: 'Open navigation' }).click();
      const nav = page.getByRole('navigation', { name: 'Console' });
      for (const part of [0, 1]) {
        await nav.evaluate((element, to) => (element.scrollTop = to * element.scrollHeight), part);
        for (const link of await outside(page).all()) await expect(link).toBeInViewport({ ratio: 1 });
      }
      await expectAccessible(page);
    }
  });
  await page.goto(`${home}projects/00000000-0000-4000-8000-000000000000/`);
  await expect(page.getByText(/the problem persists contact help@example\.com\.$/)).toBeVisible();
});
