import { Box, Flex, Heading, SimpleGrid, Text } from '@chakra-ui/react';
import type { ReactNode } from 'react';
import type { BillingOverview } from '#contract/billing.ts';
import { formatAmount, formatBalance, formatCost } from '../ui/figures.ts';
import { Panel } from '../ui/Panel.tsx';
import { TextLink } from '../ui/TextLink.tsx';
import { expiryOf, methodName, paceOf } from './money.ts';
import { useOrganization } from './state.ts';

/** The balance, how long it lasts, and how the organization pays. */
export function Balance({ overview, action }: { overview: BillingOverview; action?: ReactNode }) {
  const { balance_micros, unposted_micros } = overview;
  return (
    <SimpleGrid gap="4" columns={{ base: 1, lg: 2 }}>
      <Panel as="section" aria-labelledby="balance" display="flex" flexDirection="column" gap="1">
        <Heading as="h2" id="balance" fontSize="sm" fontWeight="medium" color="fg.muted">
          Balance
        </Heading>
        <Text
          fontSize="clamp(1.75rem, 9vw, 2.75rem)"
          lineHeight="1.2"
          fontWeight="semibold"
          letterSpacing="-0.03em"
          fontVariantNumeric="tabular-nums"
          color={balance_micros > 0 ? 'fg' : 'fg.error'}
          title={formatCost(balance_micros)}
        >
          {formatBalance(balance_micros)}
        </Text>
        <Text fontSize="sm" color="fg.muted">
          {overview.is_budget_reached ? null : paceOf(overview)}
        </Text>
        {unposted_micros > 0 ? (
          <Text fontSize="sm" color="fg.muted">
            {`${formatCost(unposted_micros)} of usage is already deducted. Its transaction is posted after midnight (UTC).`}
          </Text>
        ) : null}
        {action ? <Box mt="4">{action}</Box> : null}
      </Panel>
      <HowYouPay overview={overview} />
    </SimpleGrid>
  );
}

function HowYouPay({ overview: { autopay, method } }: { overview: BillingOverview }) {
  const orgUuid = useOrganization();
  return (
    <Panel as="section" aria-label="How you pay" py={{ base: '2', md: '2.5' }}>
      <Row
        title="Autopay"
        value={autopay.enabled ? 'On' : 'Off'}
        action={
          <TextLink to={{ screen: 'paymentSetup', orgUuid }}>
            {autopay.enabled ? 'Change autopay' : 'Turn on autopay'}
          </TextLink>
        }
      >
        {autopay.enabled
          ? `Charges at least ${formatAmount(autopay.amount_micros)} when the balance falls below ${formatAmount(autopay.threshold_micros)}, or is too low for a request.`
          : 'Requests stop when the balance runs out.'}
      </Row>
      <Row
        title="Payment method"
        value={method ? methodName(method) : 'None'}
        action={
          <TextLink to={{ screen: 'paymentSetup', orgUuid }}>
            {method ? 'Change payment method' : 'Set up a payment method'}
          </TextLink>
        }
      >
        {method ? `Expires ${expiryOf(method)}.` : 'Add one to use autopay.'}
      </Row>
    </Panel>
  );
}

function Row({
  title,
  value,
  action,
  children,
}: {
  title: string;
  value: string;
  action: ReactNode;
  children: ReactNode;
}) {
  return (
    <Flex
      wrap="wrap"
      justify="space-between"
      align="baseline"
      columnGap="6"
      rowGap="1"
      py="3.5"
      borderBottomWidth="1px"
      _last={{ borderBottomWidth: 0 }}
    >
      <Box minW="0" flex="1 1 200px">
        <Heading as="h2" fontSize="sm" fontWeight="medium" color="fg.muted">
          {title}
        </Heading>
        <Text mt="0.5" fontWeight="semibold" overflowWrap="anywhere">
          {value}
        </Text>
        <Text fontSize="sm" color="fg.muted">
          {children}
        </Text>
      </Box>
      <Box fontSize="sm">{action}</Box>
    </Flex>
  );
}
