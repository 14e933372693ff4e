/** The series of a report's chart, one for each project. */
import type { BillingReport } from '#contract/billing.ts';
import type { ReportMeasure } from '#machines/workspace/billing/reports/machine.ts';
import type { Amounts } from '../ui/usage/bars.ts';
import { projectNames } from './projectNames.ts';

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
