import { Badge, Table, chakra } from '@chakra-ui/react';
import type { RefCallback } from 'react';
import type { LogEntry, LogStatus } from '#contract/logs.ts';
import { SERVICE_NAMES } from '#contract/usage.ts';
import type { Zone } from '#machines/root/preferences/actors.ts';
import type { LogsRoute } from '#machines/shared/route.ts';
import { columnFormat, formatAudio, formatLatency } from '../ui/figures.ts';
import { formatMoment, formatTime, ZONE_NAMES } from '../ui/format.ts';
import { CardTable, NAME, None, WaitingTable } from '../ui/CardTable.tsx';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { useHasPrices, useZone } from '../ui/state.ts';
import { callerOf, durationOf, errorOf, isUnused, modelOf, STATUS_NAMES } from './words.ts';

const timeTitle = (zone: Zone): string => `Time (${ZONE_NAMES[zone]})`;
const TITLES = ['Kind', 'Model', 'Key or person', 'Duration', 'Audio', 'Cost', 'Status', 'Error'] as const;
const NUMBERS: readonly string[] = ['Duration', 'Audio', 'Cost'];
const useTitles = (): readonly string[] => {
  const hasPrices = useHasPrices();
  const time = timeTitle(useZone());
  return [time, ...TITLES.filter((title) => hasPrices || title !== 'Cost')];
};

type Props = {
  rows: readonly LogEntry[];
  /** The list's route; a row's link adds its request. */
  listRoute: LogsRoute;
  focusId: string | null;
  takeFocus: RefCallback<HTMLElement>;
};

/** Requests as rows that link to their details. */
export function LogTable({ rows, listRoute, focusId, takeFocus }: Props) {
  const titles = useTitles();
  const formatCost = titles.includes('Cost')
    ? columnFormat(rows.flatMap(({ cost_micros }) => cost_micros ?? []))
    : null;
  return (
    <CardTable aria-label="Requests" cardsBelow="xl" titles={titles} numbers={NUMBERS}>
      {rows.map((entry) => (
        <LogRow
          key={entry.id}
          entry={entry}
          to={{ ...listRoute, log: entry.id }}
          formatCost={formatCost}
          rowRef={entry.id === focusId ? takeFocus : undefined}
        />
      ))}
    </CardTable>
  );
}

const PALETTES: Readonly<Record<LogStatus, string>> = {
  completed: 'green',
  failed: 'red',
  refused: 'orange',
  cancelled: 'gray',
};

export const StatusBadge = ({ status }: { status: LogStatus }) => (
  <Badge variant="subtle" justifySelf="start" colorPalette={PALETTES[status]}>
    {STATUS_NAMES[status]}
  </Badge>
);

type RowProps = {
  entry: LogEntry;
  to: LogsRoute;
  /** Null on a server without prices. */
  formatCost: ((micros: number) => string) | null;
  rowRef: RefCallback<HTMLElement> | undefined;
};

const NUMBER = { textAlign: { lg: 'end' }, fontVariantNumeric: 'tabular-nums' } as const;

function LogRow({ entry, to, formatCost, rowRef }: RowProps) {
  const zone = useZone();
  const duration = durationOf(entry);
  const isEmpty = isUnused(entry);
  return (
    <Table.Row
      role="row"
      ref={rowRef}
      data-row={entry.id}
      position="relative"
      bg="transparent"
      _hover={{ bg: 'bg.subtle' }}
    >
      <Table.Cell role="rowheader" data-title={timeTitle(zone)} whiteSpace={{ lg: 'nowrap' }}>
        {/* The link's area covers the whole row. */}
        <ScreenLink to={to} isOfQuery fontWeight="medium" _after={{ content: '""', position: 'absolute', inset: '0' }}>
          <chakra.time dateTime={entry.ended_at} title={formatMoment(entry.ended_at, zone)}>
            {formatTime(entry.ended_at, zone)}
          </chakra.time>
        </ScreenLink>
      </Table.Cell>
      <Table.Cell role="cell" data-title="Kind">
        {SERVICE_NAMES[entry.kind]}
      </Table.Cell>
      <Table.Cell
        role="cell"
        data-title="Model"
        title={modelOf(entry) ?? undefined}
        {...NAME}
        maxWidth={{ lg: '180px' }}
      >
        <bdi>{modelOf(entry) ?? <None />}</bdi>
      </Table.Cell>
      <Table.Cell role="cell" data-title="Key or person" title={callerOf(entry)} {...NAME} maxWidth={{ lg: '180px' }}>
        <bdi>{callerOf(entry)}</bdi>
      </Table.Cell>
      <Table.Cell role="cell" data-title="Duration" whiteSpace="nowrap" {...NUMBER}>
        {duration === null ? <None /> : formatLatency(duration)}
      </Table.Cell>
      <Table.Cell role="cell" data-title="Audio" whiteSpace="nowrap" {...NUMBER}>
        {isEmpty ? <None /> : formatAudio(entry.audio_ms)}
      </Table.Cell>
      {formatCost ? (
        <Table.Cell role="cell" data-title="Cost" {...NUMBER}>
          {entry.cost_micros === null || isEmpty ? <None /> : formatCost(entry.cost_micros)}
        </Table.Cell>
      ) : null}
      <Table.Cell role="cell" data-title="Status" data-end>
        <StatusBadge status={entry.status} />
      </Table.Cell>
      <Table.Cell
        role="cell"
        data-title="Error"
        title={errorOf(entry) ?? undefined}
        {...NAME}
        maxWidth={{ lg: '180px' }}
      >
        {errorOf(entry) ?? <None />}
      </Table.Cell>
    </Table.Row>
  );
}

/** A placeholder for the table while it loads. */
export const TableWaiting = () => (
  <WaitingTable label="Loading the requests" cardsBelow="xl" titles={useTitles()} numbers={NUMBERS} rows={8} />
);
