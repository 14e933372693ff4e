import { readFile } from 'node:fs/promises';
import * as v from 'valibot';
import { LogEntry, LogPage } from '#contract/logs.ts';
import { readCsv } from '../csv.ts';
import type { Account } from './account.ts';
import { enter, expect, type Page, pressEscape, test } from './fixtures.ts';
import { createPlace, transcribeTwice } from './metered.ts';
import { call } from './people.ts';
import { failOf, uploadNoise } from './requests.ts';

/** Failed requests: more than a page, which the test makes a small one. */
const FAILED = 10;
const PAGE = 8;

const rows = (page: Page) => page.getByRole('table', { name: 'Requests' }).locator('[data-row]');
const cells = (page: Page, title: string) => rows(page).locator(`[data-title="${title}"]`);
const drawer = (page: Page) => page.getByRole('dialog', { name: 'Request' });

async function listed(url: string, account: Account, projectUuid: string, query = ''): Promise<LogEntry[]> {
  const all: LogEntry[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const answer = await call(url, account, 'GET', `projects/${projectUuid}/logs/?${query}&cursor=${cursor}`);
    const { logs, next_page_cursor } = v.parse(LogPage, await answer.json());
    all.push(...logs);
    cursor = next_page_cursor;
  }
  return all;
}

async function download(page: Page, format: 'CSV' | 'JSONL'): Promise<{ name: string; text: string }> {
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: `Download ${format}` }).click();
  const file = await coming;
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
}

