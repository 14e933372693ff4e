/** The row of filters above a chart or a list, in a wide window. */
import type { Locator, Page } from '@playwright/test';
import { expect, pressEscape } from './fixtures.ts';

/** The button that says which period is shown. */
export const periodOf = (page: Page): Locator => page.getByRole('button', { name: /^Period: / });

/** Opens the choices of the period. */
export async function openPeriod(page: Page): Promise<Locator> {
  await periodOf(page).click();
  const choices = page.getByRole('dialog', { name: 'Period' });
  await expect(choices).toBeVisible();
  return choices;
}

/** Chooses a period by its name. */
export async function choosePeriod(page: Page, name: string): Promise<void> {
  const choices = await openPeriod(page);
  await choices.getByRole('button', { name, exact: true }).click();
  await expect(choices).toHaveCount(0);
}

/** Types days, and presses Apply. The choices stay open if the days are wrong. */
export async function chooseDays(page: Page, from: string, to: string): Promise<void> {
  const choices = await openPeriod(page);
  await choices.getByLabel('From').fill(from);
  await choices.getByLabel('To', { exact: true }).fill(to);
  await choices.getByRole('button', { name: 'Apply' }).click();
}

/** Opens the projects of the reports, does this, and closes them. */
export async function inProjects(page: Page, perform: () => Promise<void>): Promise<void> {
  await page.getByRole('button', { name: /^Projects of the report: / }).click();
  const choices = page.getByRole('dialog', { name: 'Projects of the report' });
  await expect(choices).toBeVisible();
  await perform();
  await pressEscape(page);
  await expect(choices).toHaveCount(0);
}
