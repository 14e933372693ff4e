import { Box, Text, VisuallyHidden, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { useId } from 'react';
import {
  Bar,
  BarChart,
  CartesianGrid,
  XAxis,
  YAxis,
  usePlotArea,
  type BarShapeProps,
  type XAxisTickContentProps,
  type YAxisTickContentProps,
} from 'recharts';
import type { UsagePeriod } from '#contract/usage.ts';
import type { UsageActor } from '#machines/workspace/usage/machine.ts';
import { barKeys } from '../../behaviours/barKeys.ts';
import {
  describeBar,
  formatCounted,
  formatTick,
  labelled,
  longStep,
  rowsOf,
  shortStep,
  ticksOf,
  totalAt,
  type Series,
  type Unit,
} from './bars.ts';
import { CHART_HEIGHT, CHART_MARGIN_TOP, LABELS_HEIGHT, PLOT_HEIGHT } from './sizes.ts';

const GAP_PX = 1;
/** Of a bar thinner than this nothing is left out between its parts. */
const LEAST_WITH_GAP_PX = 3;
/** On each side of a bar, of the width of its step. */
const BAR_GAP = '14%';
/** The label of the last bar stands under it, and so beyond it. */
const MARGIN_END: Readonly<Record<UsagePeriod, number>> = { hourly: 28, daily: 12, monthly: 12 };

export type BarsProps = {
  actor: UsageActor;
  series: readonly Series[];
  buckets: readonly string[];
  period: UsagePeriod;
  unit: Unit;
  label: string;
};

/**
 * Stacked bars, one per step of the period; the arrow keys go from bar to bar. Recharts lays out axes and stacks; what
 * a bar tells, and which is pointed at, is the chart's. Nothing is animated, and time runs from the left in any script.
 */
export function UsageBars({ actor, series, buckets, period, unit, label }: BarsProps) {
  const hintId = useId();
  const ticks = ticksOf(Math.max(...buckets.map((_, index) => totalAt(series, index))), unit);
  const top = ticks.at(-1) ?? 1;
  return (
    <Box>
      <Pointed {...{ actor, series, buckets, period, unit }} />
      <Box
        role="group"
        dir="ltr"
        aria-label={label}
        aria-describedby={hintId}
        height={`${CHART_HEIGHT}px`}
        ref={barKeys}
        onPointerLeave={() => actor.send({ type: 'bar.pointed', index: null })}
        css={{
          '& svg': { overflow: 'visible' },
          '& [data-bar]': { outline: 'none' },
          '& [data-bar]:focus-visible > rect': { stroke: 'var(--chakra-colors-brand-focus-ring)', strokeWidth: 2 },
        }}
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
          <XAxis
            dataKey="start"
            ticks={labelled(buckets.length, period).map((index) => buckets[index] ?? '')}
            interval={0}
            height={LABELS_HEIGHT}
            tickLine={false}
            axisLine={false}
            tick={(tick: XAxisTickContentProps) => <StepLabel {...tick} period={period} />}
          />
          <YAxis
            width="auto"
            domain={[0, top]}
            ticks={ticks}
            interval={0}
            tickLine={false}
            axisLine={false}
            tick={(tick: YAxisTickContentProps) => <Mark {...tick} unit={unit} />}
          />
          <Steps {...{ actor, series, buckets, period, unit }} />
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
        </BarChart>
      </Box>
      <VisuallyHidden id={hintId}>Use ← and → to move from bar to bar.</VisuallyHidden>
    </Box>
  );
}

const LabelText = chakra('text');

/** When a step begins, under its bar; a phone shows every other. */
function StepLabel({ x, y, payload, index, period }: XAxisTickContentProps & { period: UsagePeriod }) {
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
      {shortStep(String(payload.value), period)}
    </LabelText>
  );
}

/** A round amount, beside its line. */
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

/** The bars as one points at them: as high as the chart, beneath what is drawn. */
function Steps({ actor, series, buckets, period, unit }: Omit<BarsProps, 'label'>) {
  const plot = usePlotArea();
  if (!plot) return null;
  const width = plot.width / buckets.length;
  return buckets.map((start, index) => (
    <Step
      key={start}
      {...{ actor, index, width }}
      count={buckets.length}
      x={plot.x + index * width}
      y={plot.y}
      height={plot.height}
      label={describeBar(series, index, longStep(start, period), unit)}
    />
  ));
}

type StepProps = {
  actor: UsageActor;
  index: number;
  count: number;
  label: string;
  x: number;
  y: number;
  width: number;
  height: number;
};

/** Each looks for itself whether it is pointed at: there may be hundreds. */
function Step({ actor, index, count, label, ...area }: StepProps) {
  const isPointed = useSelector(actor, ({ context }) => context.pointed === index);
  const isInTabs = useSelector(actor, ({ context }) => (context.pointed ?? count - 1) === index);
  const point = () => actor.send({ type: 'bar.pointed', index });
  return (
    <g
      data-bar
      role="img"
      aria-label={label}
      tabIndex={isInTabs ? 0 : -1}
      onPointerEnter={point}
      onFocus={point}
      onBlur={() => actor.send({ type: 'bar.pointed', index: null })}
    >
      <rect {...area} fill={isPointed ? 'var(--chakra-colors-bg-emphasized)' : 'transparent'} />
    </g>
  );
}

/** What one bar stands for; what the bar itself tells those who do not see it. */
function Pointed({ actor, series, buckets, period, unit }: Omit<BarsProps, 'label'>) {
  const index = useSelector(actor, ({ context }) => context.pointed);
  const start = index === null ? undefined : buckets[index];
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
      {index === null || start === undefined ? (
        <HowToPoint />
      ) : (
        `${longStep(start, period)}: ${formatCounted(totalAt(series, index), unit)}`
      )}
    </Text>
  );
}

/** What a pointer does differs from what a finger does. */
const HowToPoint = () => (
  <>
    <chakra.span css={{ '@media (hover: none)': { display: 'none' } }}>Hover a bar for details.</chakra.span>
    <chakra.span css={{ '@media (hover: hover)': { display: 'none' } }}>Tap a bar for details.</chakra.span>
  </>
);
