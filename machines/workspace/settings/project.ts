import { ProjectUpdate } from '#contract/organizations.ts';
import { createSettings } from './place/machine.ts';

/** Name and description of a project, by the rules of making one, who reaches it, and its end (PRJ-02). */
export const projectSettings = createSettings({
  what: 'project',
  schema: ProjectUpdate,
  initial: { name: '', description: '' },
  deletion: 'project.delete',
  afterDeletion: ({ orgUuid }) => ({ screen: 'organization', orgUuid }),
  hasPeople: true,
});
