import { Button, Flex, SimpleGrid } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { ChartColumn } from 'lucide-react';
import type { Usage } from '#machines/workspace/usage/actors.ts';
import type { UsageActor, UsageSnapshot } from '#machines/workspace/usage/machine.ts';
import { headingOf } from '../../screens/titles.ts';
import { formatAudio, formatCost, formatCount, NO_PRICES } from '../ui/figures.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Figure } from '../ui/Figure.tsx';
import { Page } from '../ui/Page.tsx';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { useMayOpen } from '../ui/rights.ts';
import { useRoute, useWorkspace } from '../ui/state.ts';
import { seriesOf } from '../ui/usage/bars.ts';
import { BadAddressNotice } from '../ui/usage/BadAddressNotice.tsx';
import { PeriodPicker } from '../ui/usage/PeriodPicker.tsx';
import { AFTER_CHART } from '../ui/usage/sizes.ts';
import { UsageChart, UsageWaiting } from '../ui/usage/UsageChart.tsx';

const INTRO = {
  usageCost: 'What the requests of this project cost, priced at the rate when each request began.',
  usageActivity: 'Requests and audio transcribed by this project.',
};

/** Usage cost or usage activity of a project in the period of the address (PRJ-04). */
export function UsagePage() {
  const route = useRoute();
  const actor = useSelector(useWorkspace(), ({ children }) => children.usageCost ?? children.usageActivity);
  if (route.screen !== 'usageCost' && route.screen !== 'usageActivity') return null;
  const { screen } = route;
  return (
    <Page
      heading={headingOf(route)}
      intro={INTRO[screen]}
      actions={
        <Button asChild variant="outline">
          <ScreenLink
            to={{ ...route, screen: screen === 'usageCost' ? 'usageActivity' : 'usageCost' }}
            borderRadius="l2"
          >
            {screen === 'usageCost' ? 'View activity' : 'View cost'}
          </ScreenLink>
        </Button>
      }
    >
      {actor ? <Contents actor={actor} /> : null}
    </Page>
  );
}

function Contents({ actor }: { actor: UsageActor }) {
  const shown = useSelector(actor, shownText);
  return (
    <Flex direction="column" gap="6">
      <BadAddressNotice actor={actor} />
      <PeriodPicker actor={actor} />
      <UsageWaiting actor={actor} shown={shown} />
      <Totals actor={actor} />
      <Nothing actor={actor} />
      <UsageChart actor={actor} />
    </Flex>
  );
}

/** What is shown, for screen readers: 'Requests: 28'. */
export function shownText(snapshot: Pick<UsageSnapshot, 'context' | 'hasTag'>): string {
  const { usage } = snapshot.context;
  if (snapshot.hasTag('empty')) return 'Nothing was used.';
  return usage && snapshot.hasTag('charted') ? (totalsOf(usage)[0]?.join(': ') ?? '') : '';
}

/** The totals of the period. Renders nothing while they load, and no cost without prices. */
function Totals({ actor }: { actor: UsageActor }) {
  const usage = useSelector(actor, (snapshot) =>
    snapshot.hasTag('charted') || snapshot.hasTag('empty') ? snapshot.context.usage : null,
  );
  if (!usage) return null;
  const totals = totalsOf(usage);
  return (
    <SimpleGrid as="dl" aria-label="Totals" gap="4" columns={{ base: 2, md: totals.length }} order={AFTER_CHART}>
      {totals.map(([name, amount]) => (
        <Figure key={name} name={name}>
          {amount}
        </Figure>
      ))}
    </SimpleGrid>
  );
}

/** The names and amounts of the cards: the sums of the period, and those of each kind of request. */
export function totalsOf(usage: Usage): [string, string][] {
  const series = seriesOf(usage, 'requests');
  const of = (service: string) =>
    series.filter((one) => one.service === service).reduce((sum, { total }) => sum + total, 0);
  if (usage.chart === 'cost')
    return [
      ['Total cost', formatCost(usage.figures.totals.cost_micros)],
      ['Async', formatCost(of('Async'))],
      ['Live', formatCost(of('Live'))],
    ];
  const { requests, audio_ms } = usage.figures.totals;
  return [
    ['Requests', formatCount(requests)],
    ['Audio', formatAudio(audio_ms)],
    ['Async requests', formatCount(of('Async'))],
    ['Live requests', formatCount(of('Live'))],
  ];
}

function Nothing({ actor }: { actor: UsageActor }) {
  const route = useRoute();
  const mayTranscribe = useMayOpen('playground');
  const what = useSelector(actor, (snapshot) =>
    snapshot.hasTag('unpriced') ? 'unpriced' : snapshot.hasTag('empty') ? 'empty' : null,
  );
  if (what === null || (route.screen !== 'usageCost' && route.screen !== 'usageActivity')) return null;
  if (what === 'unpriced')
    return (
      <EmptyState icon={<ChartColumn size={22} />} title={NO_PRICES}>
        Nothing has a cost on this server. View activity to see what was used.
      </EmptyState>
    );
  const { orgUuid, projectUuid } = route;
  return (
    <EmptyState
      icon={<ChartColumn size={22} />}
      title="Nothing was used in this period"
      action={
        mayTranscribe ? (
          <Button asChild>
            <ScreenLink to={{ screen: 'playground', orgUuid, projectUuid, mode: 'async' }} borderRadius="l2">
              Open the playground
            </ScreenLink>
          </Button>
        ) : null
      }
    >
      Usage appears when a transcription or live session ends, from the playground or the API.
    </EmptyState>
  );
}
