import type { CostRow, Figures, StepRow } from './report.ts';
import type { Sheet } from './xlsx.ts';

/** A row for each step and project that has anything. Costs are whole micro-USD, so that their sum is exact. */
export const reportSheet = (pages: AsyncIterable<readonly StepRow[]>): Sheet => ({
  name: 'Billing report',
  pages: tableOf(
    ['From (UTC)', 'Project', 'Project id', 'Service'],
    pages,
    ({ step, project_name, project_uuid, service }) => [step.toISOString(), project_name, project_uuid, service],
    'Where a project had no requests there is no row.',
  ),
});

/** The cost table as it stands on the screen. */
export const costSheet = (pages: AsyncIterable<readonly CostRow[]>): Sheet => ({
  name: 'Cost table',
  pages: tableOf(
    ['Project', 'Project id', 'Service', 'Kind', 'Model'],
    pages,
    ({ project_name, project_uuid, service, kind, model }) => [project_name, project_uuid, service, kind, model],
  ),
});

/** What is told of each row, its figures, their sums below, and a note. */
async function* tableOf<R extends Figures>(
  head: readonly string[],
  pages: AsyncIterable<readonly R[]>,
  told: (row: R) => string[],
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
    yield page.map((row) => [...told(row), ...figuresOf(row)]);
  }
  yield [['Total', ...head.slice(1).map(() => ''), ...figuresOf(totals)]];
  if (note !== undefined) yield [[note]];
}

const figuresOf = ({ requests, audio_ms, cost_micros }: Figures): number[] => [requests, audio_ms, cost_micros];
