import { Box, Flex, Heading, Table, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { useId } from 'react';
import type { BillingCost } from '#contract/billing.ts';
import type { CostsActor } from '#machines/workspace/billing/costs/machine.ts';
import { COST_ORDERS, inOrder, type CostOrder, type CostRow } from '#machines/workspace/billing/costs/order.ts';
import { formatAudio, formatCount } from '../ui/figures.ts';
import { SelectField } from '../ui/SelectField.tsx';
import { CardTable } from '../ui/CardTable.tsx';
import { Panel } from '../ui/Panel.tsx';
import { useHasPrices } from '../ui/state.ts';
import { SERVICES } from '../ui/usage/bars.ts';
import { exactColumnFormat } from './amounts.ts';
import { projectNames } from './projectNames.ts';

const ORDERS: Readonly<Record<CostOrder, string>> = {
  project: 'Project',
  cost_micros: 'Cost, highest first',
  requests: 'Requests, most first',
  audio_ms: 'Audio, longest first',
};

/** The sorted column and its direction, for each order. */
const SORTED: Readonly<Record<CostOrder, { title: string; how: 'ascending' | 'descending' }>> = {
  project: { title: 'Project', how: 'ascending' },
  cost_micros: { title: 'Cost', how: 'descending' },
  requests: { title: 'Requests', how: 'descending' },
  audio_ms: { title: 'Audio', how: 'descending' },
};

const FIGURES = ['Requests', 'Audio', 'Cost'];

/** A row for each project, kind of request and model, and a row of totals. Renders nothing until costs are loaded. */
export function CostTable({ actor }: { actor: CostsActor }) {
  const headingId = useId();
  const hasPrices = useHasPrices();
  const cost = useSelector(actor, ({ context }) => context.cost);
  const order = useSelector(actor, ({ context }) => context.order);
  const isListed = useSelector(actor, (snapshot) => snapshot.hasTag('listed'));
  if (!cost || !isListed) return null;
  const orders = COST_ORDERS.filter((candidate) => hasPrices || candidate !== 'cost_micros');
  const titles = ['Project', 'Kind', 'Model', ...FIGURES].filter((title) => hasPrices || title !== 'Cost');
  return (
    <Box as="section" aria-labelledby={headingId}>
      <Flex wrap="wrap" align="flex-end" justify="space-between" gap="4" mb="4">
        <Heading as="h2" id={headingId} fontSize="lg" fontWeight="semibold">
          Cost by project and model
        </Heading>
        <Box minW="min(220px, 100%)">
          <SelectField
            id="cost-order"
            label="Sort by"
            value={order}
            choices={orders.map((code) => ({ code, name: ORDERS[code] }))}
            onChange={(code) => {
              const chosen = orders.find((candidate) => candidate === code);
              if (chosen) actor.send({ type: 'order.chosen', order: chosen });
            }}
          />
        </Box>
      </Flex>
      <Panel p="0" overflow="hidden">
        <Rows {...{ cost, order, titles, headingId }} />
      </Panel>
    </Box>
  );
}

type RowsProps = { cost: BillingCost; order: CostOrder; titles: readonly string[]; headingId: string };

function Rows({ cost: { rows, totals }, order, titles, headingId }: RowsProps) {
  const formatCost = titles.includes('Cost') ? exactColumnFormat(rows.map(({ cost_micros }) => cost_micros)) : null;
  const names = projectNames(
    // One row per project.
    [...new Map(rows.map((row) => [row.project_uuid, row])).values()].map((row) => ({
      uuid: row.project_uuid,
      name: row.project_name,
      is_deleted: row.is_deleted,
    })),
  );
  return (
    <CardTable aria-labelledby={headingId} titles={titles} numbers={FIGURES} sorted={SORTED[order]}>
      {inOrder(rows, order).map((row) => (
        <Row
          key={`${row.project_uuid} ${row.kind} ${row.model}`}
          row={row}
          name={names.get(row.project_uuid) ?? row.project_name}
          formatCost={formatCost}
        />
      ))}
      <Table.Row role="row" bg="bg.subtle" fontWeight="semibold">
        <Table.Cell role="cell" colSpan={3}>
          Total
        </Table.Cell>
        <Figures {...totals} formatCost={formatCost} />
      </Table.Row>
    </CardTable>
  );
}

const Row = ({ row, name, formatCost }: { row: CostRow; name: string } & Pick<FiguresProps, 'formatCost'>) => (
  <Table.Row role="row" bg="transparent">
    <Table.Cell role="cell" data-title="Project" overflowWrap="anywhere" fontWeight="medium">
      <bdi>{name}</bdi>
    </Table.Cell>
    <Table.Cell role="cell" data-title="Kind">
      {SERVICES[row.kind]}
    </Table.Cell>
    <Table.Cell role="cell" data-title="Model" overflowWrap="anywhere">
      {row.model}
    </Table.Cell>
    <Figures {...row} formatCost={formatCost} />
  </Table.Row>
);

type FiguresProps = Pick<CostRow, 'requests' | 'audio_ms' | 'cost_micros'> & {
  /** Null on a server without prices. */
  formatCost: ((micros: number) => string) | null;
};

function Figures({ requests, audio_ms, cost_micros, formatCost }: FiguresProps) {
  const cells = {
    Requests: formatCount(requests),
    Audio: formatAudio(audio_ms),
    ...(formatCost ? { Cost: formatCost(cost_micros) } : {}),
  };
  return Object.entries(cells).map(([title, text]) => (
    <Table.Cell
      key={title}
      role="cell"
      data-title={title}
      whiteSpace="nowrap"
      textAlign={{ lg: 'end' }}
      fontVariantNumeric="tabular-nums"
    >
      <chakra.span>{text}</chakra.span>
    </Table.Cell>
  ));
}
