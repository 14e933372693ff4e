import { Badge, Skeleton, Table, Text, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { ExternalLink as OpensTab } from 'lucide-react';
import type { Transaction } from '#contract/billing.ts';
import type { TransactionsActor } from '#machines/workspace/billing/transactions/machine.ts';
import { formatUtc } from '../playground/format.ts';
import { AS_CARDS } from '../ui/asCards.ts';
import { Panel } from '../ui/Panel.tsx';
import { ReachableButton } from '../ui/ReachableButton.tsx';
import { formatExact, formatSigned } from './amounts.ts';
import { formatUtcMoment } from './days.ts';

type Kind = Transaction['kind'];

const KINDS: Readonly<Record<Kind, { name: string; palette: string }>> = {
  payment: { name: 'Payment', palette: 'green' },
  usage: { name: 'Usage', palette: 'gray' },
  refund: { name: 'Refund', palette: 'orange' },
  dispute: { name: 'Dispute', palette: 'red' },
  credit: { name: 'Credit', palette: 'blue' },
  correction: { name: 'Correction', palette: 'purple' },
};

/** What a receipt of a kind is called: what was given back has a credit note. */
const receiptName = (kind: Kind): string => (kind === 'refund' ? 'Credit note' : 'Receipt');

const TITLES = ['Time (UTC)', 'Kind', 'Description', 'Amount', 'Balance after', 'Receipt'] as const;
const NUMBERS: readonly string[] = ['Amount', 'Balance after'];

const Header = () => (
  <Table.Header role="rowgroup">
    <Table.Row role="row" bg="transparent">
      {TITLES.map((title) => (
        <Table.ColumnHeader
          key={title}
          role="columnheader"
          whiteSpace="nowrap"
          {...(NUMBERS.includes(title) ? { textAlign: 'end' } : {})}
        >
          {title}
        </Table.ColumnHeader>
      ))}
    </Table.Row>
  </Table.Header>
);

/** The transactions of a page, newest first. */
export function TransactionTable({ actor }: { actor: TransactionsActor }) {
  const rows = useSelector(actor, ({ context }) => context.rows);
  const opening = useSelector(actor, (snapshot) => (snapshot.hasTag('opening') ? snapshot.context.receiptOf : null));
  return (
    <Panel p="0" overflow="hidden">
      {/* The roles are written out: what is laid out as cards is a table to screen readers still. */}
      <Table.Root role="table" aria-label="Transactions" size="md" bg="transparent" css={AS_CARDS}>
        <Header />
        <Table.Body role="rowgroup">
          {rows.map((row) => (
            <Row
              key={row.uuid}
              row={row}
              isOpening={opening === row.uuid}
              onReceipt={() => actor.send({ type: 'receipt.requested', transaction: row.uuid })}
            />
          ))}
        </Table.Body>
      </Table.Root>
    </Panel>
  );
}

type RowProps = { row: Transaction; isOpening: boolean; onReceipt: () => void };

function Row({ row, isOpening, onReceipt }: RowProps) {
  const { at, kind, description, amount_micros, balance_after_micros, has_receipt } = row;
  return (
    <Table.Row role="row" bg="transparent">
      <Table.Cell role="cell" data-title="Time (UTC)" whiteSpace="nowrap" fontVariantNumeric="tabular-nums">
        <chakra.time dateTime={at} title={formatUtc(at)}>
          {formatUtcMoment(at)}
        </chakra.time>
      </Table.Cell>
      <Table.Cell role="cell" data-title="Kind">
        <Badge variant="subtle" colorPalette={KINDS[kind].palette}>
          {KINDS[kind].name}
        </Badge>
      </Table.Cell>
      <Table.Cell role="cell" data-title="Description" overflowWrap="anywhere">
        {description}
      </Table.Cell>
      <Amount title="Amount" isStrong>
        {formatSigned(amount_micros)}
      </Amount>
      <Amount title="Balance after">{formatExact(balance_after_micros)}</Amount>
      <Table.Cell role="cell" data-title="Receipt" whiteSpace="nowrap">
        {has_receipt ? (
          <ReachableButton
            size="xs"
            variant="outline"
            can={!isOpening}
            busy={isOpening}
            aria-label={`${receiptName(kind)} of ${formatUtcMoment(at)}, opens in a new tab`}
            onClick={onReceipt}
          >
            {receiptName(kind)} <OpensTab size={12} aria-hidden />
          </ReachableButton>
        ) : (
          <Text as="span" color="fg.muted" aria-label="none">
            —
          </Text>
        )}
      </Table.Cell>
    </Table.Row>
  );
}

const Amount = ({ title, isStrong = false, children }: { title: string; isStrong?: boolean; children: string }) => (
  <Table.Cell
    role="cell"
    data-title={title}
    whiteSpace="nowrap"
    textAlign={{ lg: 'end' }}
    fontVariantNumeric="tabular-nums"
    {...(isStrong ? { fontWeight: 'medium' } : {})}
  >
    {children}
  </Table.Cell>
);

/** As many as show at once in most windows. */
const WAITING_ROWS = 8;

/** The table before its rows are there. */
export const TransactionsWaiting = () => (
  <Panel p="0" overflow="hidden" role="status" aria-label="Loading the transactions">
    <Table.Root size="md" bg="transparent" css={AS_CARDS} aria-hidden>
      <Header />
      <Table.Body>
        {Array.from({ length: WAITING_ROWS }, (_, row) => (
          // They are all alike.
          // oxlint-disable-next-line react/no-array-index-key
          <Table.Row key={row} bg="transparent">
            {TITLES.map((title) => (
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
