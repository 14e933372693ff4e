/** Calls that fail as the server would fail, or are held, and the look at a page that is narrow. */
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

/** Keeps calls of these addresses, by one method where it is told, from their answers until what this returns is called. */
export async function hold(
  page: Page,
  pattern: string,
  { method, answer = (route) => route.fallback() }: { method?: string; answer?: (route: Route) => Promise<void> } = {},
): Promise<() => void> {
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(pattern, async (route) => {
    if (method !== undefined && route.request().method() !== method) return route.fallback();
    await held;
    return answer(route);
  });
  return release;
}

/** Nothing of the page is beside the window. */
export const fitsIn = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
