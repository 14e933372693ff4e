/** `npm run reference` writes the table of metrics into docs/operating.md; a test fails if it is out of date. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { METRICS, type Metric } from '#server/platform/telemetry/catalogue.ts';

const PAGE = fileURLToPath(new URL('../docs/operating.md', import.meta.url));
const [BEGIN, END] = ['<!-- metrics: begin -->', '<!-- metrics: end -->'];

function labelsOf({ labels }: Metric): string {
  const texts = Object.entries(labels).map(
    ([label, values]) => `\`${label}\` (${typeof values === 'string' ? values : values.join(', ')})`,
  );
  return texts.join('; ') || '–';
}

/** The page with its table rewritten. */
export function withMetrics(page: string): string {
  const rows = Object.entries<Metric>(METRICS).map(
    ([name, metric]) =>
      `| \`${name}\`${metric.shared ? ' *' : ''} | ${metric.kind} | ${metric.help} | ${labelsOf(metric)} |`,
  );
  const table = ['| metric | kind | what it tells | labels |', '| --- | --- | --- | --- |', ...rows].join('\n');
  return `${page.slice(0, page.indexOf(BEGIN) + BEGIN.length)}\n\n${table}\n\n${page.slice(page.indexOf(END))}`;
}

export const readOperating = (): string => readFileSync(PAGE, 'utf8');
export const writeOperating = (page: string): void => writeFileSync(PAGE, page);
