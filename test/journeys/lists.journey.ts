import { randomUUID } from 'node:crypto';
import type { Route } from '@playwright/test';
import { PAGE_SIZE } from '#contract/fields.ts';
import { storedFile, transcription } from '#test/machines/playground-fixtures.ts';
import { hold } from './failures.ts';
import { enter, expect, expectAccessible, type Page, test } from './fixtures.ts';
import { openTab } from './playground.ts';

const library = (page: Page) => page.getByRole('list', { name: 'Files' });
const rows = (page: Page) => library(page).getByRole('listitem');
const box = (page: Page) => page.getByRole('group', { name: 'Files' });
const deleting = (page: Page, name: string) =>
  library(page).getByRole('button', { name: `Delete ${name}`, exact: true });
const question = (page: Page) => page.getByRole('alertdialog', { name: 'Are you sure you want to delete this item?' });

/** Stands in for the project's files: `count` of them, 50 a page, newest first. */
async function fill(page: Page, count: number): Promise<{ asked: URLSearchParams[]; failNext: () => void }> {
  const files = Array.from({ length: count }, (_, index) =>
    storedFile({
      id: randomUUID(),
      filename: `take-${index + 1}.wav`,
      created_at: new Date(Date.now() - index * 60_000).toISOString(),
    }),
  );
  const asked: URLSearchParams[] = [];
  let isFailing = false;
  await page.route('**/v1/files?*', (route) => {
    const query = new URL(route.request().url()).searchParams;
    asked.push(query);
    if (isFailing) {
      isFailing = false;
      return route.fulfill({ status: 500, json: { message: 'The shelf is stuck.' } });
    }
    const from = Number(query.get('cursor') ?? 0);
    const end = from + Number(query.get('limit'));
    return route.fulfill({
      json: { files: files.slice(from, end), next_page_cursor: end < count ? String(end) : null },
    });
  });
  return {
    asked,
    failNext: () => {
      isFailing = true;
    },
  };
}

async function confirm(page: Page, name: string): Promise<void> {
  await deleting(page, name).click();
  await question(page).getByRole('button', { name: 'Delete' }).click();
  await expect(question(page)).toBeHidden();
}

const answerLater = (page: Page, answer: (route: Route) => Promise<void>) =>
  hold(page, '**/v1/files/*', { method: 'DELETE', answer });

// The lists are the test's: without pushes nothing but the page's own doing has them read.
test.beforeEach(({ page }) => page.route('**/api/v2/events/', (route) => route.fulfill({ status: 204 })));

test('LIB-01 API-03: a long list reads 50 a page by cursor, announces new rows and focuses the first of them @gate', async ({
  page,
}) => {
  const { asked } = await fill(page, 2 * PAGE_SIZE + 1);
  await openTab(page, 'async');
  await expect(rows(page)).toHaveCount(PAGE_SIZE);
  const more = box(page).getByRole('button', { name: 'Load more' });
  await more.focus();
  await page.keyboard.press('Enter');
  await expect(rows(page)).toHaveCount(2 * PAGE_SIZE);
  await expect(library(page).getByRole('link', { name: /^take-51\.wav/ })).toBeFocused();
  await expect(box(page).getByRole('status')).toHaveText('50 more, 100 in all.');
  await expectAccessible(page);
  await more.click();
  await expect(rows(page)).toHaveCount(2 * PAGE_SIZE + 1);
  // The button is gone with the last page; the focus is not.
  await expect(more).toBeHidden();
  await expect(library(page).getByRole('link', { name: /^take-101\.wav/ })).toBeFocused();
  await expect(box(page).getByRole('status')).toHaveText('1 more, 101 in all.');
  expect(asked.map((query) => [query.get('limit'), query.get('cursor')])).toEqual([
    ['50', null],
    ['50', '50'],
    ['50', '100'],
  ]);
});

