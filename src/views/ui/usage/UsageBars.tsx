import { FAILED_COLOUR } from '../../../theme/charts.ts';
import { describeBar, formatCounted, longStep, ticksOf, topOf, totalAt, type Series, type Unit } from './bars.ts';
import { useZone } from '../state.ts';
import { PlotFrame } from './PlotFrame.tsx';
import type { PlotProps } from './plotProps.ts';
import { PLOT_HEIGHT } from './sizes.ts';
import { stacked } from './stacked.ts';

export type BarsProps = PlotProps & {
  series: readonly Series[];
  unit: Unit;
  /** A limit, drawn as a line across the bars. */
  limit?: number | null;
};

/**
 * Stacked bars, one per time step. Each series is one path: with an element per bar, a month by the hour would take a
 * second to appear.
 */
export function UsageBars({ series, unit, limit = null, ...plot }: BarsProps) {
  const zone = useZone();
  const { stepStarts, period } = plot;
  const ticks = ticksOf(Math.max(limit ?? 0, ...stepStarts.map((_, index) => totalAt(series, index))), unit);
  const top = topOf(ticks);
  return (
    <PlotFrame
      {...plot}
      {...{ ticks, unit }}
      readout={(index) => formatCounted(totalAt(series, index), unit)}
      describe={(index) => describeBar(series, index, longStep(stepStarts[index] ?? '', period, zone), unit)}
    >
      {stacked(series, top).map((d, index) => (
        <path key={series[index]?.colour} data-series d={d} fill={series[index]?.colour} />
      ))}
      {limit === null ? null : (
        <path
          className="limit"
          d={`M0,${PLOT_HEIGHT * (1 - limit / top)}h${stepStarts.length}`}
          stroke={FAILED_COLOUR}
          strokeWidth={2}
          strokeDasharray="6 4"
          vectorEffect="non-scaling-stroke"
        />
      )}
    </PlotFrame>
  );
}
