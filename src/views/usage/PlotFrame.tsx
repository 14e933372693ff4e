import { Box, Text, VisuallyHidden, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { useId, type MouseEvent, type ReactNode } from 'react';
import {
  CartesianGrid,
  LineChart,
  usePlotArea,
  XAxis,
  YAxis,
  type XAxisTickContentProps,
  type YAxisTickContentProps,
} from 'recharts';
import type { UsagePeriod } from '#contract/usage.ts';
import type { ReportsActor } from '#machines/workspace/billing/reports/machine.ts';
import type { MetricsActor } from '#machines/workspace/metrics/machine.ts';
import type { UsageActor } from '#machines/workspace/usage/machine.ts';
import { stepByKey, stepUnder } from '../../behaviours/chartSteps.ts';
import { formatTick, labelled, longStep, shortStep, topOf, type Unit } from './bars.ts';
import { HALF } from './lines.ts';
import { CHART_HEIGHT, CHART_MARGIN_TOP, LABELS_HEIGHT, PLOT_HEIGHT } from './sizes.ts';

/** An actor that holds the hovered time step. */
export type PlotActor = UsageActor | MetricsActor | ReportsActor;

export type PlotProps = {
  actor: PlotActor;
  /** The start of each time step. */
  stepStarts: readonly string[];
  period: UsagePeriod;
  label: string;
  /** Whether to say that the chart shows details on hover; one chart of a page does. */
  hasHint?: boolean;
};

/** The texts of a time step: `readout` for the line above the chart, `describe` with its time for screen readers. */
type StepTexts = { readout: (index: number) => string; describe: (index: number) => string };

/** Room for the label of the last step, which extends beyond the plot. */
const MARGIN_END: Readonly<Record<UsagePeriod, number>> = { hourly: 28, daily: 12, monthly: 12 };

/**
 * The frame of a chart over time: the axes, the time steps for pointer and arrow keys, and a line that reads out the
 * hovered step. Time runs left to right in any script. Recharts lays out the axes and gets only the number of steps:
 * it would process hundreds of data points again and again. Nothing is animated.
 */
export function PlotFrame({
  actor,
  stepStarts,
  period,
  label,
  hasHint = true,
  ticks,
  unit,
  readout,
  describe,
  children,
}: PlotProps & StepTexts & { ticks: number[]; unit: Unit; children: ReactNode }) {
  const hintId = useId();
  return (
    <Box>
      <Readout {...{ actor, stepStarts, period, hasHint, readout }} />
      <Box
        role="group"
        dir="ltr"
        aria-label={label}
        height={`${CHART_HEIGHT}px`}
        onPointerLeave={() => actor.send({ type: 'bar.pointed', index: null })}
        css={{
          '& svg': { overflow: 'visible' },
          '& [data-steps]': { outline: 'none' },
          '& [data-steps]:focus-visible [data-bar]': {
            stroke: 'var(--chakra-colors-brand-focus-ring)',
            strokeWidth: 2,
          },
        }}
      >
        <LineChart
          responsive
          style={{ width: '100%', height: '100%' }}
          role="presentation"
          accessibilityLayer={false}
          margin={{ top: CHART_MARGIN_TOP, right: MARGIN_END[period], bottom: 0, left: 0 }}
        >
          <CartesianGrid vertical={false} stroke="var(--chakra-colors-border)" />
          <TimeAxis {...{ stepStarts, period }} />
          <AmountAxis {...{ ticks, unit }} />
          <Plot count={stepStarts.length}>
            <Steps {...{ actor, stepStarts, label, hintId, describe }} />
            <g pointerEvents="none">{children}</g>
          </Plot>
        </LineChart>
      </Box>
      <VisuallyHidden id={hintId}>Use ← and → to move along the chart.</VisuallyHidden>
    </Box>
  );
}

/** The plot area. Its width unit is one time step, its height unit one pixel, so that resizing redraws nothing. */
function Plot({ count, children }: { count: number; children: ReactNode }) {
  const area = usePlotArea();
  return area ? (
    <svg {...area} role="presentation" viewBox={`0 0 ${count} ${PLOT_HEIGHT}`} preserveAspectRatio="none">
      {children}
    </svg>
  ) : null;
}

/** The starts of the time steps, below the plot. */
const TimeAxis = ({ stepStarts, period }: Pick<PlotProps, 'stepStarts' | 'period'>) => (
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
const AmountAxis = ({ ticks, unit }: { ticks: number[]; unit: Unit }) => (
  <YAxis
    width="auto"
    domain={[0, topOf(ticks)]}
    allowDataOverflow
    ticks={ticks}
    interval={0}
    tickLine={false}
    axisLine={false}
    tick={(tick: YAxisTickContentProps) => <Mark {...tick} unit={unit} />}
  />
);

const LabelText = chakra('text');

/** The start of a time step, below its bar; phones show every other label. */
function StepLabel({ x, y, index, start, period }: XAxisTickContentProps & { start: string; period: UsagePeriod }) {
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
      {shortStep(start, period)}
    </LabelText>
  );
}

/** A round amount, next to its grid line. */
function Mark({ x, y, payload, className, unit }: YAxisTickContentProps & { unit: Unit }) {
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
      {formatTick(Number(payload.value), unit)}
    </LabelText>
  );
}

