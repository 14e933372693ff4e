/** The series of a report's chart, one for each project. */
import type { BillingReport } from '#contract/billing.ts';
import type { ReportMeasure } from '#machines/workspace/billing/reports/machine.ts';
import { type Amounts, formatValue } from '../ui/usage/bars.ts';
import { formatExact } from './amounts.ts';
import { projectNames } from './projectNames.ts';

/** Formats a cost to the micro-dollar, and other measures as the usage screens do. */
export const formatFigure = (value: number, measure: ReportMeasure): string =>
  measure === 'cost_micros' ? formatExact(value) : formatValue(value, measure);

/** A series for each project, in the order of the server's answer: by name. */
export function seriesOf({ series, projects }: BillingReport, measure: ReportMeasure): Amounts[] {
  const names = projectNames(projects);
  return series.map((one) => ({
    name: names.get(one.project_uuid) ?? one.project_name,
    service: '',
    values: one[measure],
    total: one[measure].reduce((sum, value) => sum + value, 0),
  }));
}
