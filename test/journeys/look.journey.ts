import type { Locator } from '@playwright/test';
import { daysAfter, daysFrom, type UsageCost } from '#contract/usage.ts';
import { longStep } from '#src/views/ui/usage/bars.ts';
import { hold } from './failures.ts';
import { enter, expect, expectAccessible, followed, type Page, restOf, test } from './fixtures.ts';
import { expectSteps } from './plots.ts';

// With everything that moves, as most people see it.
test.use({ contextOptions: { reducedMotion: 'no-preference' } });

/** Colours of a button and its ground, as RGB from 0 to 255, and its cursor. */
function looksOf(button: Locator) {
  return button.evaluate((element) => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const rgb = (colour: string): number[] => {
      if (!canvas) throw new Error('There is no canvas.');
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const { backgroundColor, color, cursor, opacity } = getComputedStyle(element);
    return { ground: rgb(backgroundColor), text: rgb(color), cursor, opacity };
  });
}

function luminance([red = 0, green = 0, blue = 0]: readonly number[]): number {
  const linear = (value: number) =>
    value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function contrast(one: readonly number[], other: readonly number[]): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

/** How colourful: nothing for grey. */
const chroma = (colour: readonly number[]) => Math.max(...colour) - Math.min(...colour);

async function expectGrey(button: Locator): Promise<void> {
  // Colours fade in.
  await expect.poll(async () => chroma((await looksOf(button)).ground)).toBeLessThan(24);
  const { ground, text, cursor, opacity } = await looksOf(button);
  expect(cursor).toBe('not-allowed');
  expect(opacity).toBe('1');
  expect(contrast(ground, text)).toBeGreaterThanOrEqual(3);
  await button.hover({ force: true });
  expect(chroma((await looksOf(button)).ground)).toBeLessThan(24);
}

async function expectColourful(button: Locator): Promise<void> {
  await expect.poll(async () => chroma((await looksOf(button)).ground)).toBeGreaterThan(80);
  expect((await looksOf(button)).cursor).toBe('pointer');
}

test('CON-11: a main button that cannot be pressed is grey and says so by its cursor, in both themes; beside it stands why', async ({
  page,
}) => {
  const { playground } = await enter(page);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const inBoth = async (expectLook: (button: Locator) => Promise<void>, name: string) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await followed(page, colorScheme);
      await restOf(page);
      await expectLook(button(name));
    }
  };
  await page.goto(`${playground}?mode=async`);
  await expect(button('Transcribe file')).toBeDisabled();
  await inBoth(expectGrey, 'Transcribe file');
  await expect(button('Transcribe file')).toHaveAccessibleDescription(/Choose/);
  await page.getByRole('list', { name: 'Files' }).getByRole('link').first().click();
  await expect(button('Transcribe file')).toBeEnabled();
  await inBoth(expectColourful, 'Transcribe file');

  await page.getByRole('tab', { name: 'WebSocket API' }).click();
  await inBoth(expectColourful, 'Run');
  await page.getByRole('radio', { name: 'File' }).check({ force: true });
  await expect(button('Run')).toBeDisabled();
  await inBoth(expectGrey, 'Run');
  await expect(button('Run')).toHaveAccessibleDescription(/Choose a file/);

  // One that keeps the focus while the list is read.
  const release = await hold(page, '**/api-keys/');
  await page.goto((playground ?? '').replace(/playground\/.*/, 'api/keys/'));
  await expect(button('Create API key')).toHaveAttribute('aria-disabled', 'true');
  await inBoth(expectGrey, 'Create API key');
  release();
  await inBoth(expectColourful, 'Create API key');

  // At work is not forbidden: it keeps its colour.
  await page.route('**/api/v2/organizations/**', () => new Promise(() => {}));
  await page.goto('/user/');
  await button('Create organization').click();
  await page.getByRole('dialog', { name: 'Create organization' }).getByLabel('Name').fill('Busy');
  await button('Create').click();
  await expect(button('Creating…')).toHaveAttribute('aria-busy', 'true');
  await inBoth(
    (busy) => expect.poll(async () => chroma((await looksOf(busy)).ground)).toBeGreaterThan(80),
    'Creating…',
  );
  await expectAccessible(page);
});