/** The pointer and keyboard target, below the drawing. One slider for all time steps: there may be hundreds. */
function Steps({ actor, stepStarts, label, hintId, describe }: StepsProps) {
  const pointed = useSelector(actor, ({ context }) => context.pointed);
  const last = stepStarts.length - 1;
  const index = pointed ?? last;
  const point = (to: number | undefined) => {
    if (to !== undefined && to !== pointed) actor.send({ type: 'bar.pointed', index: to });
  };
  const pointUnder = ({ currentTarget, clientX }: MouseEvent<Element>) =>
    point(stepUnder(currentTarget, clientX, stepStarts.length));
  return (
    <g
      data-steps
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-describedby={hintId}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={index}
      aria-valuetext={describe(index)}
      onPointerMove={pointUnder}
      // Needed for touch: the pointer leaves before the click, and a tap would point at nothing.
      onClick={pointUnder}
      onFocus={() => point(index)}
      onBlur={() => actor.send({ type: 'bar.pointed', index: null })}
      onKeyDown={(event) => {
        const next = stepByKey(event.key, index, last);
        if (next !== undefined) event.preventDefault();
        point(next);
      }}
    >
      <rect width={stepStarts.length} height={PLOT_HEIGHT} fill="transparent" />
      <rect
        data-bar
        x={index}
        width={1}
        height={PLOT_HEIGHT}
        fill={pointed === null ? 'transparent' : 'var(--chakra-colors-bg-emphasized)'}
        vectorEffect="non-scaling-stroke"
      />
    </g>
  );
}

type StepsProps = Pick<PlotProps, 'actor' | 'stepStarts' | 'label'> & Pick<StepTexts, 'describe'> & { hintId: string };

/** The line above the chart about the hovered time step; screen readers get it from the slider. */
function Readout({
  actor,
  stepStarts,
  period,
  hasHint,
  readout,
}: Omit<PlotProps, 'label'> & Pick<StepTexts, 'readout'>) {
  const index = useSelector(actor, ({ context }) => context.pointed);
  const start = index === null ? undefined : stepStarts[index];
  return (
    <Text
      minH="6"
      mb="4"
      fontSize="sm"
      color={start === undefined ? 'fg.muted' : 'fg'}
      fontVariantNumeric="tabular-nums"
      aria-hidden
      data-testid="pointed"
    >
      {index === null || start === undefined ? hasHint && <Hint /> : `${longStep(start, period)}: ${readout(index)}`}
    </Text>
  );
}

/** How to see details, for mouse and for touch. */
const Hint = () => (
  <>
    <chakra.span css={{ '@media (hover: none)': { display: 'none' } }}>Point at the chart for details.</chakra.span>
    <chakra.span css={{ '@media (hover: hover)': { display: 'none' } }}>Tap the chart for details.</chakra.span>
  </>
);
