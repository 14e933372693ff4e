import { enter, expect, test } from './fixtures.ts';
import { createAccount, createOrganization, join } from './people.ts';
import { hold, refuse } from './failures.ts';

// What the browser itself says about answers that fail once.
test.use({ allowed: [/status of 500/] });

test('ORG-05 ORG-03: what fails about members is said, changes nothing and can be tried again; who leaves is led away', async ({
  page,
  server,
}) => {
  const owner = await enter(page);
  const organization = await createOrganization(server.url, owner, 'Two owners');
  const kim = 'kim@example.com';
  const person = await createAccount(server.url, kim);
  await join(server.url, { owner, orgUuid: organization, account: person, email: kim }, { role: 'owner' });

  const row = page.getByRole('list', { name: 'Members' }).getByRole('listitem').filter({ hasText: kim });
  // `?inspect` shows the root actor; nobody looks at the inspector's own window here.
  await page.addInitScript(() => {
    window.open = () => null;
  });
  // The list fails however often it is read: also once more as soon as the page hears of changes.
  await page.route('**/users/', refuse);
  const stream = page.waitForResponse('**/api/v2/events/');
  await page.goto(`/org/${organization}/members/?inspect`);
  await stream;
  await expect(page.getByRole('alert').filter({ hasText: 'Members could not be loaded.' })).toContainText(
    'The disk is full.',
  );
  await page.unroute('**/users/');
  await page.getByRole('button', { name: 'Retry' }).click();

  // Told that others have changed the list, which cannot be read again.
  await page.route('**/users/', refuse);
  await page.evaluate(() => {
    const workspace = window.parlance?.getSnapshot().children.workspace;
    workspace?.getSnapshot().children.members?.send({ type: 'screen.stale' });
  });
  const outdated = page.getByRole('alert').filter({ hasText: 'could not be loaded again' });
  await expect(outdated).toBeVisible();
  await expect(row).toBeVisible();
  await page.unroute('**/users/');
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect(outdated).toHaveCount(0);

  // The row is gone at once, and what has the focus stands where it stood.
  await page.getByRole('button', { name: `Remove ${kim}` }).click();
  const question = page.getByRole('alertdialog', { name: 'Remove this member?' });
  await expect(question.getByRole('button', { name: 'Remove' })).toBeEnabled();
  const refused = await hold(page, '**/users/*/', { answer: refuse });
  await question.getByRole('button', { name: 'Remove' }).click();
  await expect(row).toHaveCount(0);
  await expect(page.locator('[data-rows]:focus, [data-rows] :focus')).toHaveCount(1);
  refused();
  await expect(page.getByText('Error! Failed to remove member. The disk is full.')).toBeVisible();
  await expect(row).toContainText('Owner');
  await page.unroute('**/users/*/');

  await test.step('UXP-90: what is last can be scrolled out from under the failure', async () => {
    await page.setViewportSize({ width: 1280, height: 420 });
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    const [last, toast] = await Promise.all([
      page.getByRole('main').getByRole('button').last().boundingBox(),
      page.locator('.toasts [role=alert] > *').first().boundingBox(),
    ]);
    expect((last?.y ?? Infinity) + (last?.height ?? 0)).toBeLessThanOrEqual(toast?.y ?? 0);
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  await page.getByRole('button', { name: 'Leave the organization' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click();
  await expect(page.getByText('Success! You left the organization.')).toBeVisible();
  await expect(page).not.toHaveURL(new RegExp(organization));
});
