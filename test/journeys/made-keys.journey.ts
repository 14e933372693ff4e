import * as v from 'valibot';
import { ApiKeyCreated } from '#contract/api-keys.ts';
import type { Account } from './account.ts';
import { failOnce } from './failures.ts';
import { expect, expectAccessible, signIn, test } from './fixtures.ts';
import { call, createAccount, createOrganization, createProject, join, PASSWORD } from './people.ts';

// What the browser itself says about a list that fails once.
test.use({ allowed: [/status of 500/] });

/** An organization with two projects, and a member of both who made a key in each. */
async function prepare(url: string, names: { owner: string; member: string }) {
  const [owner, member] = [await createAccount(url, names.owner), await createAccount(url, names.member)];
  const made = async <S extends v.GenericSchema>(schema: S, by: Account, path: string, body: object) =>
    v.parse(schema, await (await call(url, by, 'POST', path, body)).json());
  const orgUuid = await createOrganization(url, owner, 'Archive', names.owner);
  const interviews = await createProject(url, owner, orgUuid, 'Interviews');
  const letters = await createProject(url, owner, orgUuid, 'Letters');
  const how = { role: 'member', project_uuids: [interviews, letters] };
  await join(url, { owner, orgUuid, account: member, email: names.member }, how);
  const keys = {
    nightly: await made(ApiKeyCreated, member, `projects/${interviews}/api-keys/`, { name: 'Nightly import' }),
    scanner: await made(ApiKeyCreated, member, `projects/${letters}/api-keys/`, { name: 'Scanner' }),
    own: await made(ApiKeyCreated, owner, `projects/${letters}/api-keys/`, { name: 'Of the owner' }),
  };
  const statuses = () =>
    Promise.all(
      Object.values(keys).map(
        async ({ key }) => (await fetch(`${url}/v1/files`, { headers: { authorization: `Bearer ${key}` } })).status,
      ),
    );
  return { organization: `/org/${orgUuid}/`, interviews, keys, statuses };
}

test('SEC-13: an owner who removes a member is told which keys they made, and revokes them in the same step', async ({
  page,
  server,
}) => {
  const [owner, member] = ['owner-of-keys@example.com', 'maker-of-keys@example.com'];
  const { organization, keys, statuses } = await prepare(server.url, { owner, member });
  expect(await statuses()).toEqual([200, 200, 200]);
  await signIn(page, { email: owner, password: PASSWORD, path: `${organization}members/` });
  await failOnce(page, '**/users/*/api-keys/');
  await page.getByRole('button', { name: `Remove ${member}` }).click();
  const question = page.getByRole('alertdialog', { name: 'Remove this member?' });

  // A list that cannot be read is told, and holds nothing up.
  await expect(question.getByRole('alert')).toContainText(
    'Their API keys could not be loaded. If you remove this member now, their keys keep working.',
  );
  await expect(question.getByRole('alert')).toContainText('The disk is full.');
  await expect(question.getByRole('button', { name: 'Remove' })).toBeEnabled();
  await expectAccessible(page);
  await question.getByRole('button', { name: 'Retry' }).click();

  await expect(question.getByRole('status')).toHaveText('2 API keys that they made stay unless you revoke them:');
  const listed = question.getByRole('region', { name: 'Their API keys' }).getByRole('listitem');
  await expect(listed).toHaveText([
    `Scanner ${keys.scanner.api_key.masked_key}Project Letters`,
    `Nightly import ${keys.nightly.api_key.masked_key}Project Interviews`,
  ]);
  const choice = question.getByRole('checkbox', { name: 'Revoke these keys' });
  await expect(choice).not.toBeChecked();
  await choice.press('Space');
  await expect(choice).toBeChecked();
  await question.getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText('Success! Member was removed, and every API key they made was revoked.')).toBeVisible();
  await expect(page.getByRole('list', { name: 'Members' }).getByRole('listitem')).toHaveCount(1);
  expect(await statuses()).toEqual([401, 401, 200]);
});

test('SEC-13: removed from a project, a member is asked about with the keys of that project only; they stay unless chosen', async ({
  page,
  server,
}) => {
  const [owner, member] = ['owner-of-projects@example.com', 'maker-of-projects@example.com'];
  const { organization, interviews, statuses } = await prepare(server.url, { owner, member });
  await signIn(page, { email: owner, password: PASSWORD, path: `${organization}projects/${interviews}/settings/` });
  await page.getByRole('button', { name: `Remove ${member}` }).click();
  const question = page.getByRole('alertdialog', { name: 'Remove from this project?' });
  await expect(question.getByRole('status')).toHaveText('An API key that they made stays unless you revoke it:');
  await expect(question.getByRole('listitem')).toHaveText(/Nightly import/);
  await expectAccessible(page);
  await question.getByRole('checkbox', { name: 'Revoke this key' }).press('Space');
  await question.getByRole('button', { name: 'Remove' }).click();
  await expect(
    page.getByText('Success! Member was removed from the project, and every API key they made was revoked.'),
  ).toBeVisible();
  expect(await statuses()).toEqual([401, 200, 200]);

  // From the organization without a choice: the other one stays.
  await page.goto(`${organization}members/`);
  await page.getByRole('button', { name: `Remove ${member}` }).click();
  await page.getByRole('alertdialog', { name: 'Remove this member?' }).getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText('Success! Member was removed.')).toBeVisible();
  expect(await statuses()).toEqual([401, 200, 200]);
});
