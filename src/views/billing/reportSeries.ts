/** The series of a report's chart, one for each project. */
import type { BillingReport } from '#contract/billing.ts';
import type { ReportMeasure } from '#machines/workspace/billing/reports/machine.ts';
import { speakerColour } from '../../theme/speakers.ts';
import { folded, REST_COLOUR, type Series } from '../ui/usage/bars.ts';
import { projectNames } from './projectNames.ts';

/** A series for each project, in the order of the server's answer: by name. */
export function seriesOf({ series, projects }: BillingReport, measure: ReportMeasure): Series[] {
  const names = projectNames(projects);
  return series.map((one, index) => ({
    name: names.get(one.project_uuid) ?? one.project_name,
    service: '',
    values: one[measure],
    total: one[measure].reduce((sum, value) => sum + value, 0),
    colour: speakerColour(String(index + 1)),
  }));
}

/** Folds the smallest projects into one if there are too many, and gives each series its own colour. */
export const drawnOf = (series: readonly Series[]): Series[] =>
  folded(series, 'projects').map((one, place) =>
    one.colour === REST_COLOUR ? one : { ...one, colour: speakerColour(String(place + 1)) },
  );
