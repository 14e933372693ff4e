/** What moves on a screen while it loads: a skeleton that is not of the size of what takes its place pushes the rest about. */
import type { Page } from '@playwright/test';

/** How long answers take, so that skeletons are there to be seen. Milliseconds. */
const ANSWERED_AFTER_MS = 300;
/**
 * What a person does not see: a line that becomes one pixel higher. Chromium's score, in which a page that moves by its
 * whole height has 1.
 */
const LEAST = 0.002;

interface Shift extends PerformanceEntry {
  value: number;
  sources: readonly { node: Node | null; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }[];
}

/** Has answers take their time, and what moves meanwhile written down. Before the page is opened. */
export async function watchShifts(page: Page): Promise<void> {
  for (const pattern of ['**/api/v2/**', '**/v1/**'])
    await page.route(pattern, async (route) => {
      // The stream of events never ends.
      const url = route.request().url();
      // A chart's figures take twice as long: what else is on the screen stands before them.
      const after = ANSWERED_AFTER_MS * (url.includes('/usage/') ? 2 : 1);
      if (!url.includes('/events/')) await new Promise((resolve) => setTimeout(resolve, after));
      await route.fallback();
    });
  await page.addInitScript(() => {
    const shifts: Shift[] = [];
    new PerformanceObserver((list) => shifts.push(...(list.getEntries() as Shift[]))).observe({
      type: 'layout-shift',
      buffered: true,
    });
    Object.assign(window, { shifts });
  });
}

/** What moved since then without being asked to. */
export const shiftsOf = (page: Page): Promise<string[]> =>
  page.evaluate((least) => {
    const { shifts } = window as unknown as { shifts: readonly Shift[] };
    return shifts
      .filter(({ value }) => value >= least)
      .flatMap(({ sources }) =>
        sources.map(
          ({ node, previousRect, currentRect }) =>
            `"${(node?.textContent ?? '').slice(0, 40)}" from ${previousRect.top} to ${currentRect.top} px`,
        ),
      );
  }, LEAST);
