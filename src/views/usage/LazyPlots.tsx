import { Suspense, use, type ReactNode } from 'react';
import { fetchPlots } from '../../behaviours/lateViews.ts';
import type { BarsProps } from './UsageBars.tsx';
import type { LinesProps } from './UsageLines.tsx';
import { CHART_HEIGHT } from './sizes.ts';
import { Waiting } from '../ui/Waiting.tsx';

/** UsageBars, once the chart library is loaded. Until then, the figures are in the table. */
export const LazyBars = (props: BarsProps) => (
  <Fetched>
    <Bars {...props} />
  </Fetched>
);

/** UsageLines, once the chart library is loaded. */
export const LazyLines = (props: LinesProps) => (
  <Fetched>
    <Lines {...props} />
  </Fetched>
);

// `use` of a settled promise suspends no more. React delays suspended content by a third of a second.
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

/** Shows a placeholder while figures load, and meanwhile fetches the chart library. */
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
