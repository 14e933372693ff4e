import { randomUUID } from 'node:crypto';
import type { Browser } from '@playwright/test';
import type { Account } from './account.ts';
import type { LimitConfiguration } from '#contract/limits.ts';
import { enter, expect, expectAccessible, testWith, type Page } from './fixtures.ts';
import { createPlace } from './metered.ts';
import { call, createAccount, join, PASSWORD } from './people.ts';
import { clip } from './playground.ts';

/** Nobody has any money here but where a place is given some. */
const test = testWith({ STARTING_CREDIT: '0' });
// What the browser itself says of a call that the server refuses.
test.use({ allowed: [/status of (402|429)/] });

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const PROMISE = 'New requests are refused until the next month begins (UTC).';
const ASK = 'An owner or admin can raise the limit.';
const EMPTY = 'The balance of this organization is empty.';

type Place = { owner: Account } & Awaited<ReturnType<typeof createPlace>>;

/** A project of an owner, and where it is. */
async function placeOf(page: Page, url: string, { credit = false } = {}): Promise<Place> {
  const owner = await enter(page);
  return { owner, ...(await createPlace(url, owner, { credit })) };
}

/** A page of a new member of the project. */
async function openAsMember(browser: Browser, url: string, { owner, orgUuid, projectUuid }: Place): Promise<Page> {
  const email = `member-${randomUUID()}@example.org`;
  const account = await createAccount(url, email);
  await join(url, { owner, orgUuid, account, email }, { role: 'member', project_uuids: [projectUuid] });
  const page = await browser.newPage({ baseURL: url, reducedMotion: 'reduce' });
  await enter(page, { email, password: PASSWORD });
  return page;
}

const setLimit = (url: string, { owner, projectUuid }: Place, limit: LimitConfiguration) =>
  call(url, owner, 'POST', `limits/projects/${projectUuid}/configure/`, limit);
const setBudget = (url: string, { owner, orgUuid }: Place, micros: number) =>
  call(url, owner, 'PUT', `limits/organizations/${orgUuid}/`, { limits: { budget_micros: micros } });

/** Opens a file from the computer. */
async function choose(page: Page, { home }: Place): Promise<void> {
  await page.goto(`${home}playground/speech-to-text/?mode=async`);
  await page.getByLabel('Choose file').setInputFiles(clip('short.wav'));
  await expect(page.getByText('Ready to transcribe.')).toBeVisible();
}

async function run(page: Page, { home }: Place): Promise<void> {
  await page.goto(`${home}playground/speech-to-text/?mode=real-time`);
  await button(page, 'Run').click();
}

/** What refuses, by its words. */
const refusal = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text });

test('EST-06 LED-06: a balance that is used up lets nothing begin, leads the owner to billing, and names whom a member asks @gate', async ({
  page,
  server,
  browser,
}) => {
  const place = await placeOf(page, server.url);
  await choose(page, place);
  await expect(button(page, 'Transcribe file')).toBeDisabled();
  await expect(button(page, 'Transcribe file')).toHaveAccessibleDescription(new RegExp(EMPTY));
  const limits = page.getByRole('status', { name: 'Limits' });
  await expect(limits).not.toContainText('Ask an owner');
  await expectAccessible(page);
  await limits.getByRole('link', { name: 'Add to the balance' }).click();
  await expect(page).toHaveURL(new RegExp(`/org/${place.orgUuid}/billing/overview/`));
  await expect(page.getByText('Your balance is empty.')).toBeVisible();

  const theirs = await openAsMember(browser, server.url, place);
  await choose(theirs, place);
  const told = theirs.getByRole('status', { name: 'Limits' });
  await expect(told).toContainText('Ask an owner, an admin or whoever handles billing to add to it.');
  await expect(told.getByRole('link')).toHaveCount(0);
  await theirs.context().close();
});

test('EST-05 EST-07 LIM-06: a live session that a budget refuses leads to that budget, and tells a member who can raise it', async ({
  page,
  server,
  browser,
}) => {
  const place = await placeOf(page, server.url, { credit: true });
  await setLimit(server.url, place, { limit: 'budget_micros', value: 0 });
  await run(page, place);
  const alert = refusal(page, 'Project monthly budget exhausted. Please increase it.');
  await expect(alert).toContainText(PROMISE);
  await expect(alert).not.toContainText(ASK);
  await expectAccessible(page);
  await alert.getByRole('link', { name: 'Limits of the project' }).click();
  await expect(page.getByRole('heading', { name: 'Project limits' })).toBeVisible();
  await expect(button(page, 'Change the monthly budget')).toBeVisible();

  const theirs = await openAsMember(browser, server.url, place);
  await setBudget(server.url, place, 0);
  await run(theirs, place);
  const told = refusal(theirs, 'Organization monthly budget exhausted. Please increase it.');
  await expect(told).toContainText(`${PROMISE} ${ASK}`);
  await told.getByRole('link', { name: 'Limits of the organization' }).click();
  await expect(theirs.getByRole('heading', { name: 'Organization limits' })).toBeVisible();
  await theirs.context().close();
});

test('EST-05 EST-07: an upload that the stored bytes refuse leads to that limit', async ({ page, server }) => {
  const place = await placeOf(page, server.url);
  await setLimit(server.url, place, { limit: 'stored_bytes', value: 2000 });
  await page.goto(`${place.home}playground/speech-to-text/?mode=async`);
  await page
    .getByLabel('Choose file')
    .setInputFiles({ name: 'long.wav', mimeType: 'audio/wav', buffer: Buffer.alloc(3_000_000) });
  const dialog = page.getByRole('dialog', { name: 'File upload failed' });
  await expect(dialog).toContainText('The files of this project may have 2,000 bytes together.');
  await expect(dialog).toContainText('Uploads are refused until files are deleted.');
  await expect(dialog).not.toContainText(ASK);
  await expectAccessible(page);
  await dialog.getByRole('link', { name: 'Limits of the project' }).click();
  await expect(page.getByRole('heading', { name: 'Project limits' })).toBeVisible();
  await expect(dialog).toBeHidden();
  await expect(button(page, 'Change the limit of stored files')).toBeVisible();
});
