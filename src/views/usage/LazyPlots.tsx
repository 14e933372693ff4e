import { Text } from '@chakra-ui/react';
import { lazy, Suspense, type ComponentType, type ReactNode } from 'react';
import type { BarsProps } from './UsageBars.tsx';
import type { LinesProps } from './UsageLines.tsx';
import { CHART_HEIGHT } from './sizes.ts';
import { Waiting } from '../ui/Waiting.tsx';

type Plots = { UsageBars: ComponentType<BarsProps>; UsageLines: ComponentType<LinesProps> };

/** The chart library comes with the first chart. Where it does not come, the figures are in the table all the same. */
export const fetchPlots = (): Promise<Plots> =>
  import('./plots.ts').then(
    (plots) => plots,
    () => ({ UsageBars: Missing, UsageLines: Missing }),
  );

const Bars = lazy(async () => ({ default: (await fetchPlots()).UsageBars }));
const Lines = lazy(async () => ({ default: (await fetchPlots()).UsageLines }));
const Fetching = lazy(async () => {
  await fetchPlots();
  return { default: ChartSkeleton };
});

/** The bars, once what draws them is there. */
export const LazyBars = (props: BarsProps) => (
  <Fetched>
    <Bars {...props} />
  </Fetched>
);

/** The lines, once what draws them is there. */
export const LazyLines = (props: LinesProps) => (
  <Fetched>
    <Lines {...props} />
  </Fetched>
);

const Fetched = ({ children }: { children: ReactNode }) => (
  <Suspense fallback={<Waiting height={`${CHART_HEIGHT}px`} mt="10" borderRadius="l2" label="Loading the chart" />}>
    {children}
  </Suspense>
);

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
