import type { UsageActivity } from '#contract/usage.ts';
import { enter, expect, expectAccessible, type Page, test, showIn } from './fixtures.ts';
import { expectSteps, stepsOf } from './plots.ts';

// What the browser itself says about a file that does not come.
test.use({ allowed: [/net::ERR_FAILED/] });

const figures: UsageActivity = {
  start_date: '2026-10-01',
  end_date: '2026-10-03',
  period: 'daily',
  buckets: ['2026-10-01T00:00:00Z', '2026-10-02T00:00:00Z', '2026-10-03T00:00:00Z'],
  series: [
    { service: 'async', model: 'stt-async', requests: [300, 0, 1], audio_ms: [0, 0, 0] },
    { service: 'real_time', model: 'stt-rt', requests: [100, 0, 0], audio_ms: [0, 0, 0] },
  ],
  totals: { requests: 401, audio_ms: 0 },
};

/** The address of the usage of the demo project, whose figures are the ones above. */
async function usageOf(page: Page): Promise<string> {
  const { playground } = await enter(page);
  await page.route('**/usage/activity/', (route) => route.fulfill({ json: figures }));
  return `${(playground ?? '').replace(/playground\/.*/, 'usage/activity/')}?start_date=2026-10-01&end_date=2026-10-03`;
}

/** What is drawn: parts of bars, of which those of a series are one path, marks of the scale, and the colours of the legend. */
const drawing = (page: Page) =>
  page.evaluate(() => {
    const box = (element: Element) => element.getBoundingClientRect();
    const bars = [...document.querySelectorAll('[data-steps]')].flatMap((steps) => {
      const { left, width, top, bottom } = box(steps);
      const count = Number(steps.ariaValueMax) + 1;
      return Array.from({ length: count }, (_, index) => ({
        left: left + (width * index) / count,
        right: left + (width * (index + 1)) / count,
        top,
        bottom,
      }));
    });
    return {
      bars,
      parts: [...document.querySelectorAll<SVGPathElement>('[data-series]')].flatMap((series) => {
        const toScreen = series.getScreenCTM() ?? new DOMMatrix();
        const outlines = [...(series.getAttribute('d') ?? '').matchAll(/M(.+?),(.+?)v(.+?)h(.+?)v/g)];
        return outlines.map((outline) => {
          const [x = 0, y = 0, up = 0, width = 0] = outline.slice(1).map(Number);
          const [from, to] = [new DOMPoint(x, y + up), new DOMPoint(x + width, y)].map((p) =>
            p.matrixTransform(toScreen),
          );
          const [left, top, right, bottom] = [from?.x ?? 0, from?.y ?? 0, to?.x ?? 0, to?.y ?? 0];
          const bar = bars.findIndex((candidate) => candidate.left <= left && candidate.right >= right);
          return { bar, top, bottom, height: bottom - top, colour: getComputedStyle(series).fill };
        });
      }),
      marks: [...document.querySelectorAll('[data-mark]')].map((mark) => ({
        text: mark.textContent,
        middle: (box(mark).top + box(mark).bottom) / 2,
      })),
      legend: [...document.querySelectorAll('[aria-label="Models"] li')].map(
        (entry) => getComputedStyle(entry.firstElementChild ?? entry).backgroundColor,
      ),
      isMoving: document
        .getAnimations()
        .some(
          ({ effect }) =>
            effect instanceof KeyframeEffect && effect.target?.closest('svg')?.querySelector('[data-steps]'),
        ),
    };
  });

