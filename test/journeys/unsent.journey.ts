import { expect, expectAccessible, signIn, test, type Page } from './fixtures.ts';
import { outboxLink } from './server.ts';

const main = (page: Page) => page.getByRole('main');

/** Asks for a link, as somebody new or as somebody who has forgotten the password. */
async function ask(page: Page, { path, button }: { path: string; button: string }): Promise<void> {
  await page.goto(path);
  await expect(main(page)).toContainText("You'll get");
  await page.getByLabel('E-mail').fill('new@example.com');
  await page.getByRole('button', { name: button }).click();
  await expect(page.getByRole('heading', { name: 'Check your inbox' })).toBeVisible();
}

for (const asked of [
  { path: '/signup/', button: 'Sign up', mail: 'Activate your account' },
  { path: '/password/recover/', button: 'Send e-mail', mail: 'There is no account with this address' },
]) {
  test(`UXP-33: ${asked.path} of a server without a mail server says where the link is, and leads there once it can`, async ({
    page,
    server,
  }) => {
    await ask(page, asked);
    await expect(main(page)).toContainText(
      'a link is waiting in the outbox. This server has no mail server, so nothing is sent; whoever runs it opens the outbox with the link that was printed at the start.',
    );
    await expect(page.getByRole('link', { name: 'the outbox' })).toHaveCount(0);
    await expectAccessible(page);

    await page.goto(outboxLink(server.url));
    await ask(page, asked);
    await expectAccessible(page);
    const [outbox] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'the outbox' }).click(),
    ]);
    await expect(outbox.getByRole('heading', { name: asked.mail }).first()).toBeVisible();
  });
}

for (const [mails, text] of [
  ['sent', 'a link is on its way. Give it a minute, and check your spam folder.'],
  ['lost', "a link is ready, but can't be sent: this server has no mail server. Ask whoever runs it to set SMTP_URL."],
] as const) {
  test(`UXP-33: where mails are ${mails}, the page says so`, async ({ page }) => {
    await page.route('**/signup/', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({
        response: answer,
        body: (await answer.text()).replace('"mails":"outboxClosed"', `"mails":"${mails}"`),
      });
    });
    // What one address may cause is capped.
    await page.route('**/signup/verify-email/', (route) => route.fulfill({ json: {} }));
    await page.goto('/signup/');
    await page.getByLabel('E-mail').fill('new@example.com');
    await page.getByRole('button', { name: 'Sign up' }).click();
    await expect(main(page)).toContainText(`If new@example.com can sign up, ${text}`);
  });
}

test('UXP-33: an invitation says that its link is to be passed on', async ({ page }) => {
  await signIn(page);
  await page.goto(`${new URL(page.url()).pathname}members/invite/`);
  await expect(main(page)).toContainText('copy it and pass it on. The message about it is waiting in the outbox.');
  await page.getByLabel('E-mail').fill('new@example.com');
  await page.getByRole('button', { name: 'Create invitation' }).click();
  await expect(page.getByText('Success! new@example.com was invited.')).toBeVisible();
  await expect(page.getByRole('button', { name: /Invitation link of new@example.com/ })).toBeVisible();
});

test('UXP-33: where mails are sent, an invitation is sent', async ({ page }) => {
  await signIn(page);
  await page.route('**/members/invite/', async (route) => {
    if (route.request().resourceType() !== 'document') return route.fallback();
    const answer = await route.fetch();
    const body = (await answer.text()).replace('"mails":"outboxClosed"', '"mails":"sent"');
    return route.fulfill({ response: answer, body });
  });
  await page.goto(`${new URL(page.url()).pathname}members/invite/`);
  await expect(main(page)).toContainText("They'll get an email with a link to join");
  await expect(page.getByRole('button', { name: 'Send invitation' })).toBeEnabled();
  await expect(page.getByRole('button', { name: 'Create invitation' })).toHaveCount(0);
});
