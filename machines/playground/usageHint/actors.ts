import type { ProjectLimits } from '#contract/limits.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

/** GET /limits/projects/{projectUuid}/: what may be used, and what is. */
export const readUse = promisePlaceholder<ProjectLimits, { projectUuid: string }>('readUse');
