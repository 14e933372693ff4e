import { Box, Flex, Text, VisuallyHidden, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { useId } from 'react';
import type { UsagePeriod } from '#contract/usage.ts';
import type { UsageActor } from '#machines/workspace/usage/machine.ts';
import { barKeys } from '../../behaviours/barKeys.ts';
import { formatCounted, formatTick, formatValue, longStep, shortStep, ticksOf, totalAt, type Series, type Unit } from './bars.ts';

const HEIGHT = 200;
/** Something is seen of whatever is more than nothing. */
const LEAST_PX = 2;
const GAP_PX = 1;
/** As many as there is room for; a phone shows every other. */
const LABELS_MAX: Readonly<Record<UsagePeriod, number>> = { hourly: 4, daily: 5, monthly: 4 };
/** Of the width of a step. */
const BAR_SHARE = 0.72;

type Props = { actor: UsageActor; series: readonly Series[]; buckets: readonly string[]; period: UsagePeriod; unit: Unit; label: string };

/** Stacked bars, one per step of the period; the arrow keys go from bar to bar. */
export function UsageBars({ actor, series, buckets, period, unit, label }: Props) {
  const hintId = useId();
  const ticks = ticksOf(Math.max(...buckets.map((_, index) => totalAt(series, index))), unit);
  const top = ticks.at(-1) ?? 1;
  const slot = 100 / buckets.length;
  return (
    <Box>
      <Pointed {...{ actor, series, buckets, period, unit }} />
      <Flex gap="2">
        <Box position="relative" flexShrink="0" minW="10" height={`${HEIGHT}px`} fontSize="xs" color="fg.muted" fontVariantNumeric="tabular-nums" textAlign="end" aria-hidden>
          {/* The widest mark makes the room. */}
          <Box visibility="hidden">{ticks.map((tick) => formatTick(tick, unit)).toSorted((one, other) => other.length - one.length)[0]}</Box>
          {ticks.map((tick) => (
            <Box key={tick} position="absolute" insetEnd="0" whiteSpace="nowrap" transform="translateY(50%)" lineHeight="1" style={{ bottom: `${(tick / top) * 100}%` }}>
              {formatTick(tick, unit)}
            </Box>
          ))}
        </Box>
        {/* The label of the last bar stands under it, and so beyond it. */}
        <Box flex="1" minW="0" pe={period === 'hourly' ? '5' : '1'}>
          <chakra.svg
            role="group"
            aria-label={label}
            aria-describedby={hintId}
            width="100%"
            height={`${HEIGHT}px`}
            display="block"
            overflow="visible"
            ref={barKeys}
            onPointerLeave={() => actor.send({ type: 'bar.pointed', index: null })}
            css={{ '& [data-bar]': { outline: 'none' }, '& [data-bar]:focus-visible > rect:first-of-type': { stroke: 'var(--chakra-colors-brand-focus-ring)', strokeWidth: 2 } }}
          >
            {ticks.map((tick) => (
              <line key={tick} x1="0" x2="100%" y1={HEIGHT * (1 - tick / top)} y2={HEIGHT * (1 - tick / top)} stroke="var(--chakra-colors-border)" />
            ))}
            {buckets.map((start, index) => (
              <Bar key={start} {...{ actor, index, count: buckets.length }} label={describe(series, index, longStep(start, period), unit)} parts={stacked(series, index, top)} />
            ))}
          </chakra.svg>
          <Box position="relative" height="5" mt="1.5" fontSize="xs" color="fg.muted" aria-hidden>
            {labelled(buckets.length, period).map((index, order) => (
              <Box key={index} data-label display={{ base: order % 2 === 1 ? 'none' : 'block', md: 'block' }} position="absolute" transform="translateX(-50%)" whiteSpace="nowrap" style={{ left: `${(index + 0.5) * slot}%` }}>
                {shortStep(buckets[index] ?? '', period)}
              </Box>
            ))}
          </Box>
        </Box>
      </Flex>
      <VisuallyHidden id={hintId}>Use ← and → to move from bar to bar.</VisuallyHidden>
    </Box>
  );
}

type BarProps = { actor: UsageActor; index: number; count: number; label: string; parts: readonly Part[] };

/** The bar of one step, as high as the chart for the pointer. Each looks for itself whether it is pointed at: there may be hundreds. */
function Bar({ actor, index, count, label, parts }: BarProps) {
  const isPointed = useSelector(actor, ({ context }) => context.pointed === index);
  const isInTabs = useSelector(actor, ({ context }) => (context.pointed ?? count - 1) === index);
  const slot = 100 / count;
  const point = () => actor.send({ type: 'bar.pointed', index });
  return (
    <g data-bar role="img" aria-label={label} tabIndex={isInTabs ? 0 : -1} onPointerEnter={point} onFocus={point} onBlur={() => actor.send({ type: 'bar.pointed', index: null })}>
      <rect x={`${index * slot}%`} width={`${slot}%`} y="0" height={HEIGHT} fill={isPointed ? 'var(--chakra-colors-bg-emphasized)' : 'transparent'} />
      {parts.map(({ y, height, colour }) => (
        <rect key={colour} x={`${(index + (1 - BAR_SHARE) / 2) * slot}%`} width={`${slot * BAR_SHARE}%`} y={y} height={height} fill={colour} />
      ))}
    </g>
  );
}

type Part = { y: number; height: number; colour: string };

/** The parts of a bar, from the ground up. */
function stacked(series: readonly Series[], index: number, top: number): Part[] {
  let ground = HEIGHT;
  return series.flatMap(({ values, colour }) => {
    const value = values[index] ?? 0;
    if (value === 0) return [];
    const height = Math.max(LEAST_PX, (value / top) * HEIGHT);
    ground -= height;
    return [{ y: ground, height: height > LEAST_PX + GAP_PX ? height - GAP_PX : height, colour }];
  });
}

/** The steps that are named below the bars. */
function labelled(count: number, period: UsagePeriod): number[] {
  const step = Math.ceil(count / LABELS_MAX[period]);
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => index * step);
}

