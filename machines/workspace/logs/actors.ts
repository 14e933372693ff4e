import type { LogPage } from '#contract/logs.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';
import type { LogFilter } from './filter.ts';

/** One page of the requests that match; `cursor` null for the first. */
export type LogsRequest = { projectUuid: string; filter: LogFilter; cursor: string | null };

/** The UTC time `lengthMs` milliseconds ago; null if that is null. */
export const readStart = promisePlaceholder<string | null, { lengthMs: number | null }>('readStart');
/** GET …/logs/ */
export const loadLogs = promisePlaceholder<LogPage, LogsRequest>('loadLogs');
