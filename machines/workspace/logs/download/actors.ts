import type { LogFormat } from '#contract/logs.ts';
import { promisePlaceholder } from '../../../shared/placeholder.ts';
import type { LogFilter } from '../filter.ts';

export type LogsToSave = { projectUuid: string; filter: LogFilter; format: LogFormat };

/** GET …/logs/export/, into a file of the person's. */
export const saveLogs = promisePlaceholder<void, LogsToSave>('saveLogs');
