import type { ProjectDetails, ProjectUpdate } from '#contract/organizations.ts';
import { promisePlaceholder } from '../../../shared/placeholder.ts';

/** GET /projects/{projectUuid}/. */
export const loadProject = promisePlaceholder<ProjectDetails, { projectUuid: string }>('loadProject');

export type ProjectSaved = ProjectUpdate & { projectUuid: string };
/** PUT /projects/{projectUuid}/. */
export const saveProject = promisePlaceholder<ProjectDetails, { values: ProjectSaved }>('saveProject');

/** DELETE /projects/{projectUuid}/. */
export const deleteProject = promisePlaceholder<void, { values: { projectUuid: string } }>('deleteProject');
