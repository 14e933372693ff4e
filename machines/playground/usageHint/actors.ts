import type { ProjectLimits } from '#contract/limits.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

/** GET /limits/projects/{projectUuid}/: the limits and their usage. */
export const readUse = promisePlaceholder<ProjectLimits, { projectUuid: string }>('readUse');
