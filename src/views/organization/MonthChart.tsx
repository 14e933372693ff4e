import { Box, Flex, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { DashboardActor } from '#machines/workspace/dashboard/machine.ts';
import type { UsageActor } from '#machines/workspace/usage/machine.ts';
import { NO_PRICES } from '../ui/figures.ts';
import { UsageChart, UsageWaiting } from '../ui/usage/UsageChart.tsx';
import { Choice } from '../ui/Choice.tsx';

/** This month's daily activity or cost, over the projects that the person sees (ORG-04, PRJ-04). */
export function MonthChart({ dashboard }: { dashboard: DashboardActor }) {
  const actor = useSelector(dashboard, (snapshot) => snapshot.children.usage);
  const isCost = useSelector(dashboard, (snapshot) => snapshot.hasTag('cost'));
  return (
    <Box as="section" aria-label="Day by day">
      <Flex role="group" aria-label="Chart" gap="2" mb="4" wrap="wrap">
        <Choice isChosen={!isCost} onChoose={() => dashboard.send({ type: 'chart.chosen', chart: 'activity' })}>
          Activity
        </Choice>
        <Choice isChosen={isCost} onChoose={() => dashboard.send({ type: 'chart.chosen', chart: 'cost' })}>
          Cost
        </Choice>
      </Flex>
      {actor ? <Chart actor={actor} /> : null}
    </Box>
  );
}

function Chart({ actor }: { actor: UsageActor }) {
  const nothing = useSelector(actor, (snapshot) =>
    snapshot.hasTag('unpriced') ? `${NO_PRICES}.` : snapshot.hasTag('empty') ? 'Nothing was used this month.' : null,
  );
  return (
    <>
      <UsageWaiting actor={actor} />
      {nothing ? <Text color="fg.muted">{nothing}</Text> : null}
      <UsageChart actor={actor} as="h3" />
    </>
  );
}
