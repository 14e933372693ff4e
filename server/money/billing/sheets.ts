import { SERVICE_NAMES } from '#contract/usage.ts';
import type { StepRow } from './report.ts';
import type { Figures } from './report-sums.ts';
import type { CostRow } from './cost-table.ts';
import type { Cell, Column, Sheet } from './xlsx.ts';

const MS_PER_MINUTE = 60_000;
const MICROS_PER_USD = 1_000_000;
/** So many decimals tell minutes to the millisecond, and US dollars to the micro-dollar. */
const DECIMALS = 6;

const PROJECT: readonly Column[] = [
  { title: 'Project', width: 28 },
  { title: 'Project id', width: 38 },
  { title: 'Service', width: 14 },
];
const FIGURES: readonly Column[] = [
  { title: 'Requests', width: 12, format: 'count' },
  { title: 'Audio (minutes)', width: 16, format: 'minutes' },
  { title: 'Cost (USD)', width: 16, format: 'usd' },
];
const SERVICES: Readonly<Record<string, string | undefined>> = { transcription: 'Transcription' };
const projectCells = ({
  project_name,
  project_uuid,
  is_deleted,
  service,
}: Pick<StepRow, 'project_name' | 'project_uuid' | 'is_deleted' | 'service'>) => [
  is_deleted ? `${project_name} (deleted)` : project_name,
  project_uuid,
  SERVICES[service] ?? service,
];

/** One row for each step and project with requests. */
export const reportSheet = (pages: AsyncIterable<readonly StepRow[]>): Sheet => ({
  name: 'Billing report',
  ...tableOf(
    [{ title: 'From (UTC)', width: 18, format: 'moment' }, ...PROJECT],
    pages,
    (row) => [row.step, ...projectCells(row)],
    'Where a project had no requests there is no row.',
  ),
});

/** The cost table, with the rows of the screen. */
export const costSheet = (pages: AsyncIterable<readonly CostRow[]>): Sheet => ({
  name: 'Cost table',
  ...tableOf([...PROJECT, { title: 'Kind', width: 10 }, { title: 'Model', width: 24 }], pages, (row) => [
    ...projectCells(row),
    SERVICE_NAMES[row.kind],
    row.model,
  ]),
});

/**
 * The rows with their figures, a row of totals, and a note.
 * @param labels the cells of a row before its figures
 */
function tableOf<R extends Figures>(
  columns: readonly Column[],
  pages: AsyncIterable<readonly R[]>,
  labels: (row: R) => Cell[],
  note?: string,
): Omit<Sheet, 'name'> {
  const totals: Figures = { requests: 0, audio_ms: 0, cost_micros: 0 };
  async function* rows(): Sheet['pages'] {
    for await (const page of pages) {
      for (const row of page) {
        totals.requests += row.requests;
        totals.audio_ms += row.audio_ms;
        totals.cost_micros += row.cost_micros;
      }
      yield page.map((row) => [...labels(row), ...figuresOf(row)]);
    }
  }
  return {
    columns: [...columns, ...FIGURES],
    pages: rows(),
    foot: () => [
      ['Total', ...columns.slice(1).map(() => ''), ...figuresOf(totals)],
      ...(note === undefined ? [] : [[note]]),
    ],
  };
}

const figuresOf = ({ requests, audio_ms, cost_micros }: Figures): number[] => [
  requests,
  Number((audio_ms / MS_PER_MINUTE).toFixed(DECIMALS)),
  cost_micros / MICROS_PER_USD,
];
