/**
 * The colours of charts, by what they stand for: blue comes first, red is for failures alone. Both themes use the same
 * hues. All reach a contrast of 3:1 to the panel, also where a step is pointed at (checked by a test).
 */
export const HUES = {
  blue: ['#1d5fd6', '#5995fc'],
  teal: ['#0f766e', '#2dd4bf'],
  amber: ['#b45309', '#f59e0b'],
  violet: ['#7c3aed', '#a78bfa'],
  pink: ['#be185d', '#f472b6'],
  green: ['#4d7c0f', '#a3e635'],
} as const satisfies Record<string, readonly [light: string, dark: string]>;

type Hue = keyof typeof HUES;

const MEANINGS = {
  main: 'blue',
  async: 'blue',
  real_time: 'teal',
  p50: 'blue',
  p90: 'teal',
  p99: 'amber',
  refused: 'amber',
} as const satisfies Record<string, Hue>;

const css = (name: string): string => `var(--chakra-colors-${name})`;
const hueOf = (hue: Hue): string => css(`chart-${hue}`);

/** The colour of what a chart shows, as CSS. */
export const chartColour = (meaning: keyof typeof MEANINGS): string => hueOf(MEANINGS[meaning]);

/** The colours of things without a meaning of their own, such as projects, in this order. */
export const CHART_COLOURS: readonly string[] = Object.keys(HUES).map((hue) => hueOf(hue as Hue));

/** Failures, and limits. */
export const FAILED_COLOUR = css('fg-error');
/** What is cancelled, or the rest of many. */
export const REST_COLOUR = css('fg-subtle');
