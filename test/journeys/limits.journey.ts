import { enter, expect, type Page, test } from './fixtures.ts';
import { createPlace } from './metered.ts';
import { clip } from './playground.ts';
import { call, createAccount, createProject, join, PASSWORD } from './people.ts';
import { holdStreams } from './streams.ts';

// What the browser itself says of a change that the server refuses.
test.use({ allowed: [/status of (409|429)/] });

const row = (page: Page, name: string) =>
  page
    .getByRole('table', { name: 'Limits' })
    .getByRole('row')
    .filter({ has: page.getByRole('heading', { name }) });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page) => page.getByRole('dialog');

test('ORG-07: an owner sees what is used, changes a limit, is told what is too high, and asks for more @gate', async ({
  page,
  server,
}) => {
  const owner = await enter(page);
  const { organization } = await createPlace(server.url, owner);
  await page.goto(`${organization}limits/`);
  const streams = row(page, 'Concurrent streams');
  await expect(streams).toContainText(/20 streams.*0 in use.*Default/);
  await expect(streams.getByRole('meter')).toHaveAttribute('aria-valuetext', '0 of 20 streams in use');
  // UXP-95: all of them are on one screen.
  await page.setViewportSize({ width: 1440, height: 900 });
  await expect(row(page, 'Monthly budget')).toBeInViewport({ ratio: 1 });
  await expect(row(page, 'Stored files')).toContainText(/20 GiB.*0 GiB/);
  await expect(row(page, 'Monthly budget')).toContainText('No limit');

  await button(page, 'Change the limit of concurrent streams').click();
  const field = page.getByLabel('Streams at the same time');
  await expect(field).toHaveValue('');
  await expect(field).toBeFocused();
  await field.fill('21');
  await button(page, 'Save').click();
  await expect(field).toHaveAccessibleDescription(/At most 20 streams.*This is more than can be set here\./);
  await field.fill('8');
  await button(page, 'Save').click();
  await expect(dialog(page)).toBeHidden();
  await expect(page.getByText('Success! Limit was saved.')).toBeVisible();
  await expect(streams).toContainText(/8 streams.*0 in use.*The organization · at most 20 streams/);
  await expect(button(page, 'Change the limit of concurrent streams')).toBeFocused();

  await button(page, 'Change the monthly budget').click();
  await page.getByLabel('Budget per month, in US dollars').fill('12.5');
  await button(page, 'Save').click();
  await expect(row(page, 'Monthly budget')).toContainText(/\$12\.50.*\$0\.00 this month/);

  // What is wanted turns out to be more than can be set.
  await button(page, 'Change the limit of concurrent streams').click();
  await expect(page.getByLabel('Streams at the same time')).toHaveValue('8');
  await dialog(page).getByRole('button', { name: 'Request an increase' }).click();
  await expect(page.getByRole('dialog', { name: 'Change the limit of concurrent streams' })).toBeHidden();
  // The other dialog may still be fading out.
  const increase = page.getByRole('dialog', { name: 'Request an increase: concurrent streams' });
  await increase.getByLabel('Streams at the same time').fill('50');
  await button(page, 'Send request').click();
  await expect(page.getByText('Say what it is for.')).toBeVisible();
  await page.getByLabel('What do you need it for?').fill('A call center.');
  await button(page, 'Send request').click();
  await expect(page.getByText('Success! Increase was requested.')).toBeVisible();
  await expect(streams).toContainText(/An increase to 50 streams was requested just now\. It's awaiting an answer\./);
  await expect(button(page, 'Request an increase: Concurrent streams')).toBeHidden();
  await page.reload();
  await expect(streams).toContainText('An increase to 50 streams was requested');
});

test("PRJ-07: a project has limits within its organization's, and gives its own up", async ({ page, server }) => {
  const owner = await enter(page);
  const { home } = await createPlace(server.url, owner);
  await page.goto(`${home}limits/`);
  const files = row(page, 'Stored files');
  await expect(files).toContainText('The organization');
  await expect(button(page, "Use the organization's limits")).toBeHidden();
  await button(page, 'Change the limit of stored files').click();
  await page.getByLabel('Size of all files, in GiB').fill('2.5');
  await expect(dialog(page)).toContainText('At most 20 GiB. Leave it empty to use the limit of the organization.');
  await button(page, 'Save').click();
  await expect(files).toContainText(/2\.5 GiB.*0 GiB.*This project/);
  await button(page, "Use the organization's limits").click();
  const question = page.getByRole('alertdialog', { name: "Use the organization's limits?" });
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(files).toContainText('This project');
  await button(page, "Use the organization's limits").click();
  await question.getByRole('button', { name: 'Use them' }).click();
  await expect(page.getByText('Success! Limits of the project were removed.')).toBeVisible();
  await expect(files).toContainText(/20 GiB.*0 GiB.*The organization/);
  // The page's own link to what is above.
  await page.getByRole('main').getByRole('link', { name: 'limits of the organization' }).click();
  await expect(page.getByRole('heading', { name: 'Organization limits' })).toBeVisible();
});

test('ORG-07 ORG-08 PRJ-07: who may not change limits sees them without a button', async ({ page, server }) => {
  const owner = await createAccount(server.url, 'owner-of-limits@example.org');
  const { home, organization, orgUuid, projectUuid } = await createPlace(server.url, owner);
  const email = 'reader-of-limits@example.org';
  const account = await createAccount(server.url, email);
  await join(server.url, { owner, orgUuid, account, email }, { role: 'member', project_uuids: [projectUuid] });
  await enter(page, { email, password: PASSWORD });
  for (const path of [`${organization}limits/`, `${home}limits/`]) {
    await page.goto(path);
    await expect(row(page, 'Concurrent streams')).toContainText(/20 streams.*0 in use/);
    await expect(page.getByText('Only owners and admins can change limits.')).toBeVisible();
    await expect(page.getByRole('main').getByRole('button')).toHaveCount(0);
  }
});

test('EST-04 EST-05 PRJ-07: a reached limit shows beside Transcribe; a refused start leads to it and to what helps @gate', async ({
  page,
  server,
}) => {
  const owner = await enter(page);
  const { home, projectUuid } = await createPlace(server.url, owner);
  await call(server.url, owner, 'POST', `limits/projects/${projectUuid}/configure/`, {
    limit: 'audio_minutes',
    value: 0,
  });
  await page.goto(`${home}playground/speech-to-text/?mode=async`);
  await expect(page.getByRole('status', { name: 'Limits' })).toContainText(
    '0 of 0 minutes this month. New requests are refused until the next month begins (UTC).',
  );
  await page.getByLabel('Choose file').setInputFiles(clip('short.wav'));
  await expect(button(page, 'Transcribe file')).toBeEnabled();
  await button(page, 'Transcribe file').click();
  const refusal = page.getByRole('alert').filter({ hasText: 'audio minutes (0)' });
  await refusal.getByRole('link', { name: 'Limits of the project' }).click();
  await expect(page.getByRole('heading', { name: 'Project limits' })).toBeVisible();
  const minutes = row(page, 'Audio per month');
  await expect(minutes).toContainText('Reached');
  await expect(minutes).toContainText(/0 minutes.*0 this month/);
  await expect(minutes).toContainText(
    'New requests are refused until the next month begins (UTC). Raise the limit to continue.',
  );
});

test('EST-04: what other projects use of a limit of all is told beside Run @gate', async ({ page, server }) => {
  const owner = await enter(page);
  const { home, orgUuid } = await createPlace(server.url, owner);
  const other = await createProject(server.url, owner, orgUuid, 'Other');
  await call(server.url, owner, 'PUT', `limits/organizations/${orgUuid}/`, { limits: { concurrent_streams: 2 } });
  await page.goto(`${home}limits/`);
  const end = await holdStreams(page, owner, other, 2);
  await page.goto(`${home}playground/speech-to-text/?mode=real-time`);
  await expect(page.getByRole('status', { name: 'Limits' })).toContainText(
    '2 of 2 streams in use, all projects together. New live sessions are refused until one ends.',
  );
  await end();
});
