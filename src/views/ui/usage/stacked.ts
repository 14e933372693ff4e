/** The SVG paths of stacked bars. */
import type { Series } from './bars.ts';
import { PLOT_HEIGHT } from './sizes.ts';

/** Every value above 0 stays visible. */
export const HEIGHT_MIN_PX = 2;
const GAP_PX = 1;
/** Parts up to this height have no gap to the next part. */
const NO_GAP_MAX_PX = 3;
/** The gap on each side of a bar, in widths of a time step. */
export const BAR_GAP = 0.14;
export const BAR_WIDTH = 1 - 2 * BAR_GAP;

/** Rounds to hundredths: finer differences are invisible. */
export const rounded = (length: number): number => Math.round(length * 100) / 100;

/**
 * For each series, an SVG path of its parts of the bars, stacked on the series before. A time step is 1 wide; heights
 * are pixels.
 *
 * @param top the amount at the top of the plot
 */
export function stacked(series: readonly Pick<Series, 'values'>[], top: number): string[] {
  const bottoms: number[] = [];
  return series.map(({ values }) =>
    values
      .map((value, index) => {
        if (value === 0) return '';
        const bottom = bottoms[index] ?? PLOT_HEIGHT;
        const height = Math.max((value / top) * PLOT_HEIGHT, HEIGHT_MIN_PX);
        bottoms[index] = bottom - height;
        const drawn = rounded(height > NO_GAP_MAX_PX ? height - GAP_PX : height);
        return `M${rounded(index + BAR_GAP)},${rounded(bottom)}v${-drawn}h${BAR_WIDTH}v${drawn}z`;
      })
      .join(''),
  );
}
