import { Bar, BarChart, CartesianGrid, ReferenceLine, type BarShapeProps } from 'recharts';
import type { UsagePeriod } from '#contract/usage.ts';
import { describeBar, formatCounted, longStep, rowsOf, ticksOf, totalAt, type Series, type Unit } from './bars.ts';
import { AmountAxis, PlotFrame, Steps, TimeAxis, type PlotProps } from './PlotFrame.tsx';
import { CHART_MARGIN_TOP, PLOT_HEIGHT } from './sizes.ts';

const GAP_PX = 1;
/** Of a bar thinner than this nothing is left out between its parts. */
const LEAST_WITH_GAP_PX = 3;
/** On each side of a bar, of the width of its step. */
const BAR_GAP = '14%';
/** The label of the last bar stands under it, and so beyond it. */
export const MARGIN_END: Readonly<Record<UsagePeriod, number>> = { hourly: 28, daily: 12, monthly: 12 };

export type BarsProps = PlotProps & {
  series: readonly Series[];
  unit: Unit;
  /** What the bars may not pass, as a line across them. */
  limit?: number | null;
};

/**
 * Stacked bars, one per step of the period; the arrow keys go from bar to bar. Recharts lays out axes and stacks; what
 * a bar tells, and which is pointed at, is the chart's. Nothing is animated.
 */
export function UsageBars({ actor, series, buckets, period, unit, label, hasHint = true, limit = null }: BarsProps) {
  const ticks = ticksOf(Math.max(limit ?? 0, ...buckets.map((_, index) => totalAt(series, index))), unit);
  const top = ticks.at(-1) ?? 1;
  return (
    <PlotFrame
      {...{ actor, buckets, period, label, hasHint }}
      tell={(index) => formatCounted(totalAt(series, index), unit)}
    >
      <BarChart
        responsive
        style={{ width: '100%', height: '100%' }}
        role="presentation"
        accessibilityLayer={false}
        data={rowsOf(series, buckets, top / PLOT_HEIGHT)}
        margin={{ top: CHART_MARGIN_TOP, right: MARGIN_END[period], bottom: 0, left: 0 }}
        barCategoryGap={BAR_GAP}
      >
        <CartesianGrid vertical={false} stroke="var(--chakra-colors-border)" />
        <TimeAxis {...{ buckets, period }} />
        <AmountAxis {...{ ticks, unit }} />
        <Steps
          {...{ actor, buckets }}
          describe={(index) => describeBar(series, index, longStep(buckets[index] ?? '', period), unit)}
        />
        {series.map(({ colour }, index) => (
          <Bar
            key={colour}
            dataKey={`values.${index}`}
            stackId="all"
            fill={colour}
            isAnimationActive={false}
            shape={Part}
          />
        ))}
        {limit === null ? null : (
          <ReferenceLine
            y={limit}
            className="limit"
            stroke="var(--chakra-colors-fg-error)"
            strokeWidth={2}
            strokeDasharray="6 4"
            pointerEvents="none"
          />
        )}
      </BarChart>
    </PlotFrame>
  );
}

/** What one series adds to a bar; the pointer goes to the bar as a whole. */
function Part({ x, y, width, height, fill }: BarShapeProps) {
  if (height === 0) return null;
  return (
    <rect
      data-segment
      x={x}
      y={y}
      width={width}
      height={height > LEAST_WITH_GAP_PX ? height - GAP_PX : height}
      fill={fill}
      pointerEvents="none"
    />
  );
}
