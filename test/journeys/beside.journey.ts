/** The pages beside the console: the outbox, the inspector, and mails as their readers see them. */
import type { Page } from '@playwright/test';
import { CSRF_COOKIE, CSRF_HEADER } from '#contract/session.ts';
import { activationMail } from '#server/identity/accounts/mails.ts';
import { invitationMail } from '#server/tenancy/invitations/mail.ts';
import { expect, expectAccessible, showIn, signIn, test } from './fixtures.ts';
import { outboxLink } from './server.ts';

const LOOKS = [320, 1440].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
);
const fits = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
const ground = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

test('DOC-04: the outbox and the inspector are in the console’s type and colours, fit, stand up to axe, and lead back', async ({
  page,
  server,
}) => {
  await page.request.get('/signup/');
  const token = (await page.context().cookies()).find(({ name }) => name === CSRF_COOKIE)?.value ?? '';
  const asked = await page.request.put('/api/v2/signup/verify-email/', {
    data: { email: 'beside@example.com' },
    headers: { [CSRF_HEADER]: token },
  });
  expect(asked.status()).toBe(200);
  for (const [path, name] of [
    [outboxLink(server.url), 'Outbox'],
    ['/inspector', 'Inspector'],
  ] as const) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
    if (name === 'Outbox') await expect(page.getByText('To beside@example.com,')).toBeVisible();
    for (const { width, colorScheme } of LOOKS) {
      await showIn(page, { width, height: 900, colorScheme });
      expect(await ground(page)).toBe(colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(15, 17, 21)');
      expect(await page.evaluate(() => document.fonts.check("15px 'Inter Variable'"))).toBe(true);
      expect(await fits(page)).toBe(true);
      await expectAccessible(page);
    }
    await page.getByRole('link', { name: 'Back to the console' }).click();
    await expect(page).toHaveURL(/\/signin\//);
  }
});

test('DOC-05: mails fit, stand up to axe, and have one button', async ({ page }) => {
  const config = { productName: 'Parlance', supportEmail: undefined };
  const link = `https://console.example.com/invite/${'a1b2c3'.repeat(20)}/`;
  const expiresAt = new Date('2026-05-04T09:30:00Z');
  for (const { html, subject } of [
    activationMail({ config }, 'new@example.com', link, expiresAt),
    invitationMail(
      { config },
      {
        to: 'new@example.com',
        organization: 'Analytical Engines of the Northern Counties',
        invitedBy: 'ada@example.com',
        link,
        expiresAt,
      },
    ),
  ]) {
    await page.setContent(html);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(subject.replace(' – Parlance', ''));
    await expect(page.getByRole('link')).toHaveCount(1);
    for (const { width, colorScheme } of LOOKS) {
      await showIn(page, { width, height: 900, colorScheme });
      expect(await ground(page)).toBe(colorScheme === 'light' ? 'rgb(247, 248, 250)' : 'rgb(20, 23, 28)');
      expect(await fits(page)).toBe(true);
      await expectAccessible(page);
    }
  }
});

test('DOC-03: the theme that was chosen in the console holds on the pages beside it', async ({ page, server }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await signIn(page);
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Commands' }).getByRole('combobox').fill('dark');
  await page.keyboard.press('Enter');
  await expect(page.locator('html')).toHaveClass(/dark/);
  for (const path of ['/inspector', outboxLink(server.url)]) {
    await page.goto(path);
    expect(await ground(page)).toBe('rgb(15, 17, 21)');
  }
});