test('PRJ-04 ERR-09: charts load late, or leave the table; bars are stacked to scale, from the left in any script', async ({
  page,
}) => {
  const fetched: string[] = [];
  page.on('request', (request) => fetched.push(request.url()));
  const address = await usageOf(page);
  await page.goto(address.replace(/usage\/.*/, ''));
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  expect(fetched.filter((url) => url.includes('/plots-'))).toEqual([]);
  await page.route('**/plots-*.js', (route) => route.abort());
  await page.goto(address);
  await expect(page.getByRole('alert').filter({ hasText: 'Part of the console couldn’t be loaded.' })).toBeVisible();
  await page.getByText('Show as a table').click();
  const table = page.getByRole('region', { name: 'Requests by day, as a table' });
  await expect(table.getByRole('row').nth(1)).toHaveText('Oct 1, 2026300100400');
  await expect(table.getByRole('row').last()).toHaveText('Total301100401');
  await page.getByText('Show as a table').click();
  await page.unroute('**/plots-*.js');
  await page.getByRole('button', { name: 'Retry' }).click();
  await expectSteps(page, 'Requests by day', 3);
  await expect(page.locator('[data-series]')).toHaveCount(2);
  expect(fetched.some((url) => url.includes('/plots-'))).toBe(true);

  const { bars, parts, marks, legend, isMoving } = await drawing(page);
  expect(isMoving).toBe(false);
  // A scale of 400 requests on 200 pixels.
  expect(marks.map(({ text }) => text)).toEqual(['0', '100', '200', '300', '400']);
  const ground = bars[0]?.bottom ?? 0;
  for (const [index, { middle }] of marks.entries()) expect(Math.abs(ground - 50 * index - middle)).toBeLessThan(2);
  const [asyncs, live] = [
    parts.filter(({ colour }) => colour === legend[0]),
    parts.filter(({ colour }) => colour === legend[1]),
  ];
  expect([asyncs.map(({ bar }) => bar), live.map(({ bar }) => bar)]).toEqual([[0, 2], [0]]);
  const [lower, least] = asyncs;
  const upper = live[0];
  if (!lower || !least || !upper) throw new Error('A colour is missing.');
  for (const [part, height] of [
    [lower, 150],
    [upper, 50],
    [least, 2],
  ] as const)
    expect(Math.abs(part.height - height)).toBeLessThan(1.5);
  expect(Math.abs(lower.bottom - ground)).toBeLessThan(1.5);
  expect(upper.bottom).toBeLessThanOrEqual(lower.top);
  expect(lower.top - upper.bottom).toBeLessThan(1.5);

  // Hovering tells the figures of a bar, wherever in its column the pointer is; elsewhere those of the period.
  const steps = stepsOf(page, 'Requests by day');
  await steps.hover({ position: { x: 20, y: 180 } });
  await expect(page.getByTestId('pointed')).toHaveText('Oct 1, 2026: 400 requests');
  await expect(page.getByRole('list', { name: 'Models' })).toHaveText('stt-async Async 300stt-rt Live 100');
  await steps.hover({ position: { x: (bars[1]?.left ?? 0) - (bars[0]?.left ?? 0) + 20, y: 5 } });
  await expect(page.getByTestId('pointed')).toHaveText('Oct 2, 2026: 0 requests');
  await page.mouse.move(5, 5);
  await expect(page.getByRole('list', { name: 'Models' })).toHaveText('stt-async Async 301stt-rt Live 100');

  await page.evaluate(() => {
    document.documentElement.dir = 'rtl';
  });
  const [first, , last] = (await drawing(page)).bars;
  expect(first?.right).toBeLessThan(last?.left ?? 0);
  await page.evaluate(() => {
    document.documentElement.dir = 'ltr';
  });

  // Drawn anew for a window of any width, and readable in both themes.
  for (const [width, colorScheme] of [
    [1280, 'dark'],
    [320, 'dark'],
    [320, 'light'],
  ] as const) {
    await showIn(page, { width, height: 800, colorScheme });
    await expect
      .poll(async () => (await drawing(page)).bars.every(({ left, right }) => left >= 0 && right <= width))
      .toBe(true);
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  }
});

test.describe('by finger', () => {
  test.use({ hasTouch: true });
  test('PRJ-04: a tap on a chart tells the step that is under it', async ({ page }) => {
    await page.goto(await usageOf(page));
    const steps = stepsOf(page, 'Requests by day');
    for (const [day, figures] of ['400 requests', '0 requests', '1 request'].entries()) {
      const { width, height } = (await steps.boundingBox()) ?? { width: 0, height: 0 };
      await steps.tap({ position: { x: (width * (day + 0.5)) / 3, y: height / 2 } });
      await expect(page.getByTestId('pointed')).toHaveText(`Oct ${day + 1}, 2026: ${figures}`);
    }
  });
});
