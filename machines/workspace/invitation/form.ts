import * as v from 'valibot';
import { Email } from '#contract/emails.ts';
import type { InvitationCreate } from '#contract/members.ts';
import { Role } from '#contract/roles.ts';
import type { Failure } from '../../shared/failure.ts';
import { createForm } from '../../shared/form/machine.ts';
import type { FormValues } from '../../shared/form/types.ts';
import { sendInvitation } from './actors.ts';

const Values = v.object({
  email: Email,
  role: Role,
  /** Projects of a new member: all that exist when they join, or those of `projects`. */
  scope: v.picklist(['all', 'chosen']),
  /** UUIDs, separated by commas. */
  projects: v.string(),
});

/** The UUIDs in the form's field `projects`. */
export const chosenProjects = (projects: string): string[] => projects.split(',').filter((uuid) => uuid !== '');

const Invited = v.pipe(
  Values,
  v.forward(
    v.check(
      ({ role, scope, projects }) => role !== 'member' || scope === 'all' || chosenProjects(projects).length > 0,
      'Choose at least one project.',
    ),
    ['projects'],
  ),
  v.transform(({ email, role, scope, projects }): InvitationCreate => ({
    email,
    role,
    ...(role === 'member' && scope === 'chosen' ? { project_uuids: chosenProjects(projects) } : {}),
  })),
);

/** The request that valid form values make. */
export const requestOf = (typed: FormValues): InvitationCreate => v.parse(Invited, typed);

export const isPending = ({ errorType }: Failure): boolean => errorType === 'invitation_pending';

/** Address, role and projects. The form ends if the address has an open invitation; the chart then asks. */
export const invitationForm = createForm({
  id: 'invitationForm',
  schema: Invited,
  initial: { email: '', role: 'member', scope: 'all', projects: '' },
  submit: sendInvitation,
  endsOn: isPending,
  keeps: ['email', 'role', 'scope', 'projects'],
});
