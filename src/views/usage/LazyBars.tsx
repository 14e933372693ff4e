import { Text } from '@chakra-ui/react';
import { lazy, Suspense, type ComponentType } from 'react';
import type { BarsProps } from './UsageBars.tsx';
import { CHART_HEIGHT } from './sizes.ts';
import { Waiting } from '../ui/Waiting.tsx';

/** The chart library comes with the first chart. Where it does not come, the figures are in the table all the same. */
const fetchBars = (): Promise<ComponentType<BarsProps>> =>
  import('./UsageBars.tsx').then(
    ({ UsageBars }) => UsageBars,
    () => Missing,
  );

const Bars = lazy(async () => ({ default: await fetchBars() }));
const Fetching = lazy(async () => {
  await fetchBars();
  return { default: ChartSkeleton };
});

/** The bars, once what draws them is there. */
export function LazyBars(props: BarsProps) {
  return (
    <Suspense fallback={<Waiting height={`${CHART_HEIGHT}px`} mt="10" borderRadius="l2" label="Loading the chart" />}>
      <Bars {...props} />
    </Suspense>
  );
}

/** In place of a chart whose figures are on their way; what draws them is fetched meanwhile. */
export function ChartWaiting() {
  return (
    <Suspense fallback={<ChartSkeleton />}>
      <Fetching />
    </Suspense>
  );
}

const ChartSkeleton = () => <Waiting height="340px" label="Loading the chart" />;

function Missing() {
  return (
    <Text role="alert" color="fg.muted">
      The chart could not be loaded. The table has the same figures; reload the page to see the chart.
    </Text>
  );
}
