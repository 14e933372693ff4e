import * as v from 'valibot';
import { Invitations } from '#contract/members.ts';
import { hold } from './failures.ts';
import { enter, expect, expectAccessible, pressEscape, test } from './fixtures.ts';
import { call, createOrganization, linkTo } from './people.ts';

// What the browser itself says about an invitation that is pending.
test.use({ allowed: [/status of 400/] });

test('CON-03, CON-09: somebody who is invited already is invited again only on purpose, at an address beyond ASCII', async ({
  page,
  server,
}) => {
  const owner = await enter(page);
  const uuid = await createOrganization(server.url, owner, 'Readers');
  const email = 'zoë@münchen.de';
  expect(
    (await call(server.url, owner, 'POST', `organizations/${uuid}/invite/`, { email, role: 'admin' })).status,
  ).toBe(201);
  const link = await linkTo(server.url, email, 'invite');
  const open = async () =>
    v.parse(Invitations, await (await call(server.url, owner, 'GET', `organizations/${uuid}/invite/`)).json())
      .invitations;
  const [first] = await open();

  await page.goto(`/org/${uuid}/members/invite/`);
  const address = page.getByLabel('E-mail');
  await address.pressSequentially(email);
  await expect(address).toHaveValue(email);
  await page.getByRole('button', { name: 'Create invitation' }).click();
  const question = page.getByRole('dialog', { name: 'An invitation is pending' });
  await expect(question).toContainText(`${email} already has a pending invitation as Admin, made `);
  await expect(question).toContainText('You chose Member now; the invitation changes only if you say so.');
  await expectAccessible(page);
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(question).toHaveCount(0);
  await expect(address).toHaveValue(email);
  await expect(address).toBeFocused();
  expect(await open()).toEqual([first]);

  await page.getByRole('button', { name: 'Create invitation' }).click();
  await question.getByRole('button', { name: 'Renew unchanged' }).click();
  await expect(page.getByText(`Success! ${email} was invited.`)).toBeVisible();
  expect(await open()).toEqual([{ ...first, expires_at: expect.any(String) }]);

  await page.goto(`/org/${uuid}/members/invite/`);
  await address.fill(email.toUpperCase());
  await page.getByRole('button', { name: 'Create invitation' }).click();
  await expect(question).toBeVisible();
  const release = await hold(page, '**/invite/', { method: 'POST' });
  await question.getByRole('button', { name: 'Change to Member and renew' }).click();
  await pressEscape(page);
  const leaving = page.getByRole('alertdialog', { name: 'Leave without the answer?' });
  await leaving.getByRole('button', { name: 'Keep waiting' }).click();
  await expect(leaving).toHaveCount(0);
  await expect(question).toBeVisible();
  release();
  await expect(page.getByRole('list', { name: 'Invitations' }).getByRole('listitem')).toContainText([/Member/]);
  expect(await open()).toMatchObject([{ uuid: first?.uuid, role: 'member' }]);
  expect(await linkTo(server.url, email, 'invite')).toBe(link);
});
