// The forms of the workspace's two dialogs.
import {
  OrganizationCreate,
  ProjectCreate,
  type OrganizationCreated,
  type ProjectCreated,
} from '#contract/organizations.ts';
import { createForm } from '../shared/form/machine.ts';
import type { Submitted } from '../shared/form/types.ts';
import { promisePlaceholder } from '../shared/placeholder.ts';

/** POST /organizations/. */
const createOrganization = promisePlaceholder<OrganizationCreated, Submitted<OrganizationCreate, {}>>(
  'createOrganization',
);

/** POST /organizations/{orgUuid}/projects/. */
const createProject = promisePlaceholder<ProjectCreated, Submitted<ProjectCreate, { orgUuid: string }>>(
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
  discardedWith: 'session',
});

export const projectForm = createForm({
  id: 'projectForm',
  schema: ProjectCreate,
  initial: { name: '', description: '' },
  submit: createProject,
  dismissible: true,
  asksFirst: true,
  keeps: ['name', 'description'],
  discardedWith: 'session',
});
