import { readFile } from 'node:fs/promises';
import { readSheet } from 'read-excel-file/node';
import * as v from 'valibot';
import { BillingCost, BillingReport } from '#contract/billing.ts';
import { daysAfter } from '#contract/usage.ts';
import { columnFormat, formatCost } from '#src/views/ui/figures.ts';
import { formatAudio, formatCount } from '#src/views/ui/figures.ts';
import { longStep } from '#src/views/ui/usage/bars.ts';
import { settle } from '../gallery/scene.ts';
import type { Account } from './account.ts';
import { billingOf, button, failOnce, fitsIn, PROJECTS, status, test, type Billed } from './billed.ts';
import { enter, expect, expectAccessible, type Page, showIn } from './fixtures.ts';
import { choosePeriod, inProjects, periodOf } from './filters.ts';
import { call } from './people.ts';
import { expectSteps, stepsOf } from './plots.ts';

// What the browser itself says about calls that fail once.
test.use({ allowed: [/status of (400|429|500)/] });

const today = new Date().toISOString().slice(0, 10);
const month = { start_date: `${today.slice(0, 7)}-01`, end_date: today };
const [NOTES, MEETINGS, DELETED] = [PROJECTS[0], PROJECTS[1], `${PROJECTS[2]} (deleted)`];

const legend = (page: Page) => page.getByRole('list', { name: 'Projects' });
const project = (page: Page, name: string) => page.getByRole('checkbox', { name, exact: true });
const cellsOf = (page: Page, name: RegExp) =>
  page
    .getByRole('region', { name })
    .getByRole('row')
    .evaluateAll((all) =>
      all.map((row) => [...row.querySelectorAll('th, td')].map(({ textContent }) => textContent ?? '')),
    );
async function read<S extends v.GenericSchema>(
  { server, orgUuid }: Billed,
  who: Account,
  schema: S,
  path: string,
  body: object,
): Promise<v.InferOutput<S>> {
  const answer = await call(server.url, who, 'POST', `organizations/${orgUuid}/billing/${path}`, body);
  return v.parse(schema, await answer.json());
}

/** The rows of the spreadsheet that the button saves, read by another library. */
async function download(page: Page, name: RegExp) {
  const [saved] = await Promise.all([page.waitForEvent('download'), button(page, 'Download XLSX').click()]);
  expect(saved.suggestedFilename()).toMatch(name);
  return readSheet(await readFile(await saved.path()));
}

