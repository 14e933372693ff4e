import type { Locator } from '@playwright/test';
import { daysAfter } from '#contract/usage.ts';
import { settle } from '../gallery/scene.ts';
import { billingOf, test, type Billed } from './billed.ts';
import { periodOf } from './filters.ts';
import { enter, expect, expectAccessible, type Page, pressEscape } from './fixtures.ts';

const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 740 },
];

/** Screens with filters, and what of each has to be within the first screen. */
function screensOf(billed: Billed): Record<string, { path: string; first: (page: Page) => Locator }> {
  const project = `/org/${billed.orgUuid}/projects/${billed.projects[0]}/`;
  // On the first of a month nothing was used in this one.
  const today = new Date().toISOString().slice(0, 10);
  const month = `?start_date=${daysAfter(today, -29)}&end_date=${today}`;
  const chart = (page: Page) => page.locator('[data-series]').first();
  return {
    Metrics: { path: `${project}metrics/${month}`, first: chart },
    Logs: { path: `${project}api/logs/?period=month`, first: (page) => page.locator('[data-row]').first() },
    'Usage cost': { path: `${project}usage/cost/${month}`, first: chart },
    'Usage activity': { path: `${project}usage/activity/${month}`, first: chart },
    Reports: { path: `${billingOf(billed)}reports/${month}`, first: chart },
    Cost: { path: `${billingOf(billed)}costs/${month}`, first: (page) => page.locator('tbody tr').first() },
  };
}

test('CON-35 CON-36: the first chart and row are within the first screen, below one row of filters that names the zone', async ({
  page,
  billed,
}) => {
  await enter(page);
  for (const size of SIZES) {
    await page.setViewportSize(size);
    for (const [name, { path, first }] of Object.entries(screensOf(billed))) {
      await page.goto(path);
      await expect(first(page)).toBeVisible();
      await settle(page);
      const box = await first(page).boundingBox();
      const bottom = Math.ceil((box?.y ?? Infinity) + (box?.height ?? 0));
      expect.soft(bottom, `${name} at ${size.width} px`).toBeLessThanOrEqual(size.height);
      if (name === 'Logs') continue;
      const zones = (await page.locator('main').innerText()).match(/UTC/g);
      expect.soft(zones, `${name} at ${size.width} px`).toEqual(['UTC']);
    }
  }
});

test('CON-35: the period opens and closes by the keyboard, and narrow windows have one button with a count', async ({
  page,
  billed,
}) => {
  const { path } = screensOf(billed)['Logs'] ?? { path: '' };
  await enter(page);
  await page.goto(path.replace(/\?.*/, ''));
  await expect(periodOf(page)).toContainText('Last 7 days');
  await periodOf(page).press('Enter');
  const choices = page.getByRole('dialog', { name: 'Period' });
  await expect(choices.getByRole('button', { name: 'Last hour' })).toBeFocused();
  await expectAccessible(page);
  await pressEscape(page);
  await expect(periodOf(page)).toBeFocused();
  await periodOf(page).press('Enter');
  await choices.getByRole('button', { name: 'Last 30 days' }).press('Enter');
  await expect(choices).toHaveCount(0);
  await expect(periodOf(page)).toBeFocused();
  await expect(page).toHaveURL(/\?period=month$/);

  await page.setViewportSize({ width: 390, height: 740 });
  await expect(periodOf(page)).toBeHidden();
  const button = page.getByRole('button', { name: /^Filters/ });
  await expect(button).toHaveAccessibleName('Filters 1 set');
  await button.click();
  const drawer = page.getByRole('dialog', { name: 'Filters' });
  await drawer.getByLabel('Kind').selectOption('Live');
  await expect(page).toHaveURL(/kind=real_time/);
  await expectAccessible(page);
  await drawer.getByRole('button', { name: 'Done' }).click();
  await expect(drawer).toHaveCount(0);
  await expect(button).toBeFocused();
  await expect(button).toHaveAccessibleName('Filters 2 set');

  // "Done" applies what is typed if it is right; closing forgets it.
  await button.click();
  await drawer.getByLabel('From (UTC)').fill('2026-01-02T00:00');
  await drawer.getByLabel('Before (UTC)').fill('2026-01-01T00:00');
  await drawer.getByRole('button', { name: 'Done' }).click();
  await expect(drawer.getByRole('alert')).toHaveText('The end must be after the start.');
  await drawer.getByRole('button', { name: 'Close' }).click();
  await expect(drawer).toHaveCount(0);
  await button.click();
  await expect(drawer.getByRole('button', { name: 'Apply' })).toBeDisabled();
  await expect(drawer.getByRole('alert')).toHaveCount(0);
  await drawer.getByLabel('From (UTC)').fill('2026-01-02T00:00');
  await drawer.getByRole('button', { name: 'Done' }).click();
  await expect(drawer).toHaveCount(0);
  await expect(page).toHaveURL(/from=2026-01-02/);

  // "Done" and other filters take a reference that is only typed.
  await button.click();
  const reference = drawer.getByLabel('Client reference ID');
  await reference.fill('call-7');
  await drawer.getByRole('button', { name: 'Done' }).click();
  await expect(page).toHaveURL(/reference=call-7/);
  await button.click();
  await reference.fill('call-8');
  await drawer.getByLabel('Status').selectOption('Failed');
  await expect(page).toHaveURL(/status=failed&reference=call-8/);
  await drawer.getByRole('button', { name: 'Close' }).click();
  await expect(drawer).toHaveCount(0);
});

test('CON-32: an hour of the metrics is the hour of the logs, in the zone that the device keeps', async ({
  page,
  billed,
}) => {
  const { Logs } = screensOf(billed);
  await enter(page);
  const browser = await page.context().newCDPSession(page);
  await browser.send('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Kolkata' });
  await page.goto(Logs?.path ?? '');
  await expect(page.getByRole('columnheader', { name: 'Time (UTC)' })).toBeVisible();
  const times = page.locator('[data-row] time');
  const first = new Date((await times.first().getAttribute('datetime')) ?? '');
  const inIndia = (at: Date, seconds: boolean) =>
    new Intl.DateTimeFormat('en', {
      dateStyle: 'medium',
      timeStyle: seconds ? 'medium' : 'short',
      hourCycle: 'h23',
      timeZone: 'Asia/Kolkata',
    }).format(at);
  await expect(times.first()).not.toHaveText(inIndia(first, true));
  await page.getByRole('radio', { name: 'Local' }).check({ force: true });
  await expect(page.getByRole('columnheader', { name: 'Time (local)' })).toBeVisible();
  await expect(times.first()).toHaveText(inIndia(first, true));

  const day = first.toISOString().slice(0, 10);
  await page.goto(
    `/org/${billed.orgUuid}/projects/${billed.projects[0]}/metrics/?start_date=${day}&end_date=${day}&period=hourly`,
  );
  await expect(page.getByRole('radio', { name: 'Local' })).toBeChecked();
  const steps = page.getByRole('slider', { name: 'Requests by hour' });
  await steps.focus();
  await page.keyboard.press('Home');
  await expect(page.getByTestId('pointed').first()).toContainText(`${inIndia(new Date(day), false)}: `);
});
