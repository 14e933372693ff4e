import { Suspense, use, type ReactNode } from 'react';
import { fetchPlots } from '../../../behaviours/lateViews.ts';
import type { BarsProps } from './UsageBars.tsx';
import type { LinesProps } from './UsageLines.tsx';
import { CHART_HEIGHT } from './sizes.ts';
import { Waiting } from '../Waiting.tsx';

/** UsageBars, once the chart library is loaded. Until then, the figures are in the table. */
export const LazyBars = (props: BarsProps) => (
  <WithPlots>
    <Bars {...props} />
  </WithPlots>
);

/** UsageLines, once the chart library is loaded. */
export const LazyLines = (props: LinesProps) => (
  <WithPlots>
    <Lines {...props} />
  </WithPlots>
);

// Fetched while the figures load, so that `use` does not suspend here: React would show suspended content a third of a
// second late.
function Bars(props: BarsProps) {
  const { UsageBars } = use(fetchPlots());
  return <UsageBars {...props} />;
}

function Lines(props: LinesProps) {
  const { UsageLines } = use(fetchPlots());
  return <UsageLines {...props} />;
}

const WithPlots = ({ children }: { children: ReactNode }) => (
  <Suspense
    fallback={<Waiting height={`${CHART_HEIGHT}px`} mt="10" mb="4" borderRadius="l2" label="Loading the chart" />}
  >
    {children}
  </Suspense>
);

/** Shows a placeholder while figures load, and meanwhile fetches the chart library. */
export const FetchPlotsMeanwhile = ({ children }: { children: ReactNode }) => (
  <Suspense fallback={children}>
    <FetchPlots>{children}</FetchPlots>
  </Suspense>
);

function FetchPlots({ children }: { children: ReactNode }) {
  use(fetchPlots());
  return children;
}

export const ChartPlaceholder = () => (
  <FetchPlotsMeanwhile>
    <ChartSkeleton />
  </FetchPlotsMeanwhile>
);

const ChartSkeleton = () => <Waiting height="463px" label="Loading the chart" />;
