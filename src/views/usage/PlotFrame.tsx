import { Box, Text, VisuallyHidden, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { useId, type ReactNode } from 'react';
import { usePlotArea, XAxis, YAxis, type XAxisTickContentProps, type YAxisTickContentProps } from 'recharts';
import type { UsagePeriod } from '#contract/usage.ts';
import type { ReportsActor } from '#machines/workspace/billing/reports/machine.ts';
import type { MetricsActor } from '#machines/workspace/metrics/machine.ts';
import type { UsageActor } from '#machines/workspace/usage/machine.ts';
import { barKeys } from '../../behaviours/barKeys.ts';
import { formatTick, labelled, longStep, shortStep, type Unit } from './bars.ts';
import { CHART_HEIGHT, LABELS_HEIGHT } from './sizes.ts';

/** Who knows which step of the period is pointed at. */
export type PlotActor = UsageActor | MetricsActor | ReportsActor;

export type PlotProps = {
  actor: PlotActor;
  buckets: readonly string[];
  period: UsagePeriod;
  label: string;
  /** Says how to point; once on a page is enough. */
  hasHint?: boolean;
};

/** What a step stands for: in short, for who points at it; and in full with its time, for who does not see it. */
type Told = { tell: (index: number) => string; describe: (index: number) => string };

/**
 * What is around and beneath a drawing over time: the steps of the period, which can be pointed at and are reached by the
 * arrow keys, and a line that says what is pointed at. Time runs from the left in any script.
 */
export function PlotFrame({
  actor,
  buckets,
  period,
  label,
  hasHint = true,
  tell,
  children,
}: PlotProps & Pick<Told, 'tell'> & { children: ReactNode }) {
  const hintId = useId();
  return (
    <Box>
      <Pointed {...{ actor, buckets, period, hasHint, tell }} />
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
        {children}
      </Box>
      <VisuallyHidden id={hintId}>Use ← and → to move along the chart.</VisuallyHidden>
    </Box>
  );
}

/** When the steps begin, below the drawing; each point of a line stands in the middle of its step, as a bar does. */
export const TimeAxis = ({ buckets, period }: Pick<PlotProps, 'buckets' | 'period'>) => (
  <XAxis
    dataKey="start"
    scale="band"
    ticks={labelled(buckets.length, period).map((index) => buckets[index] ?? '')}
    interval={0}
    height={LABELS_HEIGHT}
    tickLine={false}
    axisLine={false}
    tick={(tick: XAxisTickContentProps) => <StepLabel {...tick} period={period} />}
  />
);

/** Round amounts, beside the drawing. */
export const AmountAxis = ({ ticks, unit }: { ticks: number[]; unit: Unit }) => (
  <YAxis
    width="auto"
    domain={[0, ticks.at(-1) ?? 1]}
    ticks={ticks}
    interval={0}
    tickLine={false}
    axisLine={false}
    tick={(tick: YAxisTickContentProps) => <Mark {...tick} unit={unit} />}
  />
);

export const LabelText = chakra('text');

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

/** The steps as one points at them: as high as the chart, beneath what is drawn. */
export function Steps({ actor, buckets, describe }: Pick<PlotProps, 'actor' | 'buckets'> & Pick<Told, 'describe'>) {
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
      label={describe(index)}
    />
  ));
}

type StepProps = {
  actor: PlotActor;
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

/** What one step stands for; what the step itself tells those who do not see it. */
function Pointed({ actor, buckets, period, hasHint, tell }: Omit<PlotProps, 'label'> & Pick<Told, 'tell'>) {
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
      {index === null || start === undefined ? hasHint && <HowToPoint /> : `${longStep(start, period)}: ${tell(index)}`}
    </Text>
  );
}

/** What a pointer does differs from what a finger does. */
const HowToPoint = () => (
  <>
    <chakra.span css={{ '@media (hover: none)': { display: 'none' } }}>Hover the chart for details.</chakra.span>
    <chakra.span css={{ '@media (hover: hover)': { display: 'none' } }}>Tap the chart for details.</chakra.span>
  </>
);
