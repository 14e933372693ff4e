import type { LogPage } from '#contract/logs.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';
import type { LogFilter } from './filter.ts';

/** One page of the requests that match; `cursor` null asks for the first one. */
export type LogsRequest = { projectUuid: string; filter: LogFilter; cursor: string | null };

/** The moment of UTC that was so long ago, milliseconds; null without a length. */
export const readStart = promisePlaceholder<string | null, { lengthMs: number | null }>('readStart');
/** GET …/logs/ */
export const loadLogs = promisePlaceholder<LogPage, LogsRequest>('loadLogs');
