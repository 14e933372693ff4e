import { Badge, Skeleton, Table, Text, chakra } from '@chakra-ui/react';
import type { RefCallback } from 'react';
import type { LogEntry, LogStatus } from '#contract/logs.ts';
import type { LogsRoute } from '#machines/shared/route.ts';
import { formatAudio, formatCost } from '../organization/figures.ts';
import { formatLocal, formatUtc } from '../playground/format.ts';
import { AS_CARDS } from '../ui/asCards.ts';
import { Panel } from '../ui/Panel.tsx';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { useHasPrices } from '../billing/state.ts';
import { callerOf, KIND_NAMES, STATUS_NAMES } from './words.ts';

const TITLES = ['Time', 'Kind', 'Model', 'Key or person', 'Audio', 'Cost', 'Status', 'Error'] as const;
const useTitles = (): readonly string[] => {
  const hasPrices = useHasPrices();
  return TITLES.filter((title) => hasPrices || title !== 'Cost');
};

type Props = {
  rows: readonly LogEntry[];
  /** The address of the list; each row opens there. */
  base: LogsRoute;
  focusId: string | null;
  takeFocus: RefCallback<HTMLElement>;
};

/** Requests as rows; each is a link to itself. */
export function LogTable({ rows, base, focusId, takeFocus }: Props) {
  const titles = useTitles();
  return (
    // The roles are written out: what is laid out as cards is a table to screen readers still.
    <Table.Root role="table" aria-label="Requests" size="md" bg="transparent" css={AS_CARDS}>
      <Header titles={titles} />
      <Table.Body role="rowgroup">
        {rows.map((entry) => (
          <LogRow
            key={entry.id}
            entry={entry}
            to={{ ...base, log: entry.id }}
            hasCost={titles.includes('Cost')}
            rowRef={entry.id === focusId ? takeFocus : undefined}
          />
        ))}
      </Table.Body>
    </Table.Root>
  );
}

const Header = ({ titles }: { titles: readonly string[] }) => (
  <Table.Header role="rowgroup">
    <Table.Row role="row" bg="transparent">
      {titles.map((title) => (
        <Table.ColumnHeader key={title} role="columnheader" whiteSpace="nowrap">
          {title}
        </Table.ColumnHeader>
      ))}
    </Table.Row>
  </Table.Header>
);

const PALETTES: Readonly<Record<LogStatus, string>> = { completed: 'green', failed: 'red', cancelled: 'gray' };

export const StatusBadge = ({ status }: { status: LogStatus }) => (
  <Badge variant="subtle" justifySelf="start" colorPalette={PALETTES[status]}>
    {STATUS_NAMES[status]}
  </Badge>
);

type RowProps = {
  entry: LogEntry;
  to: LogsRoute;
  hasCost: boolean;
  rowRef: RefCallback<HTMLElement> | undefined;
};

function LogRow({ entry, to, hasCost, rowRef }: RowProps) {
  return (
    <Table.Row
      role="row"
      ref={rowRef}
      data-row={entry.id}
      position="relative"
      bg="transparent"
      _hover={{ bg: 'bg.subtle' }}
    >
      <Table.Cell role="cell" data-title="Time" whiteSpace={{ lg: 'nowrap' }}>
        {/* The whole row is its link. */}
        <ScreenLink to={to} isOfQuery fontWeight="medium" _after={{ content: '""', position: 'absolute', inset: '0' }}>
          <chakra.time dateTime={entry.ended_at} title={formatUtc(entry.ended_at)}>
            {formatLocal(entry.ended_at)}
          </chakra.time>
        </ScreenLink>
      </Table.Cell>
      <Table.Cell role="cell" data-title="Kind">
        {KIND_NAMES[entry.kind]}
      </Table.Cell>
      <Table.Cell role="cell" data-title="Model" overflowWrap="anywhere">
        {entry.model}
      </Table.Cell>
      <Table.Cell role="cell" data-title="Key or person" maxWidth={{ md: '220px' }} overflowWrap="anywhere">
        <bdi>{callerOf(entry)}</bdi>
      </Table.Cell>
      <Table.Cell role="cell" data-title="Audio" whiteSpace="nowrap" fontVariantNumeric="tabular-nums">
        {formatAudio(entry.audio_ms)}
      </Table.Cell>
      {hasCost ? (
        <Table.Cell role="cell" data-title="Cost" fontVariantNumeric="tabular-nums">
          {entry.cost_micros === null ? '—' : formatCost(entry.cost_micros)}
        </Table.Cell>
      ) : null}
      <Table.Cell role="cell" data-title="Status">
        <StatusBadge status={entry.status} />
      </Table.Cell>
      <Table.Cell role="cell" data-title="Error" maxWidth={{ md: '220px' }} overflowWrap="anywhere">
        {entry.error_type ?? (
          <Text as="span" color="fg.muted" aria-label="none">
            —
          </Text>
        )}
      </Table.Cell>
    </Table.Row>
  );
}

/** As many as show at once in most windows. */
const WAITING_ROWS = 8;

/** The table before its rows are there. */
export function TableWaiting() {
  const titles = useTitles();
  return (
    <Panel p="0" overflow="hidden" role="status" aria-label="Loading the requests">
      <Table.Root size="md" bg="transparent" css={AS_CARDS} aria-hidden>
        <Header titles={titles} />
        <Table.Body>
          {Array.from({ length: WAITING_ROWS }, (_, row) => (
            // They are all alike.
            // oxlint-disable-next-line react/no-array-index-key
            <Table.Row key={row} bg="transparent">
              {titles.map((title) => (
                <Table.Cell key={title} data-title={title}>
                  <Skeleton height="5" />
                </Table.Cell>
              ))}
            </Table.Row>
          ))}
        </Table.Body>
      </Table.Root>
    </Panel>
  );
}
