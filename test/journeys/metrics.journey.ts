import { readFile } from 'node:fs/promises';
import * as v from 'valibot';
import { Metrics } from '#contract/metrics.ts';
import { readCsv } from '../csv.ts';
import { enter, expect, isGate, type Page, test } from './fixtures.ts';
import { choosePeriod, periodOf } from './filters.ts';
import { createPlace, transcribeTwice } from './metered.ts';
import { call } from './people.ts';
import { failOf, uploadNoise } from './requests.ts';
import { streamAtOnce } from './streams.ts';
import { expectSteps, stepsOf } from './plots.ts';

const tiles = (page: Page) => page.locator('dl[aria-label="Figures of the period"]');
const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

/** Opens the table of a chart, and gives its rows as they read; and what is downloaded of it. */
async function tableOf(page: Page, name: string) {
  await panel(page, name).getByText('Show as a table').click();
  const table = page.getByRole('region', { name: `${name}, as a table` });
  await expect(table).toBeVisible();
  const rows = await table
    .getByRole('row')
    .evaluateAll((found) => found.map((row) => [...row.children].map((cell) => cell.textContent ?? '')));
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: `Download CSV: ${name}` }).click();
  const file = await coming;
  return { rows, name: file.suggestedFilename(), csv: readCsv(await readFile(await file.path(), 'utf8')) };
}

test('PRJ-06 MTR-01 MTR-03: charts, tables and CSV of a period tell the same; what was not measured is a gap @gate', async ({
  page,
  server,
}) => {
  test.setTimeout(240_000);
  const owner = await enter(page);
  const { projectUuid, home } = await createPlace(server.url, owner);

  await page.goto(`${home}metrics/`);
  await expect(page.getByText('No requests in this period')).toBeVisible();

  await transcribeTwice(page, owner, projectUuid);
  const fileId = await uploadNoise(page, owner, projectUuid);
  await failOf(page, owner, projectUuid, { fileId, references: ['one', 'two'] });
  await streamAtOnce(page, owner, projectUuid, 3);

  const today = new Date().toISOString().slice(0, 10);
  const start = new Date(Date.now() - 6 * 86_400_000).toISOString().slice(0, 10);
  const ask = async (query: string) =>
    v.parse(Metrics, await (await call(server.url, owner, 'GET', `projects/${projectUuid}/metrics/?${query}`)).json());
  const week = `start_date=${start}&end_date=${today}`;
  await expect.poll(async () => (await ask(week)).all.requests.at(-1)).toBe(7);

  // The period is in the address: it stays with a reload, and goes back and forward.
  await page.reload();
  await choosePeriod(page, 'Last 7 days');
  await expect(page).toHaveURL(new RegExp(`metrics/\\?${week}$`));
  await expectSteps(page, 'Requests by day', 7);
  await page.getByLabel('Group by').selectOption('Hourly');
  await expect(page).toHaveURL(/&period=hourly$/);
  // UXP-94: most of these hours were before the first use.
  await expect(panel(page, 'Requests by hour').getByTestId('pointed')).toContainText('Nothing before');
  await page.goBack();
  await expectSteps(page, 'Requests by day', 7);
  await page.goForward();
  await expect(stepsOf(page, 'Requests by hour')).toBeVisible();
  await page.goBack();
  await page.reload();
  await expect(periodOf(page)).toContainText('Last 7 days');
  const metrics = await ask(week);
  const limit = metrics.stream_limit ?? 0;
  expect(limit).toBeGreaterThan(0);
  await expect(tiles(page)).toContainText(/Requests7Audio/);
  await expect(tiles(page)).toContainText(/Error rate28\.57%/);
  await test.step('MTR-08: the peak of streams stands against the limit, as a figure and as a line across the chart', async () => {
    await expect(tiles(page)).toContainText(`Peak streams3 of ${limit}`);
    const line = panel(page, 'Concurrent streams by day').locator('path.limit');
    await expect(line).toHaveAttribute('d', /^M0,[\d.]+h7$/);
  });

  await test.step('MTR-07: the keyboard goes along a chart; all of them tell of the step that is pointed at', async () => {
    await stepsOf(page, 'Requests by day').focus();
    await expect(panel(page, 'Requests by day').getByTestId('pointed')).toHaveText(/: 7 requests$/);
    await expect(panel(page, 'Concurrent streams by day').getByTestId('pointed')).toHaveText(/: 3/);
    await page.keyboard.press('ArrowLeft');
    await expect(panel(page, 'Requests by day').getByTestId('pointed')).toHaveText(/: 0 requests$/);
    await expect(panel(page, 'Error rate by day').getByTestId('pointed')).toHaveText(/Not measured$/);
    await page.keyboard.press('Tab');
  });

  // Chart, table, CSV and the server say the same.
  const requests = await tableOf(page, 'Requests by day');
  expect(requests.name).toBe(`metrics-requests-${start}-${today}-daily.csv`);
  expect(requests.csv).toEqual(
    metrics.buckets.map((bucket, place) => {
      const [total = 0, failed = 0, cancelled = 0] = [
        metrics.all.requests[place],
        metrics.all.errors[place],
        metrics.all.cancelled[place],
      ];
      return {
        'Start (UTC)': bucket,
        Completed: String(total - failed - cancelled),
        Failed: String(failed),
        Refused: String(metrics.all.refused[place]),
        Cancelled: String(cancelled),
        Total: String(total + (metrics.all.refused[place] ?? 0)),
      };
    }),
  );
  expect(requests.rows.slice(1, -1).map((cells) => cells.slice(1))).toEqual(
    requests.csv.map((row) => Object.values(row).slice(1)),
  );
  const errors = await tableOf(page, 'Error rate by day');
  expect(errors.rows.slice(1, -1).map((cells) => cells.at(-1))).toEqual([
    ...Array.from({ length: 6 }, () => 'Not measured'),
    '28.57%',
  ]);
  expect(errors.csv.map((row) => Object.values(row).at(-1) === '')).toEqual([
    ...Array.from({ length: 6 }, () => true),
    false,
  ]);
  const streams = await tableOf(page, 'Concurrent streams by day');
  expect(streams.csv.map((row) => Number(Object.values(row)[1]))).toEqual(metrics.peak_streams);

  if (isGate) return;

  // Silence has no first word: that is said, not drawn as nought.
  await page.getByRole('button', { name: 'First word', exact: true }).click();
  await expect(page.getByText('Not measured in this period.')).toBeVisible();
  await page.getByRole('button', { name: 'Processing', exact: true }).click();
  await expect(page.getByRole('list', { name: 'Percentiles' })).toContainText(/p50/);
  await page.getByLabel('Model', { exact: true }).selectOption({ index: 1 });
  await expect(tiles(page)).toContainText(`Peak streams3 of ${limit}`);
});
