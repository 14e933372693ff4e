/** What a chart of lines draws: its lines, and the words for them. */
import { formatValue, type Unit } from './bars.ts';
import { PLOT_HEIGHT } from './sizes.ts';
import { rounded } from './stacked.ts';

/** From the beginning of a step to its middle. */
export const HALF = 0.5;

/** `values` are null where nothing was measured; `dash` tells lines apart that look alike to some, as SVG has it. */
export type Line = { name: string; values: readonly (number | null)[]; colour: string; dash?: string };

export const NOT_MEASURED = 'Not measured';

export const formatMeasured = (value: number | null | undefined, unit: Unit): string =>
  value === null || value === undefined ? NOT_MEASURED : formatValue(value, unit);

/** 'p50 120 ms, p90 1.5 s, p99 2 s'; one line by itself goes without its name. */
export function readoutOf(lines: readonly Line[], index: number, unit: Unit): string {
  if (lines.every(({ values }) => (values[index] ?? null) === null)) return NOT_MEASURED;
  return lines
    .map(({ name, values }) => `${lines.length > 1 ? `${name} ` : ''}${formatMeasured(values[index], unit)}`)
    .join(', ');
}

/** Whether there is anything to draw. */
export const isMeasured = (lines: readonly Line[]): boolean =>
  lines.some(({ values }) => values.some((value) => value !== null));

/** Whether no line leads to a point, or from it: only a dot shows it. */
const isAlone = (values: Line['values'], index: number): boolean =>
  (values[index] ?? null) !== null && (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null;

/**
 * A line through the middles of its steps, which begins anew after what was not measured, and dots for what it does not reach; in the
 * words of SVG. Across, a step is 1; upwards, lengths are pixels.
 *
 * @param top the amount that is as high as the plot
 */
export function drawnLine(values: Line['values'], top: number): { line: string; dots: string } {
  const points = values.map((value, index) =>
    value === null ? '' : `${index + HALF},${rounded(PLOT_HEIGHT * (1 - value / top))}`,
  );
  return {
    line: points.map((point, index) => (point === '' ? '' : `${points[index - 1] ? 'L' : 'M'}${point}`)).join(''),
    dots: points.map((point, index) => (isAlone(values, index) ? `M${point}h0` : '')).join(''),
  };
}
