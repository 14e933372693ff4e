import { chakra } from '@chakra-ui/react';
import { XAxis, YAxis, type XAxisTickContentProps, type YAxisTickContentProps } from 'recharts';
import type { UsagePeriod } from '#contract/usage.ts';
import { labelled, shortStep, tickTexts, topOf, type Unit } from './bars.ts';
import { useZone } from '../state.ts';
import { HALF } from './lines.ts';
import type { PlotProps } from './plotProps.ts';
import { LABELS_HEIGHT } from './sizes.ts';

/** The starts of the time steps, below the plot. */
export const TimeAxis = ({ stepStarts, period }: Pick<PlotProps, 'stepStarts' | 'period'>) => (
  <XAxis
    type="number"
    // Without a key, Recharts would use the number of data points as domain; there are no data.
    dataKey="step"
    domain={[0, stepStarts.length]}
    allowDataOverflow
    ticks={labelled(stepStarts.length, period).map((index) => index + HALF)}
    interval={0}
    height={LABELS_HEIGHT}
    tickLine={false}
    axisLine={false}
    tick={(tick: XAxisTickContentProps) => (
      <StepLabel {...tick} start={stepStarts[Math.floor(Number(tick.payload.value))] ?? ''} period={period} />
    )}
  />
);

/** Round amounts, next to the plot. */
export const AmountAxis = ({ ticks, unit }: { ticks: number[]; unit: Unit }) => (
  <YAxis
    width="auto"
    domain={[0, topOf(ticks)]}
    allowDataOverflow
    ticks={ticks}
    interval={0}
    tickLine={false}
    axisLine={false}
    tick={(tick: YAxisTickContentProps) => (
      <Mark {...tick} text={tickTexts(ticks, unit)[ticks.indexOf(Number(tick.payload.value))] ?? ''} />
    )}
  />
);

const LabelText = chakra('text');

/** The start of a time step, below its bar; phones show every other label. */
function StepLabel({ x, y, index, start, period }: XAxisTickContentProps & { start: string; period: UsagePeriod }) {
  const zone = useZone();
  return (
    <LabelText
      data-label
      aria-hidden
      x={x}
      y={y}
      dy="14"
      textAnchor="middle"
      fontSize="xs"
      fill="fg.muted"
      display={{ base: index % 2 === 1 ? 'none' : 'block', md: 'block' }}
    >
      {shortStep(start, period, zone)}
    </LabelText>
  );
}

/** A round amount, next to its grid line. */
function Mark({ x, y, className, text }: YAxisTickContentProps & { text: string }) {
  return (
    <LabelText
      className={className}
      data-mark
      aria-hidden
      x={x}
      y={y}
      dy="0.35em"
      textAnchor="end"
      fontSize="xs"
      fill="fg.muted"
      fontVariantNumeric="tabular-nums"
    >
      {text}
    </LabelText>
  );
}
