// The two dialogs of the workspace: what they ask, what they check, what they send.
import * as v from 'valibot';
import {
  OrganizationCreate,
  ProjectCreate,
  type OrganizationCreated,
  type ProjectCreated,
} from '#contract/organizations.ts';
import { createForm } from '../shared/form/machine.ts';
import { promisePlaceholder } from '../shared/placeholder.ts';

/** POST /organizations/. */
const createOrganization = promisePlaceholder<OrganizationCreated, { values: OrganizationCreate }>(
  'createOrganization',
);

const ProjectForm = v.object({ ...ProjectCreate.entries, orgUuid: v.string() });
/** POST /organizations/{orgUuid}/projects/. */
const createProject = promisePlaceholder<ProjectCreated, { values: v.InferOutput<typeof ProjectForm> }>(
  'createProject',
);

export const organizationForm = createForm({
  id: 'organizationForm',
  schema: OrganizationCreate,
  initial: { name: '', contact_email: '' },
  submit: createOrganization,
  dismissible: true,
  asksFirst: true,
  keeps: ['name', 'contact_email'],
  losesWith: 'session',
});

export const projectForm = createForm({
  id: 'projectForm',
  schema: ProjectForm,
  initial: { name: '', description: '', orgUuid: '' },
  submit: createProject,
  dismissible: true,
  asksFirst: true,
  keeps: ['name', 'description', 'orgUuid'],
  losesWith: 'session',
});
