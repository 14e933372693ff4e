import { enter, expect, expectAccessible, test, type Page } from './fixtures.ts';
import { outboxLink } from './server.ts';

const CLOSED = 'Ask your administrator for the link';
const OPEN = 'Check the outbox';

const main = (page: Page) => page.getByRole('main');

/** Asks for a link, as somebody new or as somebody who has forgotten the password. */
async function ask(page: Page, { path, button }: { path: string; button: string }, name: string): Promise<void> {
  await page.goto(path);
  await expect(main(page)).toContainText("You'll get");
  await page.getByLabel('E-mail').fill('new@example.com');
  await page.getByRole('button', { name: button }).click();
  await expect(page.getByRole('heading', { name })).toBeVisible();
}

const ASKED = [
  {
    path: '/signup/',
    button: 'Sign up',
    text: 'If new@example.com can sign up, your administrator has the activation link.',
    mail: 'Activate your account',
  },
  {
    path: '/password/recover/',
    button: 'Get a link',
    text: 'If new@example.com has an account, your administrator has the link for a new password.',
    mail: 'There is no account with this address',
  },
];

test('UXP-33: sign-up and recovery of a server without a mail server say where the link is, and lead there once they can', async ({
  page,
  server,
}) => {
  for (const asked of ASKED) {
    await ask(page, asked, CLOSED);
    await expect(main(page)).toContainText(`This server can't send e-mail. ${asked.text}`);
    await expect(page.getByRole('link', { name: 'the outbox' })).toHaveCount(0);
  }
  await expectAccessible(page);
  await page.goto(outboxLink(server.url));
  for (const asked of ASKED) {
    await ask(page, asked, OPEN);
    const [outbox] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'the outbox' }).click(),
    ]);
    await expect(outbox.getByRole('heading', { name: asked.mail }).first()).toBeVisible();
    await outbox.close();
  }
  await expectAccessible(page);
});

test('UXP-33: where mails are sent, and where they are lost, the page says so', async ({ page }) => {
  // What one address may cause is capped.
  await page.route('**/signup/verify-email/', (route) => route.fulfill({ json: {} }));
  for (const [mails, heading, text, again] of [
    ['sent', 'Check your inbox', 'a link is on its way. Give it a minute, and check your spam folder.', 'Send again'],
    [
      'lost',
      "This server can't send e-mail",
      "the activation link can't reach you. Ask your administrator to set SMTP_URL.",
      'Get another link',
    ],
  ] as const) {
    await page.route('**/signup/', async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace('"mails":"outboxClosed"', `"mails":"${mails}"`);
      await route.fulfill({ response, body });
    });
    await page.goto('/signup/');
    await page.getByLabel('E-mail').fill('new@example.com');
    await page.getByRole('button', { name: 'Sign up' }).click();
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeFocused();
    await expect(main(page)).toContainText(`If new@example.com can sign up, ${text}`);
    await expect(page.getByRole('button', { name: again, exact: true })).toBeVisible();
  }
});

test('UXP-33: an invitation says that its link is to be passed on; where mails are sent, it is sent', async ({
  page,
}) => {
  const { playground } = await enter(page);
  const address = (playground ?? '').replace(/projects\/.*/, 'members/invite/');
  await page.goto(address);
  await expect(main(page)).toContainText('Create it, then copy its link under Members and give it to the person.');
  await page.getByLabel('E-mail').fill('new@example.com');
  await page.getByRole('button', { name: 'Create invitation' }).click();
  await expect(page.getByText('Success! new@example.com was invited.')).toBeVisible();
  await expect(page.getByRole('button', { name: /Invitation link of new@example.com/ })).toBeVisible();

  await page.route('**/members/invite/', async (route) => {
    if (route.request().resourceType() !== 'document') return route.fallback();
    const response = await route.fetch();
    const body = (await response.text()).replace('"mails":"outboxClosed"', '"mails":"sent"');
    return route.fulfill({ response, body });
  });
  await page.goto(address);
  await expect(main(page)).toContainText("They'll get an email with a link to join");
  await expect(page.getByRole('button', { name: 'Send invitation' })).toBeEnabled();
  await expect(page.getByRole('button', { name: 'Create invitation' })).toHaveCount(0);
});
