import type { LogPage } from '#contract/logs.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';
import type { LogFilter } from './filter.ts';

/** One page of the requests that match; `cursor` null asks for the first one. */
export type LogsRequest = { projectUuid: string; filter: LogFilter; cursor: string | null };

/** The moment that it is now, of UTC. */
export const readNow = promisePlaceholder<string>('readNow');
/** GET …/logs/ */
export const loadLogs = promisePlaceholder<LogPage, LogsRequest>('loadLogs');
