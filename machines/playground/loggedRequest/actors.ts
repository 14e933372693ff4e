import type { LogDetails } from '#contract/logs.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

/** GET …/logs/{id}/ */
export const loadLog = promisePlaceholder<LogDetails, { projectUuid: string; id: string }>('loadLog');
