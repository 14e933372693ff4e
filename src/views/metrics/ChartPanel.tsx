import { Box, Button, Center, Flex, Heading, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { Download } from 'lucide-react';
import { useId, type ReactNode } from 'react';
import type { Metrics } from '#contract/metrics.ts';
import type { MetricsActor } from '#machines/workspace/metrics/machine.ts';
import { sheetInOrder, sheetOf, type Choice, type SheetName } from '#machines/workspace/metrics/sheets.ts';
import { AS_SENT } from '#machines/workspace/usage/order.ts';
import { Panel } from '../ui/Panel.tsx';
import { useZone } from '../ui/state.ts';
import { FiguresTable } from '../ui/usage/FiguresTable.tsx';
import { FoldedTable } from '../ui/usage/FoldedTable.tsx';
import { CHART_HEIGHT } from '../ui/usage/sizes.ts';
import { tableTexts } from './words.ts';

type Shown = { actor: MetricsActor; name: SheetName; label: string; metrics: Metrics; choice: Choice };

/** A chart with a heading, and a table of its figures below. */
export function ChartPanel({
  note,
  aside,
  children,
  ...shown
}: Shown & {
  /** One line about the chart. */
  note: string;
  /** Beside the heading. */
  aside?: ReactNode;
  children: ReactNode;
}) {
  const headingId = useId();
  const { actor, name } = shown;
  const isOpen = useSelector(actor, ({ context }) => context.opened.includes(name));
  return (
    <Panel as="section" aria-labelledby={headingId} minW="0">
      <Flex wrap="wrap" align="center" justify="space-between" gap="3" mb="4">
        <Box minW="0">
          <Heading as="h2" id={headingId} fontSize="md" fontWeight="semibold">
            {shown.label}
          </Heading>
          <Text fontSize="sm" color="fg.muted">
            {note}
          </Text>
        </Box>
        {aside}
      </Flex>
      {children}
      <FoldedTable
        isOpen={isOpen}
        onToggle={(isOpened) => actor.send({ type: 'table.toggled', sheet: name, isOpen: isOpened })}
      >
        <SheetTable {...shown} />
      </FoldedTable>
    </Panel>
  );
}

/** A text as high as a chart, so that nothing moves when another choice has figures. */
export const Unmeasured = ({ children }: { children: string }) => (
  <Center height={`${CHART_HEIGHT + 40}px`} color="fg.muted" textAlign="center">
    {children}
  </Center>
);

export function SheetTable({ actor, name, label, metrics, choice }: Shown) {
  const order = useSelector(actor, ({ context }) => context.orders[name] ?? AS_SENT);
  const sheet = sheetInOrder(sheetOf(name, metrics, choice), order);
  return (
    <>
      <FiguresTable
        label={label}
        {...tableTexts(sheet, metrics.period, useZone())}
        order={order}
        onSort={(column) => actor.send({ type: 'column.chosen', sheet: name, column })}
      />
      <Button
        mt="3"
        size="sm"
        variant="outline"
        aria-label={`Download CSV: ${label}`}
        onClick={() => actor.send({ type: 'download.requested', sheet: name })}
      >
        <Download size={14} aria-hidden /> Download CSV
      </Button>
    </>
  );
}
