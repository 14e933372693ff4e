import { longStep, ticksOf, topOf, type Unit } from './bars.ts';
import { drawnBars, drawnLine, isSparse, readoutOf, type Line } from './lines.ts';
import { useZone } from '../state.ts';
import { PlotFrame } from './PlotFrame.tsx';
import type { PlotProps } from './plotProps.ts';

const WIDTH_PX = 2;
const DOT_PX = 6;

export type LinesProps = PlotProps & { lines: readonly Line[]; unit: Unit };

/**
 * Lines over the time steps. A step without a measurement leaves a gap; a value between two gaps is a dot, or a bar if
 * most are so.
 */
export function UsageLines({ lines, unit, ...plot }: LinesProps) {
  const zone = useZone();
  const { stepStarts, period } = plot;
  const ticks = ticksOf(Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0))), unit);
  const areBars = isSparse(lines);
  const readout = (index: number) => readoutOf(lines, index, unit);
  return (
    <PlotFrame
      {...plot}
      {...{ ticks, unit, readout }}
      describe={(index) => `${longStep(stepStarts[index] ?? '', period, zone)}: ${readout(index)}.`}
    >
      {lines.map(({ name, values, colour, dash }, place) => {
        if (areBars)
          return <path key={name} data-series d={drawnBars(values, topOf(ticks), place, lines.length)} fill={colour} />;
        const { line, dots } = drawnLine(values, topOf(ticks));
        return (
          <g key={name} fill="none" stroke={colour}>
            <path data-line d={line} strokeWidth={WIDTH_PX} strokeDasharray={dash} vectorEffect="non-scaling-stroke" />
            <path data-dots d={dots} strokeWidth={DOT_PX} strokeLinecap="round" vectorEffect="non-scaling-stroke" />
          </g>
        );
      })}
    </PlotFrame>
  );
}
