import * as v from 'valibot';
import { Email } from '#contract/accounts.ts';
import { Role } from '#contract/roles.ts';
import { createForm } from '../form/machine.ts';
import { sendInvitation, type InvitationRequest } from './actors.ts';

const Values = v.object({
  orgUuid: v.string(),
  email: Email,
  role: Role,
  /** Which projects one who joins as a member is added to: all there are then, or those of `projects`. */
  scope: v.picklist(['all', 'chosen']),
  /** UUIDs, parted by commas. */
  projects: v.string(),
});

/** The projects that a form's text names. */
export const chosenProjects = (projects: string): string[] => projects.split(',').filter((uuid) => uuid !== '');

const Invited = v.pipe(
  Values,
  v.forward(
    v.check(({ role, scope, projects }) => role !== 'member' || scope === 'all' || chosenProjects(projects).length > 0, 'Choose at least one project.'),
    ['projects'],
  ),
  v.transform(({ orgUuid, email, role, scope, projects }): InvitationRequest => ({
    orgUuid,
    invitation: { email, role, ...(role === 'member' && scope === 'chosen' ? { project_uuids: chosenProjects(projects) } : {}) },
  })),
);

/** Who is invited, as what, and to what. */
export const invitationForm = createForm({
  id: 'invitationForm',
  schema: Invited,
  initial: { orgUuid: '', email: '', role: 'member', scope: 'all', projects: '' },
  submit: sendInvitation,
  keeps: ['orgUuid', 'email', 'role', 'scope', 'projects'],
});
