import type { Locator, Page } from '@playwright/test';
import { expect } from './fixtures.ts';

/** What one moves along the steps of a chart with. */
export const stepsOf = (within: Page | Locator, label: string): Locator =>
  within.getByRole('slider', { name: label, exact: true });

/** The chart is drawn, with so many steps. */
export const expectSteps = (within: Page | Locator, label: string, count: number): Promise<void> =>
  expect(stepsOf(within, label)).toHaveAttribute('aria-valuemax', String(count - 1));
