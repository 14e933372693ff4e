import { CartesianGrid, Line, LineChart, type DotItemDotProps } from 'recharts';
import { longStep, ticksOf, type Unit } from './bars.ts';
import { isAlone, tellLines, type Line as Drawn } from './lines.ts';
import { AmountAxis, PlotFrame, Steps, TimeAxis, type PlotProps } from './PlotFrame.tsx';
import { CHART_MARGIN_TOP } from './sizes.ts';
import { MARGIN_END } from './UsageBars.tsx';

const DOT_RADIUS = 3;

export type LinesProps = PlotProps & { lines: readonly Drawn[]; unit: Unit };

/** Lines over the steps of a period. Where nothing was measured there is a gap; what stands between two gaps is a dot. */
export function UsageLines({ actor, lines, buckets, period, unit, label, hasHint = true }: LinesProps) {
  const ticks = ticksOf(Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0))), unit);
  const tell = (index: number) => tellLines(lines, index, unit);
  return (
    <PlotFrame {...{ actor, buckets, period, label, hasHint, tell }}>
      <LineChart
        responsive
        style={{ width: '100%', height: '100%' }}
        role="presentation"
        accessibilityLayer={false}
        data={buckets.map((start, index) => ({ start, values: lines.map(({ values }) => values[index] ?? null) }))}
        margin={{ top: CHART_MARGIN_TOP, right: MARGIN_END[period], bottom: 0, left: 0 }}
      >
        <CartesianGrid vertical={false} stroke="var(--chakra-colors-border)" />
        <TimeAxis {...{ buckets, period }} />
        <AmountAxis {...{ ticks, unit }} />
        <Steps
          {...{ actor, buckets }}
          describe={(index) => `${longStep(buckets[index] ?? '', period)}: ${tell(index)}.`}
        />
        {lines.map(({ name, values, colour, dash }, place) => (
          <Line
            key={name}
            dataKey={`values.${place}`}
            className="measured"
            type="linear"
            stroke={colour}
            strokeWidth={2}
            {...(dash === undefined ? {} : { strokeDasharray: dash })}
            connectNulls={false}
            isAnimationActive={false}
            activeDot={false}
            dot={(dot: DotItemDotProps) => <Dot key={dot.index} {...dot} isShown={isAlone(values, dot.index)} />}
            pointerEvents="none"
          />
        ))}
      </LineChart>
    </PlotFrame>
  );
}

const Dot = ({ cx, cy, stroke, isShown }: DotItemDotProps & { isShown: boolean }) =>
  isShown ? <circle data-dot cx={cx} cy={cy} r={DOT_RADIUS} fill={stroke} pointerEvents="none" /> : null;