/** 'November 3, 2026: 3 requests. Async stt-async-v5: 2 requests, Live stt-rt-v5: 1 request.' */
function describe(series: readonly Series[], index: number, step: string, unit: Unit): string {
  const parts = series.flatMap(({ name, service, values }) => (values[index] ? [`${service} ${name}: ${formatCounted(values[index], unit)}`.trim()] : []));
  return `${step}: ${formatCounted(totalAt(series, index), unit)}.${parts.length > 0 ? ` ${parts.join(', ')}.` : ''}`;
}

/** What one bar stands for; what the bar itself tells those who do not see it. */
function Pointed({ actor, series, buckets, period, unit }: Omit<Props, 'label'>) {
  const index = useSelector(actor, ({ context }) => context.pointed);
  const start = index === null ? undefined : buckets[index];
  return (
    <Text minH="6" mb="4" fontSize="sm" color={start === undefined ? 'fg.muted' : 'fg'} fontVariantNumeric="tabular-nums" aria-hidden data-testid="pointed">
      {index === null || start === undefined ? 'Hover a bar for details.' : `${longStep(start, period)}: ${formatCounted(totalAt(series, index), unit)}`}
    </Text>
  );
}

/** What the colours stand for, with the figures of the bar that is pointed at, or of the whole period. */
export function Legend({ actor, series, unit }: Pick<Props, 'actor' | 'series' | 'unit'>) {
  const pointed = useSelector(actor, ({ context }) => context.pointed);
  return (
    <Flex as="ul" aria-label="Models" listStyleType="none" wrap="wrap" columnGap="6" rowGap="2" mt="4" fontSize="sm">
      {series.map(({ name, service, values, total, colour }) => (
        <Flex as="li" key={colour} align="center" gap="2" minW="0">
          <Box boxSize="3" borderRadius="2px" flexShrink="0" aria-hidden style={{ background: colour }} />
          <Text minW="0" overflowWrap="anywhere">
            {name} <chakra.span color="fg.muted">{service}</chakra.span>{' '}
            <chakra.span fontWeight="medium" fontVariantNumeric="tabular-nums">
              {formatValue(pointed === null ? total : (values[pointed] ?? 0), unit)}
            </chakra.span>
          </Text>
        </Flex>
      ))}
    </Flex>
  );
}
