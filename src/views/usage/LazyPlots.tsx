import { Suspense, use, type ComponentType, type ReactNode } from 'react';
import type { BarsProps } from './UsageBars.tsx';
import type { LinesProps } from './UsageLines.tsx';
import { lateCode, once } from '../../behaviours/late.ts';
import { CHART_HEIGHT } from './sizes.ts';
import { Waiting } from '../ui/Waiting.tsx';

type Plots = { UsageBars: ComponentType<BarsProps>; UsageLines: ComponentType<LinesProps> };

/** The chart library comes with the first chart. Until it does, the figures are in the table all the same. */
export const fetchPlots = once((): Promise<Plots> => lateCode.fetch(() => import('./plots.ts')));

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

// Once it has come, nothing waits again: what waits shows a third of a second later at the earliest.
function Bars(props: BarsProps) {
  const { UsageBars } = use(fetchPlots());
  return <UsageBars {...props} />;
}

function Lines(props: LinesProps) {
  const { UsageLines } = use(fetchPlots());
  return <UsageLines {...props} />;
}

const Fetched = ({ children }: { children: ReactNode }) => (
  <Suspense
    fallback={<Waiting height={`${CHART_HEIGHT}px`} mt="10" mb="4" borderRadius="l2" label="Loading the chart" />}
  >
    {children}
  </Suspense>
);

/** In place of what has charts, while its figures are on their way; what draws them is fetched meanwhile. */
export const PlotsWaiting = ({ children }: { children: ReactNode }) => (
  <Suspense fallback={children}>
    <Fetching>{children}</Fetching>
  </Suspense>
);

function Fetching({ children }: { children: ReactNode }) {
  use(fetchPlots());
  return children;
}

export const ChartWaiting = () => (
  <PlotsWaiting>
    <ChartSkeleton />
  </PlotsWaiting>
);

const ChartSkeleton = () => <Waiting height="463px" label="Loading the chart" />;
