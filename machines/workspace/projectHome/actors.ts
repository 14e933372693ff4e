import type { ProjectHome } from '#contract/project-home.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

/** GET /projects/{projectUuid}/home/. */
export const loadHome = promisePlaceholder<ProjectHome, { projectUuid: string }>('loadHome');
