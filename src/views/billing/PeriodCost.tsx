import { Box, Flex, Heading, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { OverviewActor } from '#machines/workspace/billing/overview/machine.ts';
import { formatCost } from '../ui/figures.ts';
import { formatDays } from '../ui/format.ts';
import { Panel } from '../ui/Panel.tsx';
import { TextLink } from '../ui/TextLink.tsx';
import { Waiting } from '../ui/Waiting.tsx';
import { PeriodPicker } from '../ui/usage/PeriodPicker.tsx';
import { useOrganization } from './state.ts';

/** What the period of the address cost. */
export function PeriodCost({ actor }: { actor: OverviewActor }) {
  const orgUuid = useOrganization();
  const overview = useSelector(actor, ({ context }) => context.overview);
  const isLoading = useSelector(actor, (snapshot) => snapshot.hasTag('loading'));
  const days = overview?.period;
  return (
    <Box as="section" aria-labelledby="spending">
      <Heading as="h2" id="spending" mb="4" fontSize="lg" fontWeight="semibold">
        Spending
      </Heading>
      <Flex direction="column" gap="4">
        <PeriodPicker actor={actor} />
        {isLoading || !overview || !days ? (
          <Waiting height="112px" label="Loading the cost of the period" />
        ) : (
          <Panel py="5">
            <Flex wrap="wrap" justify="space-between" align="flex-end" columnGap="6" rowGap="3">
              <Box minW="0">
                <Text fontSize="sm" color="fg.muted">
                  {`${formatDays(days)} (UTC)`}
                </Text>
                <Text
                  fontSize="2xl"
                  fontWeight="semibold"
                  letterSpacing="-0.01em"
                  fontVariantNumeric="tabular-nums"
                  overflowWrap="anywhere"
                >
                  {formatCost(overview.cost_micros)}
                </Text>
              </Box>
              <Flex wrap="wrap" columnGap="5" rowGap="1" fontSize="sm">
                <TextLink to={{ screen: 'billingReports', orgUuid, ...days }}>View reports</TextLink>
                <TextLink to={{ screen: 'costTable', orgUuid, ...days }}>View cost table</TextLink>
              </Flex>
            </Flex>
          </Panel>
        )}
      </Flex>
    </Box>
  );
}
