import { Box, Flex, Heading, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { useId } from 'react';
import type { BillingReport } from '#contract/billing.ts';
import { MEASURES, type ReportMeasure, type ReportsActor } from '#machines/workspace/billing/reports/machine.ts';
import { Choice } from '../ui/Choice.tsx';
import { columnFormat } from '../ui/figures.ts';
import { Panel } from '../ui/Panel.tsx';
import { useHasPrices, useZone } from '../ui/state.ts';
import { type Amounts, folded, formatValue, longStep, stepTitle } from '../ui/usage/bars.ts';
import { FiguresTable } from '../ui/usage/FiguresTable.tsx';
import { sinceFirstUse } from '../ui/usage/firstUse.ts';
import { FoldedTable } from '../ui/usage/FoldedTable.tsx';
import { LazyBars } from '../ui/usage/LazyPlots.tsx';
import { Legend } from '../ui/usage/Legend.tsx';
import { STEPS } from '../ui/usage/UsageChart.tsx';
import { seriesOf } from './reportSeries.ts';

const NAMES: Readonly<Record<ReportMeasure, string>> = {
  cost_micros: 'Cost',
  requests: 'Requests',
  audio_ms: 'Audio time',
};

/** Bars stacked by project, with a legend and a table. Renders nothing if nothing was used. */
export function ReportChart({ actor }: { actor: ReportsActor }) {
  const headingId = useId();
  const hasPrices = useHasPrices();
  const report = useSelector(actor, ({ context }) => context.report);
  const chosen = useSelector(actor, ({ context }) => context.measure);
  const isTableOpen = useSelector(actor, ({ context }) => context.isTableOpen);
  const isCharted = useSelector(actor, (snapshot) => snapshot.hasTag('charted'));
  if (!report || !isCharted) return null;
  // A server without prices offers no costs.
  const measures = MEASURES.filter((candidate) => hasPrices || candidate !== 'cost_micros');
  const measure = measures.includes(chosen) ? chosen : 'requests';
  const all = seriesOf(report, measure);
  const { buckets, period } = report;
  const { series: drawn, stepStarts, firstUse } = sinceFirstUse(folded(all, 'projects'), buckets);
  const label = `${NAMES[measure]} by ${STEPS[period]}`;
  return (
    <Panel as="section" aria-labelledby={headingId} minW="0">
      <Flex wrap="wrap" align="center" justify="space-between" gap="3" mb="4">
        <Box>
          <Heading as="h2" id={headingId} fontSize="md" fontWeight="semibold">
            {label}
          </Heading>
          <Text fontSize="sm" color="fg.muted">
            By completion time
          </Text>
        </Box>
        <Flex role="group" aria-label="What the bars show" gap="2" wrap="wrap">
          {measures.map((candidate) => (
            <Choice
              key={candidate}
              isChosen={candidate === measure}
              onChoose={() => actor.send({ type: 'measure.chosen', measure: candidate })}
            >
              {NAMES[candidate]}
            </Choice>
          ))}
        </Flex>
      </Flex>
      <LazyBars {...{ actor, series: drawn, stepStarts, firstUse, period, unit: measure, label }} />
      <Legend
        actor={actor}
        label="Projects"
        entries={drawn.map(({ name, values, total, colour }) => ({
          name,
          colour,
          figure: (pointed) => formatValue(pointed === null ? total : (values[pointed] ?? 0), measure),
        }))}
      />
      <FoldedTable isOpen={isTableOpen} onToggle={(isOpen) => actor.send({ type: 'table.toggled', isOpen })}>
        <ReportTable series={all} {...{ report, measure, label }} />
      </FoldedTable>
    </Panel>
  );
}

/** The chart's figures: a row for each time step, a column for each project. */
function ReportTable({
  series,
  report: { buckets, period },
  measure,
  label,
}: {
  series: readonly Amounts[];
  report: BillingReport;
  measure: ReportMeasure;
  label: string;
}) {
  const zone = useZone();
  const format =
    measure === 'cost_micros'
      ? columnFormat(series.flatMap(({ values }) => values))
      : (value: number) => formatValue(value, measure);
  const row = (name: string, values: readonly number[]) => ({
    name,
    cells: [...values, values.reduce((sum, value) => sum + value, 0)].map(format),
  });
  return (
    <FiguresTable
      label={label}
      heads={[stepTitle(period, zone), ...series.map(({ name }) => name), 'Total']}
      rows={[
        ...buckets.map((start, index) =>
          row(
            longStep(start, period, zone),
            series.map(({ values }) => values[index] ?? 0),
          ),
        ),
        row(
          'Total',
          series.map(({ total }) => total),
        ),
      ]}
    />
  );
}
