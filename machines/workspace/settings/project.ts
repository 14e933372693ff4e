import { ProjectUpdate } from '#contract/organizations.ts';
import { createSettings } from './place/machine.ts';

/** Settings of a project: name, description, people, and deletion (PRJ-02). */
export const projectSettings = createSettings({
  what: 'project',
  schema: ProjectUpdate,
  initial: { name: '', description: '' },
  deletion: 'project.delete',
  afterDeletion: ({ orgUuid }) => ({ screen: 'organization', orgUuid }),
  hasPeople: true,
});
