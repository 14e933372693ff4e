import type { StepRow } from './report.ts';
import type { Figures } from './report-sums.ts';
import type { CostRow } from './cost-table.ts';
import type { Sheet } from './xlsx.ts';

/** One row for each step and project with requests. Costs are in whole micro-USD, so that sums are exact. */
export const reportSheet = (pages: AsyncIterable<readonly StepRow[]>): Sheet => ({
  name: 'Billing report',
  pages: tableOf(
    ['From (UTC)', 'Project', 'Project id', 'Service'],
    pages,
    ({ step, project_name, project_uuid, service }) => [step.toISOString(), project_name, project_uuid, service],
    'Where a project had no requests there is no row.',
  ),
});

/** The cost table, with the rows of the screen. */
export const costSheet = (pages: AsyncIterable<readonly CostRow[]>): Sheet => ({
  name: 'Cost table',
  pages: tableOf(
    ['Project', 'Project id', 'Service', 'Kind', 'Model'],
    pages,
    ({ project_name, project_uuid, service, kind, model }) => [project_name, project_uuid, service, kind, model],
  ),
});

/**
 * A head, the rows with their figures, a row of totals, and a note.
 * @param labels the cells of a row before its figures
 */
async function* tableOf<R extends Figures>(
  head: readonly string[],
  pages: AsyncIterable<readonly R[]>,
  labels: (row: R) => string[],
  note?: string,
): Sheet['pages'] {
  yield [[...head, 'Requests', 'Audio (ms)', 'Cost (micro-USD)']];
  const totals: Figures = { requests: 0, audio_ms: 0, cost_micros: 0 };
  for await (const page of pages) {
    for (const row of page) {
      totals.requests += row.requests;
      totals.audio_ms += row.audio_ms;
      totals.cost_micros += row.cost_micros;
    }
    yield page.map((row) => [...labels(row), ...figuresOf(row)]);
  }
  yield [['Total', ...head.slice(1).map(() => ''), ...figuresOf(totals)]];
  if (note !== undefined) yield [[note]];
}

const figuresOf = ({ requests, audio_ms, cost_micros }: Figures): number[] => [requests, audio_ms, cost_micros];