test('BIL-02 BIL-04 NAV-07: a report is what its address tells, both ways, and its spreadsheet is what its table shows @gate', async ({
  page,
  billed,
}) => {
  const owner = await enter(page);
  const [notes, meetings, deleted] = billed.projects;
  await page.goto(`${billingOf(billed)}reports/`);
  await expect(page).toHaveTitle(/^Billing reports · /);
  await expect(page.getByText('Test mode: no money moves.')).toBeVisible();
  const whole = await read(billed, owner, BillingReport, 'reports/', month);
  await expect(page.locator('dl')).toContainText(`Total cost${formatCost(whole.totals.cost_micros)}`);
  await expectSteps(page, 'Cost by day', whole.buckets.length);
  await expect(legend(page)).toContainText(DELETED);

  await inProjects(page, async () => {
    await project(page, DELETED).check();
    await expect(page).toHaveURL(new RegExp(`reports/\\?project_ids=${deleted}$`));
    await expect(legend(page)).not.toContainText(NOTES);
    await project(page, NOTES).check();
    // The box keeps the focus while the report is read.
    await expect(project(page, NOTES)).toBeFocused();
    await expect(page).toHaveURL(new RegExp(`\\?project_ids=${notes},${deleted}$`));
  });
  // On the 30th of a month its last 30 days are the month, which is shown already.
  const span = today.endsWith('-30') ? 7 : 30;
  await choosePeriod(page, `Last ${span} days`);
  await expectSteps(page, 'Cost by day', span);
  const days = { start_date: daysAfter(today, 1 - span), end_date: today };
  await expect(page).toHaveURL(
    new RegExp(`\\?start_date=${days.start_date}&end_date=${today}&project_ids=${notes},${deleted}$`),
  );
  await page.reload();
  await expectSteps(page, 'Cost by day', span);
  const projects = page.getByRole('button', { name: /^Projects of the report: / });
  await expect(projects).toHaveText('Projects of the report: 2 of 3 projects');
  await inProjects(page, async () => {
    await expect(project(page, NOTES)).toBeChecked();
    await expect(project(page, MEETINGS)).not.toBeChecked();
  });

  // What is saved is what is shown, to the micro-dollar.
  await page.getByText('Show as a table').click();
  const table = await cellsOf(page, /^Cost by day, as a table$/);
  const [head, ...steps] = await download(page, /^billing-report-[\d-]{21}\.xlsx$/);
  expect(head).toContain('Cost (USD)');
  const costOf = (start: string, uuid: string | undefined) =>
    Math.round(
      Number(steps.find(([at, , id]) => at instanceof Date && at.toISOString() === start && id === uuid)?.[6] ?? 0) *
        1e6,
    );
  const { buckets, totals } = await read(billed, owner, BillingReport, 'reports/', {
    ...days,
    project_ids: [notes, deleted],
  });
  const write = columnFormat(buckets.flatMap((start) => [costOf(start, notes), costOf(start, deleted)]));
  expect(table).toEqual([
    ['Time (UTC)', NOTES, DELETED, 'Total'],
    ...buckets.map((start) => {
      const costs = [costOf(start, notes), costOf(start, deleted)];
      return [longStep(start, 'daily', 'utc'), ...[...costs, costs.reduce((sum, cost) => sum + cost)].map(write)];
    }),
    expect.arrayContaining(['Total', write(totals.cost_micros)]),
  ]);
  expect(steps.at(-2)?.slice(4)).toEqual([
    totals.requests,
    expect.closeTo(totals.audio_ms / 60_000, 6),
    totals.cost_micros / 1e6,
  ]);

  await page.goBack();
  await expectSteps(page, 'Cost by day', whole.buckets.length);
  await expect(projects).toHaveText('Projects of the report: 2 of 3 projects');
  await page.goBack();
  await expect(projects).toHaveText('Projects of the report: 1 of 3 projects');
  await expect(legend(page)).toContainText(DELETED);
  await page.goForward();
  await page.goForward();
  await expectSteps(page, 'Cost by day', span);
  await page.getByLabel('Group by').selectOption('Hourly');
  await expectSteps(page, 'Cost by hour', span * 24);
  await button(page, 'Requests').click();
  await page.getByLabel('Group by').selectOption('Monthly');
  await expectSteps(page, 'Requests by month', days.start_date.slice(0, 7) === today.slice(0, 7) ? 1 : 2);
  await expect(page).toHaveURL(/&period=monthly$/);
  await inProjects(page, async () => {
    await button(page, 'Show all projects').click();
    await expect(page).not.toHaveURL(/project_ids/);
  });
  await expect(legend(page)).toContainText(MEETINGS);

  // What of an address there is not is said, and the rest counts.
  await page.goto(
    `${billingOf(billed)}reports/?start_date=2026-02-30&project_ids=${meetings},nobody&service_ids=dictation&period=weekly`,
  );
  await expect(status(page, "That date range isn't valid.")).toBeVisible();
  await expect(status(page, "That project isn't in this organization. Showing the others.")).toBeVisible();
  await expect(status(page, "asks for a service that isn't billed. Transcription is shown.")).toBeVisible();
  await expect(periodOf(page)).toContainText('This month');
  await expect(legend(page)).toHaveText(new RegExp(`^${MEETINGS} \\$[\\d.]+$`));
  await page.goto(`${billingOf(billed)}reports/?project_ids=${billed.orgUuid}`);
  await expect(status(page, 'Showing all projects.')).toBeVisible();
  await expect(page.locator('dl')).toContainText(`Total cost${formatCost(whole.totals.cost_micros)}`);
});