test.describe('with answers that fail', () => {
  test.use({ allowed: [/Failed to load resource/] });

  test('LIB-02 ASY-07: models and lists that fail to load say so; Retry keeps the focus, then the first new row gets it', async ({
    page,
  }) => {
    const { asked, failNext } = await fill(page, PAGE_SIZE + 1);
    failNext();
    await page.route('**/v1/models', (route) => route.fulfill({ status: 500, json: {} }), { times: 1 });
    await page.route('**/v1/transcriptions?*', (route) => route.fulfill({ status: 500, json: {} }), { times: 1 });
    const { playground } = await enter(page);
    await page.goto(`${playground}?mode=async`);
    const failure = page.getByRole('alert').filter({ hasText: 'Failed to load playground.' });
    await expect(failure).toBeVisible();
    const [red = 0, green = 0, blue = 0] =
      (await failure.evaluate((element) => getComputedStyle(element).color)).match(/\d+/g)?.map(Number) ?? [];
    expect(red).toBeGreaterThan(2 * Math.max(green, blue));
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect(failure).toBeHidden();

    const alert = box(page).getByRole('alert');
    const retry = box(page).getByRole('button', { name: 'Retry' });
    await retry.focus();
    failNext();
    await page.keyboard.press('Enter');
    await expect(alert).toContainText('The shelf is stuck.');
    await expect(retry).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(library(page).getByRole('link', { name: /^take-1\.wav/ })).toBeFocused();
    await expect(alert).toBeHidden();
    failNext();
    await box(page).getByRole('button', { name: 'Load more' }).click();
    await expect(alert).toContainText('Error loading files...');
    await expect(alert).toContainText('The shelf is stuck.');
    await expect(rows(page)).toHaveCount(PAGE_SIZE);
    await expect(retry).toBeFocused();
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await expect(rows(page)).toHaveCount(PAGE_SIZE + 1);
    await expect(alert).toBeHidden();
    await expect(library(page).getByRole('link', { name: /^take-51\.wav/ })).toBeFocused();
    expect(asked.at(-1)?.get('cursor')).toBe('50');

    await page.route('**/v1/transcriptions?*', (route) =>
      route.fulfill({ json: { transcriptions: [], next_page_cursor: null } }),
    );
    await page.getByRole('button', { name: 'History' }).click();
    const history = page.getByRole('group', { name: 'Transcriptions' });
    await history.getByRole('button', { name: 'Retry' }).press('Enter');
    await expect(history.getByText('You have no transcriptions.')).toBeVisible();
    await expect(history).toBeFocused();
  });

  test('LIB-03 LIB-01: a row that the server keeps returns to its place with the focus, unless the person has moved on', async ({
    page,
  }) => {
    await fill(page, PAGE_SIZE + 2);
    const release = await answerLater(page, (route) => route.fulfill({ status: 500, json: { message: 'No.' } }));
    await openTab(page, 'async');
    await expect(rows(page)).toHaveCount(PAGE_SIZE);
    await confirm(page, 'take-50.wav');
    await expect(deleting(page, 'take-49.wav')).toBeFocused();
    await box(page).getByRole('button', { name: 'Load more' }).click();
    await expect(rows(page)).toHaveCount(PAGE_SIZE + 1);
    await page.getByLabel('Context').fill('Elsewhere');
    release();
    await expect(page.getByText('Error! Failed to delete file.')).toBeVisible();
    await expect(rows(page)).toHaveCount(PAGE_SIZE + 2);
    await expect(rows(page).nth(49)).toContainText('take-50.wav');
    await expect(rows(page).nth(50)).toContainText('take-51.wav');
    await expect(page.getByLabel('Context')).toBeFocused();
    const refuse = await answerLater(page, (route) => route.fulfill({ status: 500, json: {} }));
    await confirm(page, 'take-2.wav');
    await expect(deleting(page, 'take-3.wav')).toBeFocused();
    refuse();
    await expect(library(page).getByRole('link', { name: /^take-2\.wav/ })).toBeFocused();
    await expect(rows(page).nth(1)).toContainText('take-2.wav');
  });
});

