import { Box, Text, VisuallyHidden, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { useId, type ReactNode } from 'react';
import { CartesianGrid, LineChart, usePlotArea } from 'recharts';
import type { UsagePeriod } from '#contract/usage.ts';
import type { Zone } from '#machines/root/preferences/actors.ts';
import { longStep, shortStep, type Unit } from './bars.ts';
import { useZone } from '../state.ts';
import { AmountAxis, TimeAxis } from './PlotAxes.tsx';
import type { PlotProps, StepTexts } from './plotProps.ts';
import { PlotSteps } from './PlotSteps.tsx';
import { CHART_HEIGHT, CHART_MARGIN_TOP, PLOT_HEIGHT } from './sizes.ts';

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
  firstUse = null,
  ticks,
  unit,
  readout,
  describe,
  children,
}: PlotProps & StepTexts & { ticks: number[]; unit: Unit; children: ReactNode }) {
  const hintId = useId();
  return (
    <Box>
      <Readout {...{ actor, stepStarts, period, hasHint, firstUse, readout }} />
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
            <PlotSteps {...{ actor, stepStarts, label, hintId, describe }} />
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

/** The line above the chart about the hovered time step; screen readers get it from the slider. */
function Readout({
  actor,
  stepStarts,
  period,
  hasHint,
  firstUse,
  readout,
}: Omit<PlotProps, 'label'> & Pick<StepTexts, 'readout'>) {
  const zone = useZone();
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
      {index === null || start === undefined ? (
        <>
          <span>
            {`${spanText(stepStarts, period, zone)}${firstUse ? ` · Nothing before ${shortStep(firstUse, period, zone)}` : ''}`}
          </span>
          {hasHint ? <Hint /> : null}
        </>
      ) : (
        <span>{`${longStep(start, period, zone)}: ${readout(index)}`}</span>
      )}
    </Text>
  );
}

/** The first and the last step: 'Nov 1 – Nov 29'. */
const spanText = (starts: readonly string[], period: UsagePeriod, zone: Zone): string =>
  [...new Set([starts.at(0), starts.at(-1)])].map((start) => shortStep(start ?? '', period, zone)).join(' – ');

/** How to see details, for mouse and for touch. */
const Hint = () => (
  <>
    <chakra.span css={{ '@media (hover: none)': { display: 'none' } }}> · Point at the chart for details</chakra.span>
    <chakra.span css={{ '@media (hover: hover)': { display: 'none' } }}> · Tap the chart for details</chakra.span>
  </>
);
