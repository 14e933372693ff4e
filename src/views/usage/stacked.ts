/** The bars of a chart as they are drawn. */
import type { Series } from './bars.ts';
import { PLOT_HEIGHT } from './sizes.ts';

/** Something is seen of whatever is more than nothing. */
const LEAST_PX = 2;
const GAP_PX = 1;
/** Of a part thinner than this nothing is left out between it and the next. */
const LEAST_WITH_GAP_PX = 3;
/** On each side of a bar, of the width of its step. */
const BAR_GAP = 0.14;
const BAR_WIDTH = 1 - 2 * BAR_GAP;

/** No finer than is seen. */
export const rounded = (length: number): number => Math.round(length * 100) / 100;

/**
 * For each series, the outline of what it adds to the bars, each upon those of the series before; in the words of SVG. Across,
 * a step is 1; upwards, lengths are pixels.
 *
 * @param top the amount that is as high as the plot
 */
export function stacked(series: readonly Pick<Series, 'values'>[], top: number): string[] {
  const bottoms: number[] = [];
  return series.map(({ values }) =>
    values
      .map((value, index) => {
        if (value === 0) return '';
        const bottom = bottoms[index] ?? PLOT_HEIGHT;
        const height = Math.max((value / top) * PLOT_HEIGHT, LEAST_PX);
        bottoms[index] = bottom - height;
        const drawn = rounded(height > LEAST_WITH_GAP_PX ? height - GAP_PX : height);
        return `M${rounded(index + BAR_GAP)},${rounded(bottom)}v${-drawn}h${BAR_WIDTH}v${drawn}z`;
      })
      .join(''),
  );
}