test('PRJ-05 LOG-05 LOG-08: requests are filtered by the address, paged, opened, and taken home as they show @gate', async ({
  page,
  server,
}) => {
  test.setTimeout(240_000);
  const owner = await enter(page);
  const { projectUuid, home } = await createPlace(server.url, owner);
  await page.route('**/api/v2/projects/*/logs/?*', (route) =>
    route.continue({ url: route.request().url().replace('limit=50', `limit=${PAGE}`) }),
  );

  await page.goto(`${home}api/logs/`);
  await expect(page.getByText('No requests in this period')).toBeVisible();

  await transcribeTwice(page, owner, projectUuid);
  const fileId = await uploadNoise(page, owner, projectUuid);
  const references = Array.from({ length: FAILED }, (_, n) =>
    n === 0 ? '=HYPERLINK("http://example.com")' : `call-${n}`,
  );
  await failOf(page, owner, projectUuid, { fileId, references });

  // Newest first, and the rest by a press.
  await page.reload();
  await expect(rows(page)).toHaveCount(PAGE);
  await page.getByRole('button', { name: 'Load more' }).click();
  await expect(rows(page).nth(PAGE).getByRole('link')).toBeFocused();
  await expect(rows(page)).toHaveCount(FAILED + 2);
  await expect(rows(page).locator('[aria-current]')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Load more' })).toHaveCount(0);
  const all = await listed(server.url, owner, projectUuid);
  expect(await rows(page).evaluateAll((found) => found.map((row) => row.getAttribute('data-row')))).toEqual(
    all.map(({ id }) => id),
  );

  const error = all.find(({ status }) => status === 'failed')?.error_type ?? '';
  await test.step('LOG-04 LOG-07: each filter goes into the address, and comes back from it', async () => {
    await page.getByLabel('Status').selectOption({ label: 'Completed' });
    await expect(rows(page)).toHaveCount(2);
    await expect(page).toHaveURL(/logs\/\?status=completed$/);
    await page.getByLabel('Status').selectOption({ label: 'All statuses' });
    await expect(page).toHaveURL(/logs\/$/);
    const group = page.getByRole('list', { name: 'Failures by error' }).getByRole('button');
    await expect(group).toHaveText(new RegExp(`^\\w+ ?${FAILED}$`));
    await group.click();
    await expect(page).toHaveURL(new RegExp(`\\?error=${error}$`));
    await expect(group).toHaveAttribute('aria-pressed', 'true');
    await page.getByLabel('Client reference ID').fill('call-7');
    await page.getByLabel('Client reference ID').press('Enter');
    await expect(rows(page)).toHaveCount(1);
    await expect(page).toHaveURL(/reference=call-7/);
    await expect(page.getByLabel('Client reference ID')).toBeFocused();
    await expect(page.getByRole('status').filter({ hasText: '1 request' })).toBeAttached();
    await page.reload();
    await expect(rows(page)).toHaveCount(1);
    await expect(page.getByLabel('Client reference ID')).toHaveValue('call-7');
    await page.goBack();
    await expect(rows(page)).toHaveCount(PAGE);
    await expect(page.getByLabel('Client reference ID')).toHaveValue('');
    await page.goBack();
    await page.goBack();
    await expect(page).toHaveURL(/\?status=completed$/);
    await expect(rows(page)).toHaveCount(2);
    await page.goForward();
    await expect(rows(page)).toHaveCount(PAGE);
  });

  // One request has an address of its own, and tells why it failed.
  await page.goto(`${home}api/logs/?reference=call-9`);
  await rows(page).getByRole('link').click();
  await expect(drawer(page)).toBeVisible();
  const nine = all.find(({ client_reference_id }) => client_reference_id === 'call-9');
  await expect(page).toHaveURL(new RegExp(`log=${nine?.id}`));
  await expect(drawer(page)).toContainText(error);
  await expect(drawer(page)).toContainText(nine?.request_id ?? '');
  await expect(drawer(page).getByRole('heading', { name: 'Times' })).toBeVisible();
  await expect(drawer(page)).toContainText('notes.wav');
  await pressEscape(page);
  await expect(drawer(page)).toHaveCount(0);
  await expect(page).toHaveURL(/logs\/\?reference=call-9$/);
  await expect(rows(page).getByRole('link')).toBeFocused();

  // What was transcribed opens where it is read.
  await page.goto(`${home}api/logs/?status=completed`);
  const completed = all.find(({ status }) => status === 'completed');
  await page.goto(`${home}api/logs/?log=${completed?.id}`);
  await expect(drawer(page)).toContainText('Completed');
  await drawer(page).getByRole('link', { name: 'Open in the playground' }).click();
  await expect(page).toHaveURL(new RegExp(`${home}playground/speech-to-text/.*${completed?.id}`));

  // What is taken home is what the filters match, all of it.
  await page.goto(`${home}api/logs/?status=failed`);
  await expect(rows(page)).toHaveCount(PAGE);
  const failed = all.filter(({ status }) => status === 'failed');
  const jsonl = await download(page, 'JSONL');
  expect(jsonl.name).toMatch(/^logs(-[\d-]{10}){2}\.jsonl$/);
  expect(
    jsonl.text
      .trimEnd()
      .split('\n')
      .map((line) => v.parse(LogEntry, JSON.parse(line))),
  ).toEqual(failed);
  const csv = await download(page, 'CSV');
  expect(csv.name).toMatch(/^logs(-[\d-]{10}){2}\.csv$/);
  const cellsOfCsv = readCsv(csv.text);
  expect(cellsOfCsv.map(({ id }) => id)).toEqual(failed.map(({ id }) => id));
  // A spreadsheet takes nothing in it for a formula.
  expect(cellsOfCsv.at(-1)?.['client_reference_id']).toBe(`'${references[0]}`);
  expect(Object.values(cellsOfCsv.at(-1) ?? {}).filter((cell) => /^[=+\-@]/.test(cell))).toEqual([]);
  await page.goto(`${home}api/logs/?status=lost`);
  await expect(page.getByText("The address asks for a filter or a request that doesn't exist.")).toBeVisible();
  await expect(page).toHaveURL(/logs\/$/);
});

test('LOG-09: with the live tail on, a request that ends shows by itself; who reads further down is told, and nothing moves', async ({
  page,
  server,
}) => {
  test.setTimeout(180_000);
  // A dozen rows are more than fit.
  await page.setViewportSize({ width: 1280, height: 420 });
  const owner = await enter(page);
  const { projectUuid, home } = await createPlace(server.url, owner);
  const fileId = await uploadNoise(page, owner, projectUuid);
  const fail = (...references: string[]) => failOf(page, owner, projectUuid, { fileId, references });
  await fail(...Array.from({ length: 12 }, (_, n) => `early-${n}`));

  await page.goto(`${home}api/logs/`);
  await expect(rows(page)).toHaveCount(12);
  // Off, nothing comes by itself.
  const live = page.getByRole('checkbox', { name: 'Auto-refresh' });
  await expect(live).not.toBeChecked();
  await live.click({ force: true });
  const [first = ''] = await fail('one');
  await expect(rows(page)).toHaveCount(13);
  await expect(rows(page).first()).toHaveAttribute('data-row', first);
  await expect(page.getByText('1 new request, 13 in all.')).toHaveCount(1);

  await rows(page).last().scrollIntoViewIfNeeded();
  const before = await rows(page).last().boundingBox();
  const [second = ''] = await fail('two');
  const waiting = page.getByRole('button', { name: '1 new request', exact: true });
  await expect(waiting).toBeVisible();
  expect(await rows(page).last().boundingBox()).toEqual(before);
  await expect(rows(page)).toHaveCount(13);
  await waiting.click();
  await expect(rows(page)).toHaveCount(14);
  await expect(rows(page).first()).toHaveAttribute('data-row', second);
  await expect(rows(page).first().getByRole('link')).toBeFocused();

  // Only what matches comes.
  await page.getByLabel('Status').selectOption({ label: 'Completed' });
  await expect(page.getByText('No matching requests')).toBeVisible();
  await fail('three');
  await page.getByLabel('Status').selectOption({ label: 'All statuses' });
  await expect(rows(page)).toHaveCount(15);
  await expect(live).toBeChecked();
  expect(await cells(page, 'Status').allTextContents()).toEqual(Array.from({ length: 15 }, () => 'Failed'));
});
