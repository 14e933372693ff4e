import type { BillingCost, BillingReport } from '#contract/billing.ts';
import type { Sheet } from './xlsx.ts';

/** A report as a table: a row for each step and project. Costs are whole micro-USD, so that their sum is exact. */
export const reportSheet = ({ buckets, series, totals }: BillingReport): Sheet => ({
  name: 'Billing report',
  rows: [
    ['From (UTC)', 'Project', 'Project id', 'Service', 'Requests', 'Audio (ms)', 'Cost (micro-USD)'],
    ...buckets.flatMap((start, step) =>
      series.map(({ project_name, project_uuid, service, requests, audio_ms, cost_micros }) => [
        start,
        project_name,
        project_uuid,
        service,
        requests[step] ?? 0,
        audio_ms[step] ?? 0,
        cost_micros[step] ?? 0,
      ]),
    ),
    ['Total', '', '', '', totals.requests, totals.audio_ms, totals.cost_micros],
  ],
});

/** The cost table as it stands on the screen. */
export const costSheet = ({ rows, totals }: BillingCost): Sheet => ({
  name: 'Cost table',
  rows: [
    ['Project', 'Project id', 'Service', 'Kind', 'Model', 'Requests', 'Audio (ms)', 'Cost (micro-USD)'],
    ...rows.map((row) => [
      row.project_name,
      row.project_uuid,
      row.service,
      row.kind,
      row.model,
      row.requests,
      row.audio_ms,
      row.cost_micros,
    ]),
    ['Total', '', '', '', '', totals.requests, totals.audio_ms, totals.cost_micros],
  ],
});
