import { Badge, Flex, Table, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { ExternalLink as OpensTab } from 'lucide-react';
import {
  RECEIPT_NAMES,
  receiptTitle,
  TRANSACTION_NAMES,
  type Transaction,
  type TransactionKind,
} from '#contract/transactions.ts';
import type { TransactionsActor } from '#machines/workspace/billing/transactions/machine.ts';
import { unpostedIn, type UnpostedRow } from '#machines/workspace/billing/transactions/unposted.ts';
import { formatUtc } from '../ui/format.ts';
import { CardTable, None, WaitingTable } from '../ui/CardTable.tsx';
import { columnFormat } from '../ui/figures.ts';
import { Panel } from '../ui/Panel.tsx';
import { ReachableButton } from '../ui/ReachableButton.tsx';
import { formatUtcDay, formatUtcMoment } from './days.ts';

const PALETTES: Readonly<Record<TransactionKind, string>> = {
  payment: 'green',
  usage: 'gray',
  refund: 'orange',
  dispute: 'red',
  credit: 'blue',
  fee: 'orange',
  correction: 'purple',
};

const TITLES = ['Time (UTC)', 'Kind', 'Description', 'Amount', 'Balance after', 'Receipt'] as const;
const NUMBERS: readonly string[] = ['Amount', 'Balance after'];

/** The transactions of a page, newest first. */
export function TransactionTable({ actor }: { actor: TransactionsActor }) {
  const rows = useSelector(actor, ({ context }) => context.rows);
  const unposted = useSelector(actor, ({ context }) => unpostedIn(context));
  const writeAmount = columnFormat(
    [...rows, ...unposted].map(({ amount_micros }) => amount_micros),
    { signDisplay: 'exceptZero' },
  );
  const writeBalance = columnFormat([...rows, ...unposted].map((row) => row.balance_after_micros));
  return (
    <Panel p="0" overflow="hidden">
      <CardTable aria-label="Transactions" titles={TITLES} numbers={NUMBERS} cardsBelow="xl">
        {unposted.map((row) => (
          <Unposted key="unposted" {...{ row, writeAmount, writeBalance }} />
        ))}
        {rows.map((row) => (
          <Row key={row.uuid} {...{ actor, row, writeAmount, writeBalance }} />
        ))}
      </CardTable>
    </Panel>
  );
}

type Write = (micros: number) => string;

/** Usage that no transaction tells of yet, so that the list ends in the balance of the overview. */
const Unposted = ({ row, writeAmount, writeBalance }: Omit<RowProps, 'actor' | 'row'> & { row: UnpostedRow }) => (
  <Table.Row role="row" bg="bg.subtle">
    <Table.Cell role="rowheader" data-title="Time (UTC)">
      Not posted yet
    </Table.Cell>
    <KindCell kind="usage" />
    <Table.Cell role="cell" data-title="Description">
      Usage so far, posted after midnight (UTC)
    </Table.Cell>
    <Amount title="Amount" isStrong>
      {writeAmount(row.amount_micros)}
    </Amount>
    <Amount title="Balance after">{writeBalance(row.balance_after_micros)}</Amount>
    <Table.Cell role="cell" data-title="Receipt">
      <None />
    </Table.Cell>
  </Table.Row>
);

const KindCell = ({ kind }: { kind: TransactionKind }) => (
  <Table.Cell role="cell" data-title="Kind">
    <Badge variant="subtle" justifySelf="start" colorPalette={PALETTES[kind]}>
      {TRANSACTION_NAMES[kind]}
    </Badge>
  </Table.Cell>
);

type RowProps = { actor: TransactionsActor; row: Transaction; writeAmount: Write; writeBalance: Write };

function Row({ actor, row, writeAmount, writeBalance }: RowProps) {
  const { at, day, kind, description, amount_micros, balance_after_micros, receipt } = row;
  return (
    <Table.Row role="row" bg="transparent">
      <Table.Cell role="rowheader" data-title="Time (UTC)" whiteSpace="nowrap" fontVariantNumeric="tabular-nums">
        {day === null ? (
          <chakra.time dateTime={at} title={formatUtc(at)}>
            {formatUtcMoment(at)}
          </chakra.time>
        ) : (
          <chakra.time dateTime={day} title={`Posted ${formatUtc(at)}`}>
            {formatUtcDay(day)}
          </chakra.time>
        )}
      </Table.Cell>
      <KindCell kind={kind} />
      <Table.Cell role="cell" data-title="Description" overflowWrap="anywhere">
        {description}
      </Table.Cell>
      <Amount title="Amount" isStrong>
        {writeAmount(amount_micros)}
      </Amount>
      <Amount title="Balance after">{writeBalance(balance_after_micros)}</Amount>
      <Table.Cell role="cell" data-title="Receipt" whiteSpace={{ xl: 'nowrap' }}>
        {receipt ? <Receipt actor={actor} row={row} receipt={receipt} /> : <None />}
      </Table.Cell>
    </Table.Row>
  );
}

type ReceiptProps = { actor: TransactionsActor; row: Transaction; receipt: NonNullable<Transaction['receipt']> };

function Receipt({ actor, row: { uuid: transaction, at }, receipt }: ReceiptProps) {
  const canOpen = useSelector(actor, (snapshot) => snapshot.can({ type: 'receipt.requested', transaction }));
  const isOpening = useSelector(
    actor,
    (snapshot) => snapshot.hasTag('opening') && snapshot.context.receiptOf === transaction,
  );
  const canWithdraw = useSelector(actor, (snapshot) => snapshot.can({ type: 'withdrawal.requested', transaction }));
  const isWithdrawing = useSelector(
    actor,
    (snapshot) => snapshot.hasTag('withdrawing') && snapshot.context.withdrawalOf === transaction,
  );
  return (
    <Flex display={{ base: 'inline-flex', xl: 'flex' }} wrap="wrap" gap="2" verticalAlign="middle">
      <ReachableButton
        size="xs"
        variant="outline"
        maxWidth="full"
        height="auto"
        minHeight="8"
        whiteSpace={{ base: 'normal', xl: 'nowrap' }}
        textAlign="start"
        can={canOpen}
        busy={isOpening}
        aria-label={`${receiptTitle(receipt)} of ${formatUtcMoment(at)} UTC, opens in a new tab`}
        onClick={() => actor.send({ type: 'receipt.requested', transaction })}
      >
        <span>
          <span>{RECEIPT_NAMES[receipt.kind]}</span> <chakra.span whiteSpace="nowrap">{receipt.number}</chakra.span>
        </span>{' '}
        <OpensTab size={12} aria-hidden />
      </ReachableButton>
      <ReachableButton
        size="xs"
        variant="ghost"
        can={canWithdraw}
        busy={isWithdrawing}
        aria-label={`Withdraw links to ${receiptTitle(receipt)}`}
        onClick={() => actor.send({ type: 'withdrawal.requested', transaction })}
      >
        Withdraw links
      </ReachableButton>
    </Flex>
  );
}

const Amount = ({ title, isStrong = false, children }: { title: string; isStrong?: boolean; children: string }) => (
  <Table.Cell
    role="cell"
    data-title={title}
    whiteSpace="nowrap"
    textAlign={{ xl: 'end' }}
    fontVariantNumeric="tabular-nums"
    {...(isStrong ? { fontWeight: 'medium', 'data-end': true } : {})}
  >
    {children}
  </Table.Cell>
);

/** A placeholder for the table while it loads. */
export const TransactionsWaiting = () => (
  <WaitingTable label="Loading the transactions" titles={TITLES} numbers={NUMBERS} cardsBelow="xl" rows={8} />
);
