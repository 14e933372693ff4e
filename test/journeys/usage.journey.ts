import * as v from 'valibot';
import { UsageCost } from '#contract/usage.ts';
import { enter, expect, type Page, test } from './fixtures.ts';
import { chooseDays, choosePeriod, periodOf } from './filters.ts';
import { createPlace, transcribeTwice } from './metered.ts';
import { call } from './people.ts';
import { expectSteps, stepsOf } from './plots.ts';

const totals = (page: Page) => page.locator('dl');
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });

test('PRJ-04: what a project used and what it cost show by the day, over the period that the address tells @gate', async ({
  page,
  server,
}) => {
  test.setTimeout(120_000);
  const owner = await enter(page);
  const { projectUuid, home } = await createPlace(server.url, owner);

  await page.goto(`${home}usage/cost/`);
  await expect(heading(page, 'Usage cost')).toBeVisible();
  await expect(page.getByText('Nothing was used in this period')).toBeVisible();
  await expect(totals(page)).toContainText(/Total cost\s*\$0\.00/);
  await expect(page.getByRole('link', { name: 'Open the playground' })).toHaveAttribute(
    'href',
    new RegExp(`${home}playground/`),
  );

  await transcribeTwice(page, owner, projectUuid);
  const day = new Date().toISOString().slice(0, 10);
  const answer = await call(server.url, owner, 'POST', `projects/${projectUuid}/usage/cost/`, {
    start_date: day,
    end_date: day,
  });
  const { cost_micros } = v.parse(UsageCost, await answer.json()).totals;
  expect(cost_micros).toBeGreaterThan(0);
  const cost = `$${((cost_micros ?? 0) / 1_000_000).toFixed(6).replace(/0{1,4}$/, '')}`;
  await page.reload();
  await expect(totals(page)).toContainText(`Total cost${cost}`);
  await expect(stepsOf(page, 'Cost by day')).toHaveAttribute(
    'aria-valuetext',
    new RegExp(`: \\${cost}\\. Async \\S+: \\${cost}\\.$`),
  );

  // The period is in the address: it stays with a reload, and with the other chart.
  await choosePeriod(page, 'Last 7 days');
  await expectSteps(page, 'Cost by day', 7);
  await expect(page).toHaveURL(new RegExp(`usage/cost/\\?start_date=[\\d-]{10}&end_date=${day}$`));
  await page.reload();
  await expect(periodOf(page)).toContainText('Last 7 days');
  await expectSteps(page, 'Cost by day', 7);
  await page.getByRole('link', { name: 'View activity' }).click();
  await expect(heading(page, 'Usage activity')).toBeVisible();
  await expect(totals(page)).toContainText(/Requests\s*2Audio/);
  await expectSteps(page, 'Requests by day', 7);

  // The keyboard reaches every step through one stop.
  await stepsOf(page, 'Requests by day').focus();
  await expect(page.getByTestId('pointed')).toHaveText(/^\S+ \d+, \d{4}: 2 requests$/);
  await expect(page.getByRole('list', { name: 'Models' })).toHaveText(/^\S+ Async 2$/);
  await page.keyboard.press('ArrowLeft');
  await expect(stepsOf(page, 'Requests by day')).toHaveAttribute('aria-valuenow', '5');
  await expect(page.getByTestId('pointed')).toHaveText(/: 0 requests$/);
  await expect(page.getByRole('list', { name: 'Models' })).toHaveText(/ Async 0$/);
  await page.keyboard.press('Home');
  await expect(stepsOf(page, 'Requests by day')).toHaveAttribute('aria-valuenow', '0');
  await page.getByRole('button', { name: 'Audio time' }).click();
  await expect(stepsOf(page, 'Audio time by day')).toHaveAttribute('aria-valuetext', /: \d+ s\. Async/);

  await page.getByLabel('Group by').selectOption('Hourly');
  // UXP-94: most of these hours were before the first use.
  await expect(stepsOf(page, 'Audio time by hour')).toBeVisible();
  await expect(page.getByTestId('pointed')).toContainText(/Nothing before \w+ \d+, \d\d:00/);
  await expect(page).toHaveURL(/&period=hourly$/);
  await page.goBack();
  await expectSteps(page, 'Audio time by day', 7);
  await chooseDays(page, day, '2026-01-01');
  await expect(page.getByRole('alert').filter({ hasText: 'The last day must not be before the first.' })).toBeVisible();
  await page.getByLabel('To', { exact: true }).fill(day);
  await page.getByRole('button', { name: 'Apply' }).click();
  await expectSteps(page, 'Audio time by day', 1);
  await expect(page).toHaveURL(new RegExp(`start_date=${day}&end_date=${day}$`));
});