/** Figures of every day or hour of a period that is asked for. */
function figuresOf({
  start_date,
  end_date,
  period = 'daily',
}: {
  start_date: string;
  end_date: string;
  period?: UsageCost['period'];
}): UsageCost {
  const days = Array.from(
    { length: daysFrom(start_date, end_date) },
    (_, index) => `${daysAfter(start_date, index)}T00:00:00Z`,
  );
  const months = [...new Set(days.map((day) => `${day.slice(0, 7)}-01T00:00:00Z`))];
  const hours = days.flatMap((day) =>
    Array.from({ length: 24 }, (_, hour) => day.replace('T00', `T${String(hour).padStart(2, '0')}`)),
  );
  const buckets = { daily: days, monthly: months, hourly: hours }[period];
  const values = buckets.map((_, index) => (index + 1) * 1000);
  return {
    start_date,
    end_date,
    period,
    buckets,
    currency: 'USD',
    series: [{ service: 'async', model: 'stt', cost_micros: values }],
    totals: { cost_micros: values.reduce((sum, value) => sum + value, 0) },
  };
}

const STEPS = { daily: 'day', hourly: 'hour', monthly: 'month' } as const;

/** What is wrong with the labels below the bars: not under their own, over another label, out of the panel. */
const labelFaults = (page: Page, names: string[]) =>
  page.evaluate((steps) => {
    const { left: start = 0, width = 0 } = document.querySelector('[data-steps]')?.getBoundingClientRect() ?? {};
    const bars = steps.map((name, index) => ({ name, middle: start + (width * (index + 0.5)) / steps.length }));
    const labels = [...document.querySelectorAll('[data-label]')].filter((label) => label.checkVisibility());
    const panel = labels[0]?.closest('section')?.getBoundingClientRect();
    const faults: string[] = labels.length === 0 ? ['no labels'] : [];
    let before = -Infinity;
    for (const label of labels) {
      const { left, right } = label.getBoundingClientRect();
      const middle = (left + right) / 2;
      // The nearest: a year of days has less than a pixel for each on a phone.
      const distance = (bar: (typeof bars)[number]) => Math.abs(bar.middle - middle);
      const nearest = bars.toSorted((one, other) => distance(one) - distance(other))[0];
      const own = nearest && distance(nearest) < 1 ? nearest : undefined;
      const text = (label.textContent ?? '').replace(',', '');
      // 'Nov 21' stands for 'Nov 21, 2026', 'Nov 2026' for 'November 2026'.
      const words = text.split(' ');
      if (
        !own ||
        !words.every((word) => own.name.replaceAll(',', '').split(/[ :]/).join(' ').includes(word.replace(':', ' ')))
      )
        faults.push(`${text} is under ${own?.name ?? 'no bar'}`);
      if (left < before + 2) faults.push(`${text} touches the label before it`);
      if (panel && (left < panel.left || right > panel.right)) faults.push(`${text} leaves the panel`);
      before = right;
    }
    return faults;
  }, names);

test('CON-18: every label of a usage chart stands under its own bar, for any number of bars, in any window', async ({
  page,
}) => {
  test.setTimeout(300_000);
  const { playground } = await enter(page);
  await page.route('**/usage/cost/', (route) =>
    route.fulfill({ json: figuresOf(route.request().postDataJSON() as Parameters<typeof figuresOf>[0]) }),
  );
  const usage = (playground ?? '').replace(/playground\/.*/, 'usage/cost/');
  const periods = [
    ...[1, 7, 22, 61, 366].map((days) => ({
      end: daysAfter('2026-10-01', days - 1),
      period: 'daily' as const,
    })),
    ...[1, 31].map((days) => ({ end: daysAfter('2026-10-01', days - 1), period: 'hourly' as const })),
    ...[31, 365].map((days) => ({ end: daysAfter('2026-10-01', days - 1), period: 'monthly' as const })),
  ];
  await page.goto(`${usage}?start_date=2026-09-01&end_date=2026-09-05&period=daily`);
  // Its own reading is none of those that are waited for below.
  await expectSteps(page, 'Cost by day', 5);
  for (const { end, period } of periods) {
    const asked = page.waitForRequest('**/usage/cost/');
    await page.evaluate(
      (to) => history.pushState(null, '', to),
      `${usage}?start_date=2026-10-01&end_date=${end}&period=${period}`,
    );
    const { buckets } = figuresOf((await asked).postDataJSON() as Parameters<typeof figuresOf>[0]);
    await expectSteps(page, `Cost by ${STEPS[period]}`, buckets.length);
    const names = buckets.map((start) => longStep(start, period, 'utc'));
    for (const width of [320, 390, 768, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      await expect.soft.poll(() => labelFaults(page, names), `${period} until ${end} at ${width} px`).toEqual([]);
    }
  }
});
