import { Box, Flex, Heading, Table, chakra } from '@chakra-ui/react';
import type { Transaction } from '#contract/transactions.ts';
import { EmptyLine } from '../ui/PagedItems.tsx';
import { formatUtc } from '../ui/format.ts';
import { CardTable } from '../ui/CardTable.tsx';
import { Panel } from '../ui/Panel.tsx';
import { TextLink } from '../ui/TextLink.tsx';
import { formatUtcDay } from './days.ts';
import { formatAmount } from '../ui/figures.ts';
import { useOrganization } from './state.ts';

/** The last few payments, newest first. */
export function LastPayments({ payments }: { payments: readonly Transaction[] }) {
  const orgUuid = useOrganization();
  return (
    <Box as="section" aria-labelledby="last-payments">
      <Flex wrap="wrap" justify="space-between" align="baseline" columnGap="6" rowGap="1" mb="4">
        <Heading as="h2" id="last-payments" fontSize="lg" fontWeight="semibold">
          Last payments
        </Heading>
        <Box fontSize="sm">
          <TextLink to={{ screen: 'transactions', orgUuid }}>View all transactions</TextLink>
        </Box>
      </Flex>
      <Panel p="0" overflow="hidden">
        {payments.length === 0 ? (
          <EmptyLine>No payments yet.</EmptyLine>
        ) : (
          <CardTable
            aria-labelledby="last-payments"
            titles={['Date (UTC)', 'Description', 'Amount']}
            numbers={['Amount']}
          >
            {payments.map((payment) => (
              <Payment key={payment.uuid} payment={payment} />
            ))}
          </CardTable>
        )}
      </Panel>
    </Box>
  );
}

const Payment = ({ payment: { at, description, amount_micros } }: { payment: Transaction }) => (
  <Table.Row role="row" bg="transparent">
    <Table.Cell role="rowheader" data-title="Date (UTC)" whiteSpace="nowrap">
      <chakra.time dateTime={at} title={formatUtc(at)}>
        {formatUtcDay(at)}
      </chakra.time>
    </Table.Cell>
    <Table.Cell role="cell" data-title="Description" overflowWrap="anywhere">
      {description}
    </Table.Cell>
    <Table.Cell
      role="cell"
      data-title="Amount"
      data-end
      fontWeight="medium"
      textAlign={{ lg: 'end' }}
      fontVariantNumeric="tabular-nums"
    >
      {formatAmount(amount_micros)}
    </Table.Cell>
  </Table.Row>
);
