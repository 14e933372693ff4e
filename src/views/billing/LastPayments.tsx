import { Box, Flex, Heading, Table, chakra } from '@chakra-ui/react';
import type { Transaction } from '#contract/billing.ts';
import { EmptyLine } from '../playground/async/PagedItems.tsx';
import { formatUtc } from '../playground/format.ts';
import { AS_CARDS } from '../ui/asCards.ts';
import { Panel } from '../ui/Panel.tsx';
import { TextLink } from '../ui/TextLink.tsx';
import { formatAmount, formatUtcDay } from './money.ts';
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
          // The roles are written out: what is laid out as cards is a table to screen readers still.
          <Table.Root role="table" aria-labelledby="last-payments" size="md" bg="transparent" css={AS_CARDS}>
            <Table.Header role="rowgroup">
              <Table.Row role="row" bg="transparent">
                {['Date (UTC)', 'Description', 'Amount'].map((title) => (
                  <Table.ColumnHeader
                    key={title}
                    role="columnheader"
                    {...(title === 'Amount' ? { textAlign: 'end' } : {})}
                  >
                    {title}
                  </Table.ColumnHeader>
                ))}
              </Table.Row>
            </Table.Header>
            <Table.Body role="rowgroup">
              {payments.map((payment) => (
                <Payment key={payment.uuid} payment={payment} />
              ))}
            </Table.Body>
          </Table.Root>
        )}
      </Panel>
    </Box>
  );
}

const Payment = ({ payment: { at, description, amount_micros } }: { payment: Transaction }) => (
  <Table.Row role="row" bg="transparent">
    <Table.Cell role="cell" data-title="Date" whiteSpace="nowrap">
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
      fontWeight="medium"
      textAlign={{ lg: 'end' }}
      fontVariantNumeric="tabular-nums"
    >
      {formatAmount(amount_micros)}
    </Table.Cell>
  </Table.Row>
);
