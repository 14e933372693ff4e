import * as v from 'valibot';
import { OrganizationDetails, Welcome } from '#contract/organizations.ts';
import { storeTokens } from './account.ts';
import { expect, expectAccessible, test } from './fixtures.ts';
import { call, createAccount } from './people.ts';

test.use({ allowed: [/status of 500/] });

test('ONB-08 ONB-01: the organization of a newcomer is renamed where its name stands', async ({ page, server }) => {
  const account = await createAccount(server.url, 'ada.b@example.org');
  const { organization_uuid: uuid } = v.parse(
    Welcome,
    await (await call(server.url, account, 'POST', 'user/welcome/')).json(),
  );
  await storeTokens(page, account.tokens);
  await page.goto(`/org/${uuid}/`);
  const heading = page.getByRole('heading', { level: 1 });
  await expect(heading).toHaveText('Personal');
  const rename = page.getByRole('button', { name: 'Rename' });
  await rename.click();
  const name = page.getByLabel('Name', { exact: true });
  await expect(name).toBeFocused();
  await expect(name).toHaveValue('Personal');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(name).toBeHidden();
  await expect(page.getByRole('group', { name: 'Organization', exact: true })).toBeFocused();

  await rename.click();
  await name.fill(' ');
  await name.press('Enter');
  await expect(name).toHaveAccessibleDescription("Name can't be empty.");
  await page.route(`**/api/v2/organizations/${uuid}/`, (route) => route.fulfill({ status: 500, json: {} }), {
    times: 1,
  });
  await name.fill('Analytical Engines');
  await name.press('Enter');
  await expect(page.getByRole('main').getByRole('alert')).toBeVisible();
  await expect(name).toHaveValue('Analytical Engines');
  await name.press('Enter');
  await expect(heading).toHaveText('Analytical Engines');
  await expect(page.getByText('Success! Organization was saved.')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Organizations/ })).toContainText('Analytical Engines');
  const details = v.parse(
    OrganizationDetails,
    await (await call(server.url, account, 'GET', `organizations/${uuid}/`)).json(),
  );
  expect(details).toMatchObject({ name: 'Analytical Engines', contact_email: 'ada.b@example.org' });
});
