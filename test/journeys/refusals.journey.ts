import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Browser } from '@playwright/test';
import * as v from 'valibot';
import { StoredFile } from '#contract/files.ts';
import { LogPage } from '#contract/logs.ts';
import type { Account } from './account.ts';
import type { LimitConfiguration } from '#contract/limits.ts';
import { enter, expect, expectAccessible, testWith, type Page } from './fixtures.ts';
import { createPlace } from './metered.ts';
import { call, createAccount, join, PASSWORD } from './people.ts';
import { clip } from './playground.ts';
import { failOf, speechOf, uploadNoise } from './requests.ts';
import { startInVain } from './streams.ts';

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

/** Opens the latest request of a project in the logs, once it is there, and then in the playground: two presses. */
async function openInPlayground(page: Page, url: string, { owner, projectUuid, home }: Place): Promise<void> {
  const listed = async () =>
    v.parse(LogPage, await (await call(url, owner, 'GET', `projects/${projectUuid}/logs/`)).json()).logs.length;
  await expect.poll(listed).toBe(1);
  await page.goto(`${home}api/logs/`);
  await page.getByRole('table', { name: 'Requests' }).locator('[data-row]').first().getByRole('link').click();
  await page.getByRole('dialog', { name: 'Request' }).getByRole('link', { name: 'Open in the playground' }).click();
}

const banner = (page: Page) => page.getByRole('region', { name: 'Request of the logs' });

test('LOG-15: from the logs three presses lead from refused settings to a transcript @gate', async ({
  page,
  server,
}) => {
  const place = await placeOf(page, server.url, { credit: true });
  const speech = speechOf(place.owner, place.projectUuid);
  const buffer = await readFile(clip('short.wav'));
  const sent = await page.request.post('/v1/files', {
    ...speech,
    multipart: { file: { name: 'weather.wav', mimeType: 'audio/wav', buffer } },
  });
  const { id: file_id } = v.parse(StoredFile, await sent.json());
  await page.request.post('/v1/transcriptions', {
    ...speech,
    data: { file_id, model: 'nope', enable_speaker_diarization: true },
  });
  await openInPlayground(page, server.url, place);
  await expect(banner(page)).toContainText('model_not_available (400)');
  await expect(banner(page)).toContainText('Invalid model specified.');
  await expect(banner(page)).toContainText('The panel has the settings of this request, but not: model “nope”.');
  await expect(banner(page).getByRole('link', { name: 'What model_not_available means' })).toBeVisible();
  await expect(banner(page).getByRole('link', { name: 'Open in the logs' })).toBeVisible();
  await expect(page.getByLabel('Speaker diarization')).toBeChecked();
  await expectAccessible(page);
  await button(page, 'Transcribe file').click();
  await expect(page.getByRole('region', { name: 'Transcript' })).toBeVisible({ timeout: 90_000 });
  await expect(banner(page)).toHaveCount(0);
});

test('LOG-15 ASY-20: … from a bad recording to the transcript of another', async ({ page, server }) => {
  const place = await placeOf(page, server.url, { credit: true });
  const fileId = await uploadNoise(page, place.owner, place.projectUuid);
  await failOf(page, place.owner, place.projectUuid, { fileId, references: ['call-7'] });
  await openInPlayground(page, server.url, place);
  await page.getByLabel('Transcribe another file').setInputFiles(clip('short.wav'));
  await expect(page.getByRole('region', { name: 'Transcript' })).toBeVisible({ timeout: 90_000 });
});

test.describe('with a microphone', () => {
  test.use({ permissions: ['microphone'] });

  test('LOG-15: … from a refused live start to a session', async ({ page, server }) => {
    const place = await placeOf(page, server.url, { credit: true });
    await page.goto(place.home);
    await startInVain(page, place.owner, place.projectUuid, { model: 'nope', enable_speaker_diarization: true });
    await openInPlayground(page, server.url, place);
    await expect(banner(page)).toContainText('model_not_available (400)');
    await expect(banner(page)).toContainText('but not: model “nope”.');
    await expect(page.getByLabel('Speaker diarization')).toBeChecked();
    await button(page, 'Run').click();
    await expect(page.getByRole('status').filter({ hasText: 'Running' })).toBeVisible();
    await expect(banner(page)).toHaveCount(0);
    await button(page, 'Stop').click();
    await expect(page.getByRole('status').filter({ hasText: 'Stopped' })).toBeVisible();
  });
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
