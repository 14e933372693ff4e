import { Box, Flex, Heading, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { useId } from 'react';
import type { UsagePeriod } from '#contract/usage.ts';
import type { ChartName, Usage } from '#machines/workspace/usage/actors.ts';
import type { Measure, UsageActor } from '#machines/workspace/usage/machine.ts';
import { figuresInOrder } from '#machines/workspace/usage/order.ts';
import { columnFormat } from '../figures.ts';
import { Choice } from '../Choice.tsx';
import { Panel } from '../Panel.tsx';
import { useZone } from '../state.ts';
import {
  folded,
  formatValue,
  longStep,
  seriesOf,
  stepTitle,
  totalAt,
  type Amounts,
  type Unit,
  type UsageUnit,
} from './bars.ts';
import { FiguresTable } from './FiguresTable.tsx';
import { sinceFirstUse } from './firstUse.ts';
import { FoldedTable } from './FoldedTable.tsx';
import { ChartPlaceholder, LazyBars } from './LazyPlots.tsx';
import { entriesOf, Legend } from './Legend.tsx';
import { Reading } from './Reading.tsx';

const NAMES: Readonly<Record<UsageUnit, string>> = {
  cost_micros: 'Cost',
  requests: 'Requests',
  audio_ms: 'Audio time',
};
export const STEPS: Readonly<Record<UsagePeriod, string>> = { hourly: 'hour', daily: 'day', monthly: 'month' };

/** Stacked bars with a legend and a table. Renders nothing if nothing was used. */
export function UsageChart({ actor, as = 'h2' }: { actor: UsageActor; as?: 'h2' | 'h3' }) {
  const headingId = useId();
  const usage = useSelector(actor, ({ context }) => context.usage);
  const measure = useSelector(actor, ({ context }) => context.measure);
  const isTableOpen = useSelector(actor, ({ context }) => context.isTableOpen);
  const isCharted = useSelector(actor, (snapshot) => snapshot.hasTag('charted'));
  if (!usage || !isCharted) return null;
  const unit: UsageUnit = usage.chart === 'cost' ? 'cost_micros' : measure;
  const all = seriesOf(usage, measure);
  const { buckets, period } = usage.figures;
  const label = `${NAMES[unit]} by ${STEPS[period]}`;
  const { series: drawn, stepStarts, firstUse } = sinceFirstUse(folded(all), buckets);
  return (
    <Panel as="section" aria-labelledby={headingId}>
      <Flex wrap="wrap" align="center" justify="space-between" gap="3" mb="4">
        <Box>
          <Heading as={as} id={headingId} fontSize="md" fontWeight="semibold">
            {label}
          </Heading>
          <Text fontSize="sm" color="fg.muted">
            By completion time
          </Text>
        </Box>
        {usage.chart === 'activity' ? (
          <Measures measure={measure} onChoose={(chosen) => actor.send({ type: 'measure.chosen', measure: chosen })} />
        ) : null}
      </Flex>
      <LazyBars {...{ actor, series: drawn, stepStarts, firstUse, period, unit, label }} />
      <Legend actor={actor} label="Models" entries={entriesOf(drawn, unit)} />
      <FoldedTable isOpen={isTableOpen} onToggle={(isOpen) => actor.send({ type: 'table.toggled', isOpen })}>
        <UsageTable actor={actor} series={all} unit={unit} usage={usage} label={label} />
      </FoldedTable>
    </Panel>
  );
}

function Measures({ measure, onChoose }: { measure: Measure; onChoose: (measure: Measure) => void }) {
  return (
    <Flex role="group" aria-label="What the bars show" gap="2" wrap="wrap">
      {(['requests', 'audio_ms'] as const).map((candidate) => (
        <Choice key={candidate} isChosen={candidate === measure} onChoose={() => onChoose(candidate)}>
          {NAMES[candidate]}
        </Choice>
      ))}
    </Flex>
  );
}

/** The chart's figures: a row for each time step, a column for each model, and one for all of them. */
function UsageTable({
  actor,
  series,
  unit,
  usage: { figures },
  label,
}: {
  actor: UsageActor;
  series: readonly Amounts[];
  unit: Unit;
  usage: Usage;
  label: string;
}) {
  const zone = useZone();
  const order = useSelector(actor, ({ context }) => context.order);
  const steps = figuresInOrder([...figures.buckets.entries()], order, ([index], column) =>
    column > series.length ? totalAt(series, index) : series[column - 1]?.values[index],
  );
  const totals = series.map(({ total }) => total);
  const format =
    unit === 'cost_micros'
      ? columnFormat([...totals, ...series.flatMap(({ values }) => values)])
      : (value: number) => formatValue(value, unit);
  const row = (name: string, values: readonly number[], total: number) => ({
    name,
    cells: [...values, total].map(format),
  });
  return (
    <FiguresTable
      label={label}
      heads={[stepTitle(figures.period, zone), ...series.map(({ name, service }) => `${name} ${service}`), 'Total']}
      rows={[
        ...steps.map(([index, start]) =>
          row(
            longStep(start, figures.period, zone),
            series.map(({ values }) => values[index] ?? 0),
            totalAt(series, index),
          ),
        ),
        row(
          'Total',
          totals,
          totals.reduce((sum, total) => sum + total, 0),
        ),
      ]}
      order={order}
      onSort={(column) => actor.send({ type: 'column.chosen', column })}
    />
  );
}

const FAILURES: Readonly<Record<ChartName, string>> = {
  cost: 'The cost could not be loaded.',
  activity: 'The activity could not be loaded.',
};

/** Shown while the chart's figures load, or if they could not be loaded; else only announces what is `shown`. */
export function UsageWaiting({ actor, ...announced }: { actor: UsageActor; shown?: string }) {
  const chart = useSelector(actor, ({ context }) => context.chart);
  return <Reading actor={actor} waiting={<ChartPlaceholder />} title={FAILURES[chart]} {...announced} />;
}