test('BIL-02 BIL-03: what could not be read or saved is said, and tried again', async ({ page, billed }) => {
  await enter(page);
  await showIn(page, { width: 320, height: 740, colorScheme: 'dark' });
  for (const [path, call_, what] of [
    ['reports/', 'reports', 'The report'],
    ['costs/', 'cost', 'The cost table'],
  ] as const) {
    await failOnce(page, `**/api/v2/**/billing/${call_}/`);
    await page.goto(billingOf(billed) + path);
    const failure = page.getByRole('alert').filter({ hasText: `${what} could not be loaded.` });
    await expect(failure).toContainText('The disk is full.');
    await expect(button(page, 'Download XLSX')).toHaveAttribute('aria-disabled', 'true');
    await button(page, 'Retry').click();
    await expect(failure).toHaveCount(0);
    await failOnce(page, `**/billing/${call_}/xlsx/`);
    await button(page, 'Download XLSX').click();
    await expect(page.getByRole('alert').filter({ hasText: 'The spreadsheet could not be downloaded.' })).toContainText(
      'The disk is full.',
    );
    await expectAccessible(page);
    expect(await fitsIn(page)).toBe(true);
    await download(page, /\.xlsx$/);
    await expect(page.getByText('The spreadsheet is downloaded.')).toBeAttached();
  }
});

test("RPT-03 RPT-04: a refusal shows the server's words, and a too large report gives way to another one @gate", async ({
  page,
  billed,
}) => {
  const refuseOnce = (pattern: string, status_code: number, error_type: string, message: string) =>
    page.route(
      pattern,
      (route) =>
        route.fulfill({
          status: status_code,
          json: { status_code, error_type, message, validation_errors: [], request_id: 'r-1' },
        }),
      { times: 1 },
    );
  await enter(page);
  await page.goto(`${billingOf(billed)}reports/`);
  await expect(stepsOf(page, 'Cost by day')).toBeVisible();
  await refuseOnce('**/billing/reports/xlsx/', 429, 'too_many_reports', 'Two of your reports are being made already.');
  await button(page, 'Download XLSX').click();
  const alert = (title: string) => page.getByRole('alert').filter({ hasText: title });
  await expect(alert('The spreadsheet could not be downloaded.')).toContainText('Two of your reports are being made');
  await refuseOnce('**/billing/reports/', 400, 'report_too_large', 'This is too much. Choose a shorter time.');
  await choosePeriod(page, 'Last 30 days');
  await expect(alert('The report could not be loaded.')).toContainText('Choose a shorter time.');
  await expectAccessible(page);
  // What helps is at hand: another period, and fewer projects.
  await inProjects(page, () => project(page, NOTES).check());
  await expect(legend(page)).toContainText(NOTES);
});

