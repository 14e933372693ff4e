/** What the parts of a chart over time share. */
import type { UsagePeriod } from '#contract/usage.ts';
import type { ReportsActor } from '#machines/workspace/billing/reports/machine.ts';
import type { MetricsActor } from '#machines/workspace/metrics/machine.ts';
import type { UsageActor } from '#machines/workspace/usage/machine.ts';

/** An actor that holds the hovered time step. */
export type PlotActor = UsageActor | MetricsActor | ReportsActor;

export type PlotProps = {
  actor: PlotActor;
  /** The start of each time step. */
  stepStarts: readonly string[];
  period: UsagePeriod;
  label: string;
  /** When the first use was, if the chart begins there rather than with the period. */
  firstUse?: string | null;
  /** Whether to say that the chart shows details on hover; one chart of a page does. */
  hasHint?: boolean;
};

/** The texts of a time step: `readout` for the line above the chart, `describe` with its time for screen readers. */
export type StepTexts = { readout: (index: number) => string; describe: (index: number) => string };
