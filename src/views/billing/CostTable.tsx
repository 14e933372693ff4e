import { Box, Flex, Heading, Table, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { useId } from 'react';
import type { BillingCost } from '#contract/billing.ts';
import { SERVICE_NAMES } from '#contract/usage.ts';
import type { CostsActor } from '#machines/workspace/billing/costs/machine.ts';
import {
  COST_COLUMNS,
  inOrder,
  isName,
  ordered,
  type CostColumn,
  type CostOrder,
  type CostRow,
} from '#machines/workspace/billing/costs/order.ts';
import { columnFormat, formatAudio, formatCount } from '../ui/figures.ts';
import { SelectField } from '../ui/SelectField.tsx';
import { CardTable, ID, NAME } from '../ui/CardTable.tsx';
import { Panel } from '../ui/Panel.tsx';
import { useHasPrices } from '../ui/state.ts';
import { projectNames } from './projectNames.ts';

const TITLES: Readonly<Record<CostColumn, string>> = {
  project: 'Project',
  kind: 'Kind',
  model: 'Model',
  requests: 'Requests',
  audio_ms: 'Audio',
  cost_micros: 'Cost',
};

const FIGURES = ['Requests', 'Audio', 'Cost'];

const codeOf = ({ column, direction }: CostOrder): string => `${column} ${direction}`;

/** 'Project, A to Z', 'Cost, highest first'. */
export function orderName({ column, direction }: CostOrder): string {
  const isUp = direction === 'ascending';
  if (isName(column)) return `${TITLES[column]}, ${isUp ? 'A to Z' : 'Z to A'}`;
  return `${TITLES[column]}, ${isUp ? 'lowest' : 'highest'} first`;
}

/** The present order, its opposite, and an order by each other column. */
const ordersBeside = (order: CostOrder, columns: readonly CostColumn[]): CostOrder[] =>
  columns.flatMap((column) => [...(column === order.column ? [order] : []), ordered(order, column)]);

/** A row for each project, kind of request and model, and a row of totals. Renders nothing until costs are loaded. */
export function CostTable({ actor }: { actor: CostsActor }) {
  const headingId = useId();
  const hasPrices = useHasPrices();
  const cost = useSelector(actor, ({ context }) => context.cost);
  const order = useSelector(actor, ({ context }) => context.order);
  const isListed = useSelector(actor, (snapshot) => snapshot.hasTag('listed'));
  if (!cost || !isListed) return null;
  const columns = COST_COLUMNS.filter((candidate) => hasPrices || candidate !== 'cost_micros');
  const orders = ordersBeside(order, columns);
  const choose = (column: CostColumn | undefined) => {
    if (column) actor.send({ type: 'column.chosen', column });
  };
  return (
    <Box as="section" aria-labelledby={headingId}>
      <Flex wrap="wrap" align="flex-end" justify="space-between" gap="4" mb="4">
        <Heading as="h2" id={headingId} fontSize="lg" fontWeight="semibold">
          Cost by project and model
        </Heading>
        {/* The heads sort; cards have none. */}
        <Box minW="min(220px, 100%)" hideFrom="lg">
          <SelectField
            id="cost-order"
            label="Sort by"
            value={codeOf(order)}
            choices={orders.map((one) => ({ code: codeOf(one), name: orderName(one) }))}
            onChange={(code) => choose(orders.find((one) => codeOf(one) === code)?.column)}
          />
        </Box>
      </Flex>
      <Panel p="0" overflow="hidden">
        <Rows
          {...{ cost, order, columns, headingId }}
          onSort={(title) => choose(columns.find((column) => TITLES[column] === title))}
        />
      </Panel>
    </Box>
  );
}

type RowsProps = {
  cost: BillingCost;
  order: CostOrder;
  columns: readonly CostColumn[];
  headingId: string;
  onSort: (title: string) => void;
};

function Rows({ cost: { rows, totals }, order, columns, headingId, onSort }: RowsProps) {
  const titles = columns.map((column) => TITLES[column]);
  const formatCost = titles.includes('Cost') ? columnFormat(rows.map(({ cost_micros }) => cost_micros)) : null;
  const names = projectNames(
    // One row per project.
    [...new Map(rows.map((row) => [row.project_uuid, row])).values()].map((row) => ({
      uuid: row.project_uuid,
      name: row.project_name,
      is_deleted: row.is_deleted,
    })),
  );
  return (
    <CardTable
      aria-labelledby={headingId}
      titles={titles}
      numbers={FIGURES}
      sorted={{ title: TITLES[order.column], how: order.direction }}
      onSort={onSort}
    >
      {inOrder(rows, order).map((row) => (
        <Row
          key={`${row.project_uuid} ${row.kind} ${row.model}`}
          row={row}
          name={names.get(row.project_uuid) ?? row.project_name}
          formatCost={formatCost}
        />
      ))}
      <Table.Row role="row" bg="bg.subtle" fontWeight="semibold">
        <Table.Cell role="rowheader" colSpan={3}>
          Total
        </Table.Cell>
        <Figures {...totals} formatCost={formatCost} />
      </Table.Row>
    </CardTable>
  );
}

const Row = ({ row, name, formatCost }: { row: CostRow; name: string } & Pick<FiguresProps, 'formatCost'>) => (
  <Table.Row role="row" bg="transparent">
    <Table.Cell role="rowheader" data-title="Project" title={name} fontWeight="medium" {...NAME}>
      <bdi>{name}</bdi>
    </Table.Cell>
    <Table.Cell role="cell" data-title="Kind">
      {SERVICE_NAMES[row.kind]}
    </Table.Cell>
    <Table.Cell role="cell" data-title="Model" {...ID}>
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
      {...(title === 'Cost' ? { 'data-end': true } : {})}
      whiteSpace="nowrap"
      textAlign={{ lg: 'end' }}
      fontVariantNumeric="tabular-nums"
    >
      <chakra.span>{text}</chakra.span>
    </Table.Cell>
  ));
}
