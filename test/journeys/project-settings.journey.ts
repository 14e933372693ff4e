import * as v from 'valibot';
import { Memberships } from '#contract/organizations.ts';
import type { Account } from './account.ts';
import { expect, expectAccessible, type Page, showIn, signIn, test } from './fixtures.ts';
import { call, createAccount, createOrganization, createProject, join, PASSWORD } from './people.ts';

const ADA = 'curator@example.com';
const BOB = 'archivist@example.com';
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const person = (page: Page, text: string) =>
  page.getByRole('list', { name: 'Members of the project' }).getByRole('listitem').filter({ hasText: text });

/** An organization with two projects, and a member of it who was added to the second one only. */
async function prepare(url: string) {
  const [ada, bob] = [await createAccount(url, ADA), await createAccount(url, BOB)];
  const orgUuid = await createOrganization(url, ada, 'Archive', ADA);
  const projectUuid = await createProject(url, ada, orgUuid, 'Interviews', 'Spoken.');
  const second = await createProject(url, ada, orgUuid, 'Letters');
  await join(url, { owner: ada, orgUuid, account: bob, email: BOB }, { role: 'member', project_uuids: [second] });
  return { bob, organization: `/org/${orgUuid}/`, project: `/org/${orgUuid}/projects/${projectUuid}/` };
}

async function projectsOf(url: string, account: Account): Promise<string[]> {
  const { organizations } = v.parse(Memberships, await (await call(url, account, 'GET', 'user/organizations/')).json());
  return organizations.flatMap(({ projects }) => projects.map(({ name }) => name));
}

test('PRJ-02 ERR-04: a project is renamed, gets and loses a member, and is deleted once its name was typed @gate', async ({
  page,
  server,
}) => {
  const { bob, organization, project } = await prepare(server.url);
  await signIn(page, { email: ADA, password: PASSWORD, path: `${project}settings/` });
  await expect(heading(page, 'Project settings')).toBeVisible();
  await expect(page).toHaveTitle(/^Project settings · Interviews/);

  const [name, description, save] = [
    page.getByLabel('Name'),
    page.getByLabel('Description'),
    page.getByRole('button', { name: 'Save' }),
  ];
  await expect(name).toHaveValue('Interviews');
  await expect(description).toHaveValue('Spoken.');
  await name.fill('');
  await description.fill('x'.repeat(1025));
  await save.click();
  await expect(name).toHaveAccessibleDescription("Name can't be empty.");
  await expect(name).toBeFocused();
  await expect(description).toHaveAccessibleDescription('Description must be at most 1024 characters.');
  await expectAccessible(page);
  await name.fill('Talks');
  await description.fill('');
  await save.click();
  await expect(page.getByText('Success! Project was saved.')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Projects/ })).toHaveText(/Talks/);
  await expect(page.getByRole('navigation', { name: 'Breadcrumb' })).toContainText('Talks');
  await page.reload();
  await expect(name).toHaveValue('Talks');
  await expect(description).toHaveValue('');

  await expect(person(page, ADA)).toContainText('Reaches every project');
  await expect(person(page, ADA).getByRole('button')).toHaveCount(0);
  await expect(person(page, BOB)).toHaveCount(0);
  expect(await projectsOf(server.url, bob)).toEqual(['Letters']);
  await page.getByLabel('Add a member of the organization').selectOption({ label: BOB });
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(page.getByText('Success! Member was added to the project.')).toBeVisible();
  await expect(person(page, BOB)).toContainText('Added to this project');
  await expect(page.getByText('Everyone in the organization has access.')).toBeVisible();
  expect(await projectsOf(server.url, bob)).toEqual(['Talks', 'Letters']);

  await page.getByRole('button', { name: `Remove ${BOB}` }).click();
  const question = page.getByRole('alertdialog', { name: 'Remove from this project?' });
  await expect(question).toContainText(BOB);
  await expectAccessible(page);
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('button', { name: `Remove ${BOB}` })).toBeFocused();
  await page.getByRole('button', { name: `Remove ${BOB}` }).click();
  await question.getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText('Success! Member was removed from the project.')).toBeVisible();
  await expect(person(page, BOB)).toHaveCount(0);
  expect(await projectsOf(server.url, bob)).toEqual(['Letters']);

  await showIn(page, { width: 360, height: 740, colorScheme: 'dark' });
  await expect(person(page, ADA)).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  await page.getByRole('button', { name: 'Delete project' }).click();
  const deletion = page.getByRole('dialog', { name: 'Delete this project?' });
  const typed = deletion.getByLabel('Type the name of the project to confirm');
  await expect(typed).toBeFocused();
  await typed.fill('talks');
  await deletion.getByRole('button', { name: 'Delete' }).click();
  await expect(typed).toHaveAccessibleDescription('Type the name of the project exactly as it is.');
  await typed.fill('Talks');
  await deletion.getByRole('button', { name: 'Delete' }).click();
  await expect(heading(page, 'Archive')).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`${organization}$`));
  await expect(page.getByText('Success! Project was deleted.')).toBeVisible();
  expect(await projectsOf(server.url, bob)).toEqual(['Letters']);
  await page.goto(project);
  await expect(
    page.getByText(
      'Failed to load project data. Make sure you have a valid url or try again later. If the problem persists contact support.',
    ),
  ).toBeVisible();
});