test('LIB-02 LIB-03: deleting hands the focus to the next row, at the end to the one before, at last to the empty list', async ({
  page,
}) => {
  await fill(page, 3);
  const release = await answerLater(page, (route) => route.fulfill({ json: {} }));
  release();
  await openTab(page, 'async');
  await deleting(page, 'take-1.wav').click();
  await expect(question(page)).toContainText('transcriptions made from it stay');
  await question(page).getByRole('button', { name: 'Cancel' }).click();
  await expect(deleting(page, 'take-1.wav')).toBeFocused();
  await confirm(page, 'take-1.wav');
  await expect(deleting(page, 'take-2.wav')).toBeFocused();
  await expect(page.getByText('Success! File was deleted.')).toBeVisible();
  await confirm(page, 'take-3.wav');
  await expect(deleting(page, 'take-2.wav')).toBeFocused();
  await confirm(page, 'take-2.wav');
  await expect(box(page).getByText('No files in library.')).toBeVisible();
  await expect(box(page)).toBeFocused();
  await expectAccessible(page);
});

test.describe('with a transcription open', () => {
  test.use({ allowed: [/status of (404|500)/] });

  /** Opens a completed transcription; its file is no longer there. */
  async function openTranscription(page: Page): Promise<void> {
    const id = randomUUID();
    const talk = transcription({ id, status: 'completed', file_id: randomUUID() });
    const other = { ...talk, id: randomUUID(), filename: 'other.wav' };
    await page.route('**/v1/transcriptions?*', (route) =>
      route.fulfill({ json: { transcriptions: [talk, other], next_page_cursor: null } }),
    );
    await page.route(`**/v1/transcriptions/${id}`, (route) =>
      route.request().method() === 'DELETE' ? route.fallback() : route.fulfill({ json: talk }),
    );
    const tokens = [{ text: 'Still here', start_ms: 0, end_ms: 900, confidence: 1 }];
    await page.route(`**/v1/transcriptions/${id}/transcript`, (route) =>
      route.fulfill({ json: { id, text: 'Still here', tokens } }),
    );
    await openTab(page, 'async');
    await page.getByRole('button', { name: 'History' }).click();
    await page.getByRole('list', { name: 'Transcriptions' }).getByRole('link', { name: /talk/ }).click();
    await expect(page.getByRole('region', { name: 'Transcript text' })).toContainText('Still here');
  }
  const confirmTalk = async (page: Page) => {
    await page.getByRole('button', { name: 'Delete talk.wav' }).click();
    await question(page).getByRole('button', { name: 'Delete' }).click();
  };
  const answerDeletion = (page: Page, status: number) =>
    page.route('**/v1/transcriptions/*', (route) =>
      route.request().method() === 'DELETE' ? route.fulfill({ status, json: {} }) : route.fallback(),
    );

  test('ASY-18 LIB-03 LIB-04: it outlives its file; a refused deletion focuses its row, a deletion leads back', async ({
    page,
  }) => {
    await openTranscription(page);
    const url = page.url();
    await page.reload();
    await expect(page.getByText('Failed to load audio file.')).toBeVisible();
    await expect(page.getByRole('region', { name: 'Transcript text' })).toContainText('Still here');
    await expectAccessible(page);
    await answerDeletion(page, 500);
    await confirmTalk(page);
    await expect(page.getByText('Error! Failed to delete transcription.')).toBeVisible();
    await expect(page.getByRole('list', { name: 'Transcriptions' }).getByRole('link', { name: /talk/ })).toBeFocused();
    expect(page.url()).toBe(url);
    await expect(page.getByRole('region', { name: 'Transcript text' })).toContainText('Still here');

    await answerDeletion(page, 200);
    await confirmTalk(page);
    await expect(page).toHaveURL(/\/speech-to-text\/\?mode=async$/);
    await expect(page.getByText('Success! Transcription was deleted.')).toBeVisible();
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  });
});

test('ages grow by themselves', async ({ page }) => {
  await page.clock.install();
  await fill(page, 1);
  await openTab(page, 'async');
  await expect(rows(page).first()).toContainText('just now');
  await page.clock.runFor(90_000);
  await expect(rows(page).first()).toContainText(/[12] minutes? ago/);
  await page.clock.runFor(5 * 60_000);
  await expect(rows(page).first()).toContainText(/[67] minutes ago/);
});
