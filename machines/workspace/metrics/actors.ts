import type { Metrics } from '#contract/metrics.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';
import type { Range } from '../usage/range.ts';

export { readToday } from '../usage/actors.ts';
export { saveTextFile, type TextFile } from '../../playground/reader/exporter/actors.ts';

/** GET …/metrics/ of a project. */
export const loadMetrics = promisePlaceholder<Metrics, { projectUuid: string; range: Range }>('loadMetrics');
