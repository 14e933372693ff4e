/** The lines of a line chart, and their texts. */
import { formatValue, type Unit } from './bars.ts';
import { PLOT_HEIGHT } from './sizes.ts';
import { BAR_GAP, BAR_WIDTH, HEIGHT_MIN_PX, rounded } from './stacked.ts';

/** From the start of a time step to its middle, in steps. */
export const HALF = 0.5;

/** `values` are null for steps without a measurement; `dash` is a `stroke-dasharray`, for people who see no colours. */
export type Line = { name: string; values: readonly (number | null)[]; colour: string; dash?: string };

export const NOT_MEASURED = 'Not measured';

export const formatMeasured = (value: number | null | undefined, unit: Unit): string =>
  value === null || value === undefined ? NOT_MEASURED : formatValue(value, unit);

/** 'p50 120 ms, p90 1.5 s, p99 2 s'; without the name if there is only one line. */
export function readoutOf(lines: readonly Line[], index: number, unit: Unit): string {
  if (lines.every(({ values }) => (values[index] ?? null) === null)) return NOT_MEASURED;
  return lines
    .map(({ name, values }) => `${lines.length > 1 ? `${name} ` : ''}${formatMeasured(values[index], unit)}`)
    .join(', ');
}

/** Whether there is anything to draw. */
export const isMeasured = (lines: readonly Line[]): boolean =>
  lines.some(({ values }) => values.some((value) => value !== null));

/**
 * Whether most measured steps have no measured neighbour: then lines would be lonely dots, and bars are drawn instead.
 */
export function isSparse(lines: readonly Line[]): boolean {
  const steps = lines.reduce<(number | null)[]>(
    (known, { values }) => values.map((value, index) => value ?? known[index] ?? null),
    [],
  );
  const measured = steps.filter((value) => value !== null).length;
  return 2 * steps.filter((_, index) => isAlone(steps, index)).length > measured;
}

/** Whether a value has no measured neighbour, so that only a dot can show it. */
const isAlone = (values: Line['values'], index: number): boolean =>
  (values[index] ?? null) !== null && (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null;

/**
 * SVG paths: `line` goes through the middles of the steps and breaks at missing values; `dots` are the values without
 * neighbours. A time step is 1 wide; heights are pixels.
 *
 * @param top the amount at the top of the plot
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

/**
 * An SVG path with a bar for each measured value, beside those of the other lines.
 *
 * @param place of the line among `count` lines
 */
export function drawnBars(values: Line['values'], top: number, place: number, count: number): string {
  const width = BAR_WIDTH / count;
  return values
    .map((value, index) => {
      if (value === null) return '';
      const height = rounded(Math.max((value / top) * PLOT_HEIGHT, HEIGHT_MIN_PX));
      return `M${rounded(index + BAR_GAP + place * width)},${PLOT_HEIGHT}v${-height}h${rounded(width)}v${height}z`;
    })
    .join('');
}