test('BIL-03 BIL-04: the cost table has a row for each project, kind and model, and its spreadsheet the same', async ({
  page,
  billed,
}) => {
  const owner = await enter(page);
  await page.goto(`${billingOf(billed)}costs/`);
  await expect(page).toHaveTitle(/^Cost table · /);
  await expect(page.getByText('Test mode: no money moves.')).toBeVisible();
  const table = page.getByRole('table', { name: 'Cost by project and model' });
  await expect(table).toBeVisible();
  await choosePeriod(page, 'Last month');
  const start_date = daysAfter(`${today.slice(0, 7)}-01`, -1).replace(/\d\d$/, '01');
  await expect(page).toHaveURL(new RegExp(`costs/\\?start_date=${start_date}&end_date=`));
  const end_date = daysAfter(`${today.slice(0, 7)}-01`, -1);
  const { rows, totals } = await read(billed, owner, BillingCost, 'cost/', { start_date, end_date });
  const write = columnFormat(rows.map(({ cost_micros }) => cost_micros));
  const figures = (of: typeof totals) => [formatCount(of.requests), formatAudio(of.audio_ms), write(of.cost_micros)];
  const named = { async: 'Async', real_time: 'Live' };
  const projectOf = ({ project_name, is_deleted }: (typeof rows)[number]) =>
    is_deleted ? `${project_name} (deleted)` : project_name;
  await expect(table.getByRole('row')).toHaveText([
    'ProjectKindModelRequestsAudioCost',
    ...rows.map((row) => [projectOf(row), named[row.kind], row.model, ...figures(row)].join('')),
    ['Total', ...figures(totals)].join(''),
  ]);
  const [, ...sheet] = await download(page, /^cost-table-[\d-]{21}\.xlsx$/);
  expect(sheet.map((row) => row.slice(0, 8).map((cell) => cell ?? ''))).toEqual([
    ...rows.map((row) => [
      projectOf(row),
      row.project_uuid,
      'Transcription',
      row.kind === 'async' ? 'Async' : 'Live',
      row.model,
      row.requests,
      expect.closeTo(row.audio_ms / 60_000, 6),
      row.cost_micros / 1e6,
    ]),
    [
      ...['Total', '', '', '', '', totals.requests],
      ...[expect.closeTo(totals.audio_ms / 60_000, 6), totals.cost_micros / 1e6],
    ],
  ]);

  await button(page, 'Sort by Cost').click();
  await expect(page.getByRole('columnheader', { name: 'Cost' })).toHaveAttribute('aria-sort', 'descending');
  const highest = Math.max(...rows.map(({ cost_micros }) => cost_micros));
  await expect(table.getByRole('row').nth(1)).toContainText(write(highest));
  // Two years are no more than a table can be about; the days are reversed in the other.
  await page.goto(`${billingOf(billed)}costs/?start_date=${daysAfter(today, -730)}&end_date=${today}`);
  await expect(table).toBeVisible();
  await expect(status(page, 'Showing this month.')).toHaveCount(0);
  await page.goto(`${billingOf(billed)}costs/?start_date=${today}&end_date=${daysAfter(today, -1)}`);
  await expect(status(page, "That date range isn't valid.")).toBeVisible();
  await expect(periodOf(page)).toContainText('This month');
});

test('BIL-02 BIL-03 BIL-08: the figures do not change with the zone of the browser', async ({ page, billed }) => {
  await enter(page);
  const browser = await page.context().newCDPSession(page);
  const days = `start_date=${daysAfter(today, -40)}&end_date=${today}`;
  const seen = new Map<string, string[]>();
  // The last two set their clocks in March, within the days that are asked for by the hour.
  for (const timezoneId of ['UTC', 'Asia/Katmandu', 'America/New_York', 'Europe/Berlin']) {
    await browser.send('Emulation.setTimezoneOverride', { timezoneId });
    const texts: string[] = [];
    for (const path of [
      `reports/?${days}`,
      'reports/?start_date=2026-03-07&end_date=2026-03-30&period=hourly',
      `costs/?${days}`,
      'transactions/?limit=100',
    ]) {
      await page.goto(billingOf(billed) + path);
      expect(await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone)).toBe(timezoneId);
      await settle(page);
      const fold = page.getByText('Show as a table');
      if (path.startsWith('reports/')) {
        await fold.click();
        await expect(page.getByRole('region', { name: /, as a table$/ })).toBeVisible();
      }
      texts.push(await page.locator('main').innerText());
    }
    seen.set(timezoneId, texts);
  }
  const [utc, ...others] = [...seen.values()];
  expect(utc?.[0]).toContain('$');
  // There is something at the hours in question.
  for (const hour of ['Mar 8, 2026, 06:00\t$0.01', 'Mar 8, 2026, 07:00\t$0.02', 'Mar 29, 2026, 00:00\t$0.03'])
    expect(utc?.[1]).toContain(hour);
  for (const texts of others) expect(texts).toEqual(utc);
});
