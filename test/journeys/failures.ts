/** Calls that fail as the server would fail, and the look at a page that is narrow. */
import type { Page, Route } from '@playwright/test';

/** Answers a call with a failure of the server: 'The disk is full.' */
export const refuse = (route: Route) =>
  route.fulfill({
    status: 500,
    json: {
      status_code: 500,
      error_type: 'internal_error',
      message: 'The disk is full.',
      validation_errors: [],
      request_id: 'r-1',
    },
  });

/** Has a call fail the next time it is made. */
export const failOnce = (page: Page, pattern: string) => page.route(pattern, refuse, { times: 1 });

/** Has a call fail until what this returns is called, however often it is made. */
export async function failUntil(page: Page, pattern: string): Promise<() => Promise<void>> {
  await page.route(pattern, refuse);
  return () => page.unroute(pattern, refuse);
}

/** Nothing of the page is beside the window. */
export const fitsIn = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
